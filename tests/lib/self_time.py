# SPDX-License-Identifier: Apache-2.0
"""self_time - self time by symbol, from `perf script -F comm,ip,sym,dso` and from folded text

self_time.py COMM PERF-SCRIPT FOLDED: prints perf's top 20 beside tidemark's and compares them.
"""
import collections
import re
import sys

from recorded import Wrong, check, folded

TOP = 20
POINTS = 3.0
NAMELESS = "[no symbol]"


def of_perf(path, comm):
    """Counter of the leaf symbols of one comm."""
    leaves, wanted, leaf = collections.Counter(), False, None
    frame = re.compile(r"^\s+([0-9a-f]+) (.+) \((.*)\)$")
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            found = frame.match(line)
            if found:
                if wanted and leaf is None:
                    leaf = NAMELESS if found.group(2) == "[unknown]" else found.group(2)
                    leaves[leaf] += 1
            elif line.strip():
                wanted, leaf = line.strip() == comm, None
    return leaves


def of_tidemark(path, comm):
    leaves = collections.Counter()
    for name, frames, count in folded(path):
        if name != comm or not frames:
            continue
        leaf = frames[-1][:-4] if frames[-1].endswith("_[k]") else frames[-1]
        if re.search(r"\+0x[0-9a-f]+$", leaf) or leaf.startswith("["):
            leaf = NAMELESS
        leaves[leaf] += count
    return leaves


def main():
    comm, script, text = sys.argv[1:]
    ours = of_tidemark(text, comm)
    theirs = of_perf(script, comm)
    our_total, their_total = sum(ours.values()), sum(theirs.values())
    check(our_total > 1000 and their_total > 1000,
          "too few samples: %d and perf %d" % (our_total, their_total))
    print("  samples of %s: %d, perf %d" % (comm, our_total, their_total))
    print("  %-36s %8s %8s %8s" % ("function, by self time", "perf %", "ours %", "apart"))
    worst = 0.0
    top = [name for name, _ in theirs.most_common(TOP)]
    top += [name for name, _ in ours.most_common(TOP) if name not in top]
    for name in top:
        a, b = 100.0 * theirs[name] / their_total, 100.0 * ours[name] / our_total
        worst = max(worst, abs(a - b))
        print("  %-36s %8.2f %8.2f %8.2f" % (name[:36], a, b, abs(a - b)))
    check(worst <= POINTS, "a function of the top %d is %.2f points apart" % (TOP, worst))
    both = set(top[:TOP]) & {name for name, _ in ours.most_common(TOP)}
    print("  %d of perf's top %d are in ours; worst difference %.2f points" %
          (len(both), TOP, worst))


try:
    main()
except Wrong as wrong:
    print("  WRONG: %s" % wrong)
    sys.exit(1)
