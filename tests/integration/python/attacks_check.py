# SPDX-License-Identifier: Apache-2.0
"""attacks_check - what may be seen of those who lie to the profiler, or make functions without end

usage: attacks_check.py lies|endless NAME.folded NAME.json
"""
import collections
import re
import sys

from recorded import Wrong, check, folded, summary, truncation

LIES = ("honest", "cyclic_frames", "cyclic_threads", "cyclic_states", "unmapped", "kernel_frames",
        "long_names", "invalid_widths", "wide_names", "long_lines", "changing", "many_functions")
COMM = {("lie-" + lie)[:15]: lie for lie in LIES}
LEAST = 20          # samples of each lie
NAME_MAX = 4 * 1024 # bytes: TM_METHOD_NAME_MAX, each of which may become two, and a file's
FRAMES_MAX = 127 + 4096
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
MADE = re.compile(r"^made_(\d+) \(endless_program\.py:(\d+)\)$")
MADE_LEAST = 500 # different functions


def check_lies(stacks):
    reasons, seen = collections.defaultdict(collections.Counter), collections.Counter()
    truths = 0
    for comm, frames, count in stacks:
        lie = COMM.get(comm)
        if not lie:
            continue
        seen[lie] += count
        reasons[lie][truncation(frames) or "whole"] += count
        truths += count * (lie == "honest" and
                           sum(f == "lying_function (lying.py:7)" for f in frames) == 3)
        check(len(frames) <= FRAMES_MAX, "%s: %d frames" % (lie, len(frames)))
        for frame in frames:
            check(not CONTROL.search(frame), "%s: a name has %r" % (lie, frame[:200]))
            check(not frame.startswith("INJECTED"), "%s: a frame was injected" % lie)
            check(len(frame.encode()) <= NAME_MAX, "%s: a name of %d bytes" % (lie, len(frame)))
    for lie in LIES:
        print("  %-15s %5d samples: %s" % (lie, seen[lie], dict(reasons[lie])))
        check(seen[lie] >= LEAST, "%s: only %d samples" % (lie, seen[lie]))
    check(truths >= 0.9 * seen["honest"], "%d of %d samples show the three functions of `honest`" %
          (truths, seen["honest"]))
    endless = reasons["cyclic_frames"]
    cut = endless["time"] + endless["depth"]
    check(cut >= 0.95 * seen["cyclic_frames"], "cyclic frames are whole: %s" % endless)


def check_endless(stacks):
    pairs, nameless = collections.Counter(), 0
    for _, frames, count in stacks:
        nameless += count * sum(frame == "[python]" for frame in frames)
        for frame in frames:
            if frame.startswith("made_"):
                pairs[frame] += count
    wrong = []
    for frame in pairs:
        found = MADE.match(frame)
        number, line = map(int, found.groups()) if found else (0, 0)
        if line not in (number % 1000 + 1, number % 1000 + 2):
            wrong.append(frame)
    print("FIGURE python endless: %d functions seen in %d frames, %d of another line; %d frames of "
          "any function without a name | none of another line" %
          (len(pairs), sum(pairs.values()), len(wrong), nameless))
    check(len(pairs) >= MADE_LEAST, "only %d functions were seen" % len(pairs))
    check(not wrong, "functions on lines of others: %s" % wrong[:5])


def main(what, folded_path, summary_path):
    read = summary(summary_path)
    print("  methods %d, beyond a share %d, written %d, lost %d, late %d" %
          tuple(read["methods" + count] for count in
                ("", "_limited", "_written", "_lost", "_late")))
    print("  BPF %.2f s; peak of memory %d of %d" %
          (read["bpf_seconds"], read["memory_peak"], read["memory_limit"]))
    for reason in ("malformed", "bad_record", "collector_died", "symbolizer_died"):
        check(not read["dropped"][reason], "dropped: %s" % read["dropped"])
    check(what != "lies" or read["methods_limited"], "all functions have numbers")
    {"lies": check_lies, "endless": check_endless}[what](folded(folded_path))


try:
    main(*sys.argv[1:])
except Wrong as found:
    print("  WRONG: %s" % found)
    sys.exit(1)
