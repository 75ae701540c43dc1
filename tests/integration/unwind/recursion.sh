#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# recursion - stacks of deep recursions are whole and have the right number of frames, and a stack
# that is cut bears the reason
#
# TM_SAMPLES: how many samples of each case are judged (60; 1000 for the whole proof). Samples
# before the first whole stack of a program are not judged: its unwind table is still being made.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"

SAMPLES=${TM_SAMPLES:-60}
HZ=499
LENGTH=$((SAMPLES * 5 / 4 / HZ + 1)) # seconds of CPU time
DEPTHS=(1000 4000 6000)

cat >"$WORK/all" <<'ALL'
program=$1 length=$2
shift 2
for depth; do
	# The depth comes first in the name, because comm keeps only the first 15 bytes.
	"${program%/*}/$depth-${program##*/}" "$depth" 0 "$length" &
	((++running < 2)) || wait -n
done
wait
ALL

# cases_of PROGRAM - records it at each depth and judges the stacks
cases_of() {
	local program=$1 depth
	for depth in "${DEPTHS[@]}"; do
		# A new file has no unwind table yet.
		cp "$TM_WORKLOADS/$program" "$WORK/$depth-$program"
	done
	record_with_ring "$program" -F $HZ --ring-kib 8192 -- bash "$WORK/all" "$WORK/$program" \
		"$LENGTH" "${DEPTHS[@]}" || return
	python '
from stacks import *
work, program, least = sys.argv[1], sys.argv[2], int(sys.argv[3])
depths = list(map(int, sys.argv[4:]))
stacks = Stacks(work + "/" + program + ".records")
of = collections.defaultdict(list)
for s in stacks.user:
    of[re.sub(".*/", "", stacks.processes[s.generation][-1].path.decode())].append(s)
shown, bad = collections.defaultdict(collections.Counter), []
rootless = collections.defaultdict(list)
for comm, names, count in folded(work + "/" + program + ".folded"):
    if truncation(names) not in ("exec", "exiting"):
        # The dynamic loader begins at its own _start; constructors are called from _dl_start_user.
        # Without its debug file the output has no function name for either, only its file.
        at_root = names[0] in ("_start", "_dl_start_user") or names[0].startswith("ld-linux")
        shown[comm][truncation(names) or "none", at_root] += count
        if not at_root:
            rootless[comm].append(" > ".join(names[:4]))

def recursion(s):
    """How many frames the call has that is most often in the stack."""
    return collections.Counter(s.frames[1:]).most_common(1)[0][1] if len(s.frames) > 2 else 0

for depth in depths:
    name = "%d-%s" % (depth, program)
    reason = "none" if depth < 4096 else "depth"
    first = next((i for i, s in enumerate(of[name]) if s.stop == reason and recursion(s) > 100),
                 len(of[name]))
    judged = of[name][first:]
    tally = Tally(stacks, judged)
    # Only a sample in leaf() has all calls on its stack; others may be on their way down or up.
    bottom = [s for s in judged if stacks.name(s, s.frames[0]) == "leaf"]
    late = sum(s.stop == "time" for s in judged)
    bottom = [s for s in bottom if s.stop != "time"]
    frames = collections.Counter(len(s.frames) for s in bottom)
    inner = collections.Counter(recursion(s) for s in bottom)
    expected = sum(s.stop == reason for s in judged)
    print("  %-20s %5d samples, %3d before; %d %s, %d time, %d at a root; "
          "frames %s, of them in recursion %s" %
          (name, len(judged), first, expected, reason, late, tally.rooted,
           dict(frames.most_common(2)), dict(inner.most_common(2))))
    print("FIGURE D1 recursion %d deep, %s | %d samples | "
          "%d %s with %s frames, %d cut for time | all" %
          (depth, program, len(judged), expected, "whole" if reason == "none" else reason,
           " or ".join(map(str, frames)), late))
    tally.print() if reason == "none" or tally.silent else None
    early = Tally(stacks, of[name][:first])
    silent = sum(tally.silent.values()) + sum(early.silent.values())
    for sentence, holds in (
        ("there are only %d samples to judge" % len(judged), len(judged) >= least),
        ("stacks are %s, not all %s" % (collections.Counter(s.stop for s in judged), reason),
         all(s.stop == reason for s in bottom) and
         all(s.stop in (reason, "none", "time") for s in judged)),
        # A hypervisor that takes the CPU away during a walk uses up the time of that walk (1 ms).
        # With 4000 frames that was up to 1.8 % of the stacks of a run, in 2 of 60 runs over 1 %.
        ("%d of %d stacks are cut for time" % (late, len(judged)), late <= 1 + 0.03 * len(judged)),
        ("%d stacks are cut without a reason" % silent, not tally.silent and not early.silent),
        ("only %d of %d samples are in leaf()" % (len(bottom), len(judged)),
         len(bottom) >= 0.5 * len(judged)),
        ("only %d of %d stacks reach a root" % (tally.rooted, tally.total),
         reason == "depth" or tally.rooted == tally.total - late),
        ("the recursion calls itself %s times (times: stacks)" % dict(inner),
         reason == "depth" or set(inner) == {depth - 1}),
        ("the stacks have %s frames (frames: stacks)" % dict(frames),
         len(frames) == 1 and (reason == "none" or set(frames) == {4096})),
    ):
        if not holds:
            bad.append("%s: %s" % (name, sentence))
    said = collections.Counter(s.stop for s in of[name] if s.comm.decode() == name[:15])
    reported = shown[name[:15]]
    for word in set(said) | {w for w, _ in reported}:
        if said[word] != reported[word, True] + reported[word, False]:
            bad.append("%s: %d samples are %s, but the output has %s" %
                       (name, said[word], word, dict(reported)))
    if reported["none", False]:
        bad.append("%s: %d whole stacks do not begin at a root: %s" %
                   (name, reported["none", False], rootless[name[:15]]))
check(not bad, "; ".join(bad))
' "$WORK" "$program" "$SAMPLES" "${DEPTHS[@]}"
	rm -f "$WORK/$program.records" "$WORK/$program.folded"
}

say "at least $SAMPLES samples of each, at $HZ Hz:"
for program in ${TM_DEEP:-deep deep-fp deep-fp-static deep-cfi deep-cfi-static}; do
	cases_of "$program"
done
finish
