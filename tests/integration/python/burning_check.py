# SPDX-License-Identifier: Apache-2.0
"""burning_check - compares a recording with the stacks that burning.py wrote

usage: burning_check.py TRUTH NAME.folded STACKS [NATIVE...]
STACKS: how many there must be. NATIVE: C functions, each of which must be the caller of the
outermost function of a stack, at any distance.
"""
import collections
import re
import sys

from recorded import Wrong, check, folded, strip_kernel, truncation

METHOD = re.compile(r"^(.+) \([^()]*:\d+\)$")
LEAST = 30    # samples of each stack
EXACT = 0.98  # of the samples in `burn`: those with a stack that was written, frame by frame


def main(truth_path, folded_path, expected, *native):
    with open(truth_path, encoding="utf-8") as file:
        truth = {tuple(line.rstrip("\n").split("\t")) for line in file}
    check(len(truth) == int(expected), "%d stacks were written, not %s" % (len(truth), expected))
    seen, others, callers = collections.Counter(), collections.Counter(), collections.Counter()
    for _, frames, count in folded(folded_path):
        frames = strip_kernel(frames)
        stack = tuple(frame for frame in frames if METHOD.match(frame))
        if not stack or not stack[-1].startswith("burn ") or truncation(frames):
            continue
        (seen if stack in truth else others)[stack] += count
        for name in set(native) & set(frames[:frames.index(stack[0])]):
            callers[name] += count
    for stack in sorted(truth):
        print("  %4d samples of %s" % (seen[stack], " > ".join(stack)))
        check(seen[stack] >= LEAST, "only %d samples of %s" % (seen[stack], stack))
    print("  %d others, %s" % (sum(others.values()), dict(callers) or "called by anybody"))
    check(sum(seen.values()) >= EXACT * sum((seen + others).values()),
          "no such stacks: %s" % others.most_common(2))
    missing = [name for name in native if callers[name] < LEAST]
    check(not missing, "too few stacks are called by %s" % missing)


try:
    main(*sys.argv[1:])
except Wrong as found:
    print("  WRONG: %s" % found)
    sys.exit(1)
