#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# complete_stacks - the share of user stacks that reach their root, for each of many ordinary and
# odd programs
#
# usage: complete_stacks.sh [--off-cpu] [WORKLOAD...]
# Without a workload it runs the short list of workloads.bash (with TM_FULL, the long one), with
# `all` every workload there. A
# workload whose tool is missing is a failure. TM_SECONDS: for how many seconds each workload is
# judged (1). TM_SETTLE: the seconds before that (1), in which the files of the workload are read
# for the first time. 99.9 % of the stacks must be whole. Stacks that were cut because a file first
# sampled less than TM_SETTLE before had no table yet are not part of that: they have a bound of
# their own. So has the share of stacks whose outermost frame is a root according to its ELF file.
# --off-cpu: the same of the stacks of threads that wait for something or for a CPU.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"
. "$(dirname "$0")/workloads.bash"

HZ=${TM_HZ:-997}
LENGTH=${TM_SECONDS:-1}
SETTLE=${TM_SETTLE:-1}
# Percent of the judged stacks that may be cut in files just met. Programs that start other
# programs meet new files all the time.
YOUNG_MAX=5
# Percent of the judged stacks, without those in files just met, that must begin at a root.
ROOT_MIN=99.5
export TM_WORKLOADS WORK UNWIND_SOURCE

test_clean_up() { workloads_clean_up; }

# judge NAME... - prints one row of the table for each workload; the caller printed the head
judge() {
	python '
import json
from stacks import *
work, settle, young_max, root_min = sys.argv[1], *map(float, sys.argv[2:5])
off_cpu, names = bool(sys.argv[5]), sys.argv[6:]
alias, switching = aliases(work + "/aliases"), ("contexts", "fibers", "qemu")
bad = []
for name in names:
    stacks = Stacks("%s/%s.records" % (work, name), alias, off_cpu)
    check(stacks.user, "%s: no samples" % name)
    begin = stacks.samples[0].ktime
    late = [s for s in stacks.user if s.ktime - begin > settle * 1e9]
    tally, whole = Tally(stacks, late), Tally(stacks, stacks.user)
    just_met = stacks.just_met(settle)
    young = len(just_met & set(late))
    settled = Tally(stacks, [s for s in late if s not in just_met and s.stop != "time"])
    # Stacks whose outermost file could not be read by the time of this check are left out of the
    # share at a root.
    rooted = 100.0 * settled.rooted / max(1, settled.total - settled.unread)
    print("  %-12s %7d %7d | %8d %9.3f %9.3f | %s%s" %
          (name, len(stacks.samples), tally.total, whole.total, tally.share(), rooted,
           ", ".join("%s %d" % r for r in tally.reasons.most_common()) or "-",
           " (%d of files just met)" % young if young else ""))
    tally.print("               ")
    if whole.silent and not tally.silent:
        whole.print("               early: ")
    print("FIGURE truth: %s%s | %d user stacks | %.3f %% whole, %.3f %% at a root; %s | 99.9 %%" %
          (name, " off-CPU" * off_cpu, tally.total, tally.share(), rooted,
           dict(tally.reasons) or "none cut"))
    if whole.silent:
        bad.append("%s: %d stacks are cut without a reason" % (name, sum(whole.silent.values())))
    if tally.total < 100:
        bad.append("%s: only %d user stacks" % (name, tally.total))
    # A single cut stack is always allowed, and what swapcontext and longjmp take from the new
    # stack pointer to the jump: they have no rule for that.
    spare = 0.001 + 0.002 * (name in switching)
    if settled.total - settled.whole > max(1, spare * settled.total):
        bad.append("%s: only %.3f %% of the stacks are whole" % (name, settled.share()))
    # A hypervisor that takes the CPU away during a walk uses up the time of that walk.
    if tally.reasons["time"] > 1 + 0.01 * tally.total:
        bad.append("%s: %d stacks are cut for time" % (name, tally.reasons["time"]))
    if young > max(3, 0.01 * young_max * tally.total):
        bad.append("%s: %d of %d stacks are cut in files just met" % (name, young, tally.total))
    rootless = settled.total - settled.unread - settled.rooted
    if rootless > max(2, (1 - 0.01 * root_min) * settled.total):
        bad.append("%s: only %.3f %% of the stacks begin at a root" % (name, rooted))
    if settled.unread > max(2, 0.01 * settled.total):
        bad.append("%s: the files of %d outermost frames cannot be read" % (name, settled.unread))
check(not bad, "; ".join(bad))
' "$WORK" "$SETTLE" "$YOUNG_MAX" "$ROOT_MIN" "${OFF_CPU[*]}" "$@"
}

OFF_CPU=()
[[ ${1:-} == --off-cpu ]] && { OFF_CPU=(--off-cpu --off-cpu-rate 100000); shift; }
chosen=("$@")
[[ ${1:-} == all ]] && chosen=("${WORKLOADS[@]}")
((${#chosen[@]})) || [[ ! ${TM_FULL:-} ]] || chosen=("${FULL[@]}")
((${#chosen[@]})) || chosen=("${SHORT[@]}")
printf '  %-12s %7s %7s | %8s %9s %9s | %s\n' workload samples judged user 'whole %' 'root %' \
	'the rest'
for name in "${chosen[@]}"; do
	prepare_workload "$name" || continue
	if record_with_ring "$name" -F "$HZ" "${OFF_CPU[@]}" -- bash -c \
		"$(declare -f "run_$name"); run_$name $((LENGTH + ${SETTLE%.*} + 1))" \
		>"$WORK/said"; then
		judge "$name"
		grep -qE 'ended with status (0|124)$' "$WORK/$name.out" ||
			wrong "$name: the programs failed: $(grep ' ended ' "$WORK/$name.out")"
	else
		cat "$WORK/said"
	fi
	grep WRONG "$WORK/said"
	rm -f "$WORK/$name.records"
done
finish
