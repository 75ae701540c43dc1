# SPDX-License-Identifier: Apache-2.0
"""truth_check - compares a recording of truth_program.py with what that says of itself

usage: truth_check.py TRUTH NAME.folded VERSION NAMED [PREFIX]
VERSION: of the interpreter, as 3.12.1. NAMED: `yes` where its C functions have names. PREFIX: of
the names of threads that are not the program's.
"""
import collections
import json
import re
import sys

from recorded import Wrong, check, folded, strip_kernel, truncation

METHOD = re.compile(r"^(.+) \([^()]*:\d+\)$")
WARM_UP = "warm_up" # what comes before the tables of the interpreter are there is not judged
LEAST = 2000        # samples of all parts, and of each
LEAST_OF_PART = 50
POINTS = 2.0    # by which a share may differ
BURNING = 0.98  # of the samples: in `burn` itself, with the lines of all its callers; of a part's
BURNING_OF_PART = 0.95
CUT_MAX = 0.001 # of all samples, but those that an exec, an exit or files just met explain
CUT_EXPECTED = ("exec", "exiting", "no_table")
# A hypervisor that takes the CPU away during a walk uses up the time of that walk: so may it be
# where a stack of this many frames has lasted too long, in this share of all samples.
SMALL, STOLEN_MAX = 200, 0.01
# The C function between a function and the one that it has called back: in which part, by name.
CALLED_BACK = {
    "sort_key": "sort",
    "map_item": "^map_next",
    "reduce_step": "^functools_reduce",
    "compare": "^qsort|^msort",
}
DIRECT = {"recursion": "recursion", "函数": "größe", "𐐀𐐁𐐂": "函数"} # who calls whom
# What runs a moment in the program beside the functions on the way to `burn`.
BESIDE = ("place", "outermost")
PROGRAM = " (truth_program.py:"


def function(frame):
    found = METHOD.match(frame)
    return found and found.group(1)


class Part:
    def __init__(self, truth):
        self.cpu = truth["cpu"]
        self.stacks = {tuple(stack) for stack in truth["stacks"]}
        # What may be seen beside them: a function on the way to `burn`, at another line of it.
        self.callers = {stack[:n - 1] + (function(stack[n - 1]),)
                        for stack in self.stacks for n in range(1, len(stack) + 1)}
        self.samples = self.burning = 0
        self.libraries, self.strange = collections.Counter(), collections.Counter()

    def add(self, frames, count):
        stack = tuple(frame for frame in frames if METHOD.match(frame))
        self.samples += count
        if stack in self.stacks:
            self.burning += count
        elif PROGRAM not in stack[-1]:
            self.libraries[stack[-3:]] += count
        elif stack[:-1] + (function(stack[-1]),) not in self.callers and \
                function(stack[-1]) not in BESIDE:
            self.strange[stack[-8:]] += count


class Between:
    """What stands between a Python function and the one that it calls."""

    def __init__(self, version, named):
        self.inlined = tuple(map(int, version.split(".")[:2])) >= (3, 11)
        self.named, self.seen, self.wrong = named, collections.Counter(), collections.Counter()

    def add(self, frames, count):
        places = [index for index, frame in enumerate(frames) if METHOD.match(frame)]
        for caller, called in zip(places, places[1:]):
            name, native = function(frames[called]), frames[caller + 1:called]
            if name in CALLED_BACK and native:
                right = not self.named or any(re.search(CALLED_BACK[name], f) for f in native)
            elif name in CALLED_BACK:
                right = False
            elif DIRECT.get(name) == function(frames[caller]):
                right = bool(native) != self.inlined
            else:
                continue
            self.seen[name] += count
            if not right:
                self.wrong[" > ".join(frames[caller:called + 1])] += count

    def check(self):
        missing = [name for name in (*CALLED_BACK, *DIRECT) if not self.seen[name]]
        check(not missing, "never seen: %s" % missing)
        check(not self.wrong, "called in another way: %s" % self.wrong.most_common(3))


def check_cut(stacks, total):
    cut, stolen, sample = 0, 0, collections.Counter()
    for _, frames, count in stacks:
        reason = truncation(frames)
        if reason == "time" and len(frames) < SMALL:
            stolen += count
        elif reason and reason not in CUT_EXPECTED:
            cut += count
            sample["%s, %d frames: %s" % (reason, len(frames), frames[-1])] += count
    print("  cut %d, and %d of few frames for time" % (cut, stolen))
    check(cut <= CUT_MAX * total, "%d of %d stacks are cut: %s" %
          (cut, total, sample.most_common(3)))
    check(stolen <= 1 + STOLEN_MAX * total, "%d of %d stacks are cut for time" % (stolen, total))


def check_parts(parts):
    samples = sum(part.samples for part in parts.values())
    cpu = sum(part.cpu for part in parts.values())
    worst, worst_name = 0.0, ""
    check(samples >= LEAST, "only %d samples" % samples)
    for name, part in sorted(parts.items()):
        share, truth = 100.0 * part.samples / samples, 100.0 * part.cpu / cpu
        print("  %-20s %5d samples, %5d in burn; %5.2f %%, by itself %5.2f %%; %d stacks" %
              (name, part.samples, part.burning, share, truth, len(part.stacks)))
        check(part.samples >= LEAST_OF_PART, "%s: only %d samples" % (name, part.samples))
        check(not part.strange, "%s: no such stack: %s" % (name, part.strange.most_common(2)))
        check(part.burning >= BURNING_OF_PART * part.samples,
              "%s: only %d samples are in burn, in libraries %s" %
              (name, part.burning, part.libraries.most_common(2)))
        if abs(share - truth) >= worst:
            worst, worst_name = abs(share - truth), name
    burning = sum(part.burning for part in parts.values())
    print("FIGURE python truth: %d samples | the share of %s differs by %.2f points, no other by "
          "more; %.2f %% have every function and line | 2 points" %
          (samples, worst_name, worst, 100.0 * burning / samples))
    check(burning >= BURNING * samples, "only %d of %d samples are in burn" % (burning, samples))
    check(worst <= POINTS, "%s differs by %.2f points" % (worst_name, worst))


def main(truth_path, folded_path, version, named, others="\0"):
    with open(truth_path, encoding="utf-8") as file:
        parts = {name: Part(truth) for name, truth in json.load(file).items()}
    stacks = [stack for stack in folded(folded_path) if not stack[0].startswith(others)]
    between = Between(version, named == "yes")
    nameless = collections.Counter()
    for _, frames, count in stacks:
        if truncation(frames):
            continue
        frames = strip_kernel(frames)
        mine = [function(frame) for frame in frames if function(frame) in parts]
        if mine and mine[0] != WARM_UP:
            parts[mine[0]].add(frames, count)
            between.add(frames, count)
            if "[python]" in frames:
                nameless[";".join(frames[-3:])] += count
    check_cut(stacks, sum(count for _, _, count in stacks))
    del parts[WARM_UP]
    check_parts(parts)
    check(not nameless, "without a name: %s" % nameless.most_common(3))
    between.check()


try:
    main(*sys.argv[1:])
except Wrong as wrong:
    print("  WRONG: %s" % wrong)
    sys.exit(1)
