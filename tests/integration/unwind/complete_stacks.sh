#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# complete_stacks - the share of user stacks that reach their root, for each of many ordinary and odd programs
#
# truth.sh [WORKLOAD...]; without one those that need no more than the tests install, with `all` all of
# them (workloads.bash). TM_SECONDS: judged seconds of each (1), after TM_SETTLE (1) in which the files met
# are being read, as is each that is first met later. The claim is 99.9 %. `root` is what the outermost frames'
# files say of themselves.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"
. "$(dirname "$0")/workloads.bash"

HZ=${TM_HZ:-499}
LENGTH=${TM_SECONDS:-1}
SETTLE=${TM_SETTLE:-1}
export TM_WORKLOADS WORK UNWIND_SOURCE

test_clean_up() { workloads_clean_up; }

# judge NAME... - one row of the table each, behind its head
judge() {
	python '
import json
from stacks import *
work, settle, names = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
alias = aliases(work + "/aliases")
bad = []
for name in names:
    stacks = Stacks("%s/%s.records" % (work, name), alias)
    check(stacks.user, "%s: no samples" % name)
    begin = stacks.samples[0].ktime
    stacks.user = [s for s in stacks.user if s.comm != b"bash"] # what starts the workload
    late = [s for s in stacks.user if s.ktime - begin > settle * 1e9]
    tally, whole = Tally(stacks, late), Tally(stacks, stacks.user)
    young = len(stacks.just_met(settle) & set(late))
    print("  %-12s %7d %7d | %8d %9.3f %9.3f | %s%s" %
          (name, len(stacks.samples), tally.total, whole.total, tally.share(), 100.0 * tally.rooted / max(1, tally.total),
           ", ".join("%s %d" % r for r in tally.reasons.most_common()) or "-",
           " (%d of files just met)" % young if young else ""))
    tally.print("               ")
    if whole.silent and not tally.silent:
        whole.print("               early: ")
    print("FIGURE truth: %s | %d user stacks | %.3f %% whole, %.3f %% at a root; %s | 99.9 %%" %
          (name, tally.total, tally.share(), 100.0 * tally.rooted / max(1, tally.total), dict(tally.reasons) or "none cut"))
    if whole.silent:
        bad.append("%s: %d stacks are cut without a word" % (name, sum(whole.silent.values())))
    if tally.total < 100:
        bad.append("%s: only %d user stacks" % (name, tally.total))
    if tally.total - tally.whole - young > max(1, 0.001 * tally.total): # a single one decides nothing
        bad.append("%s: %.3f %% whole" % (name, tally.share()))
check(not bad, "; ".join(bad))
' "$WORK" "$SETTLE" "$@"
}

chosen=("$@")
[[ ${1:-} == all ]] && chosen=("${WORKLOADS[@]}")
((${#chosen[@]})) || chosen=("${SHORT[@]}")
printf '  %-12s %7s %7s | %8s %9s %9s | %s\n' workload samples judged user 'whole %' 'root %' 'the rest'
for name in "${chosen[@]}"; do
	declare -F "run_$name" >/dev/null || { wrong "no workload is called $name"; continue; }
	if declare -F "prepare_$name" >/dev/null && ! reason=$("prepare_$name" 2>&1); then
		say "  $name: not on this machine: $(tail -n 1 <<<"$reason")"
		continue
	fi
	if record_with_ring "$name" -F "$HZ" -- bash -c "$(declare -f "run_$name"); run_$name $((LENGTH + ${SETTLE%.*} + 1))" >"$WORK/said"; then
		judge "$name"
	else
		cat "$WORK/said"
	fi
	grep WRONG "$WORK/said"
	rm -f "$WORK/$name.records"
done
finish
