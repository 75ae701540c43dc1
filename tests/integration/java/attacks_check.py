# SPDX-License-Identifier: Apache-2.0
"""attacks_check - what may be seen of those who lie to the profiler about their JVM

usage: attacks_check.py JAVA NAME - NAME.folded, NAME.otlp, NAME.json
"""
import collections
import re
import sys

import java_stacks
from recorded import Wrong, check, folded, summary

LIES = ("honest", "inlined", "many_scopes", "many_pcs", "long_segm", "segm_outside", "endl_heaps",
        "whole_mem", "stub_names", "long_symb", "wide_frames", "unmapped", "cyclic", "changing",
        "tables")
COMM = {("lie-" + lie)[:15]: lie for lie in LIES}
LEAST = 20               # samples of each
FRAMES_MAX = 127 + 4096
NAME_MAX = 6 * 1024      # bytes: TM_METHOD_CLASS_MAX and _NAME_MAX, whose bytes may become three
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
TRUTHS = {"honest": 3, "inlined": 2} # frames of the method in each stack, once it is described
TRUTHS_MIN = 0.98        # of the samples with a method: before the description there is none
WHOLE_MAX = 0.2          # of the samples of those in CUT: likewise
METHOD = ("lie.Story.invented", "Story.java")
CUT = ("cyclic",)        # whose stacks have no root


def check_folded(path):
    for comm, frames, _ in folded(path):
        if comm not in COMM:
            continue
        lie = COMM[comm]
        check(len(frames) <= FRAMES_MAX, "%s: %d frames" % (lie, len(frames)))
        for frame in frames:
            check(not CONTROL.search(frame), "%s: a name has %r" % (lie, frame[:200]))
            check(not frame.startswith("INJECTED"), "%s: a frame was injected" % lie)
            check(len(frame.encode()) <= NAME_MAX, "%s: a name of %d bytes" %
                  (lie, len(frame.encode())))


def check_stacks(path):
    seen, described, truths = (collections.Counter() for _ in range(3))
    reasons = collections.defaultdict(collections.Counter)
    for stack in java_stacks.read(path):
        lie = COMM.get(stack.comm)
        if not lie:
            continue
        methods = [(f.name, f.file) for f in stack.frames if f.is_method]
        seen[lie] += stack.count
        reasons[lie][stack.cut or "whole"] += stack.count
        described[lie] += stack.count * bool(methods)
        truths[lie] += stack.count * (not stack.cut and methods == TRUTHS.get(lie, 0) * [METHOD])
    for lie in LIES:
        print("  %-15s %5d samples: %s" % (lie, seen[lie], dict(reasons[lie])))
        check(seen[lie] >= LEAST, "%s: only %d samples" % (lie, seen[lie]))
    for lie, count in TRUTHS.items():
        check(truths[lie] >= max(LEAST, TRUTHS_MIN * described[lie]),
              "%d of %d samples with methods have the %d methods of %s" %
              (truths[lie], described[lie], count, lie))
    for lie in CUT:
        check(reasons[lie]["whole"] <= WHOLE_MAX * seen[lie], "%s: stacks are whole: %s" %
              (lie, dict(reasons[lie])))


def main(java, name):
    read = summary(name + ".json")
    print("FIGURE java attacks: %s | methods %d, written %d, lost %d, late %d; %.1f us of BPF a "
          "sample; peak of memory %d of %d | names and stacks beside them are right" %
          (java, read["methods"], read["methods_written"], read["methods_lost"],
           read["methods_late"], 1e6 * read["bpf_seconds"] / max(read["taken"], 1),
           read["memory_peak"], read["memory_limit"]))
    for reason in ("malformed", "bad_record", "collector_died", "symbolizer_died"):
        check(not read["dropped"][reason], "dropped: %s" % read["dropped"])
    check_folded(name + ".folded")
    check_stacks(name + ".otlp")


try:
    main(*sys.argv[1:])
except Wrong as found:
    print("  WRONG: %s" % found)
    sys.exit(1)
