# SPDX-License-Identifier: Apache-2.0
"""remapped - whether each sample of `remaps` names the file that was mapped at that instant

As a program: remapped.py FOLDED LEAST. Tests import judge().

variant_a lies at the same address as variant_b and variant_c, and is called by calls_a alone: a
sample that has variant_b below calls_a was given the mapping of another instant.
"""
import collections
import re
import sys

WAYS = ("by_replacing", "by_unmapping", "by_moving", "by_loading")
UNJUDGED_SHARE = 0.1  # most: in a prologue, or before the unwind tables are there


def place(stack):
    """(way, variant by its caller, what the sample has in its place); None if it shows no call."""
    stack = [name for name in stack if name != "call"]  # inlined into each of WAYS
    for at, name in enumerate(stack[:-1]):
        called = re.fullmatch(r"calls_([abc])", name)
        if called and at and stack[at - 1] in WAYS:
            return stack[at - 1], called[1], stack[at + 1]
    return None


def judge(recorded, stacks, least):
    """@stacks: what recorded.folded() gives. @least: samples that each way must have."""
    right, wrong, other = collections.Counter(), collections.Counter(), collections.Counter()
    for comm, stack, count in stacks:
        if comm != "remaps" or not any(re.fullmatch("variant_[abc]", name) for name in stack):
            continue
        found = place(stack)
        if not found:
            other[";".join(stack[-3:])] += count
        elif found[2] == "variant_" + found[1]:
            right[found[0]] += count
        else:
            wrong[found] += count
    samples = sum(right.values()) + sum(wrong.values()) + sum(other.values())
    print(f"  remaps: {samples} samples in code that changes; right {dict(right)}, "
          f"wrong {dict(wrong)}, not judged {sum(other.values())} {dict(other.most_common(3))}")
    recorded.check(not wrong, f"{sum(wrong.values())} of {samples} samples name another file: "
                              f"{dict(wrong)}")
    recorded.check(sum(other.values()) <= UNJUDGED_SHARE * samples,
                   f"{sum(other.values())} of {samples} samples cannot be judged")
    for way in WAYS:
        recorded.check(right[way] >= least, f"{right[way]} samples {way}, expected {least}")


if __name__ == "__main__":
    import recorded as records

    try:
        judge(records, records.folded(sys.argv[1]), int(sys.argv[2]))
    except records.Wrong as found_wrong:
        print("  WRONG:", found_wrong)
        sys.exit(1)
