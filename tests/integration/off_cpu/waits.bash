# SPDX-License-Identifier: Apache-2.0
# waits - what the tests of time without a CPU share; sourced after integration.bash
#
# wait_states waits in known ways and says how long; wait_truth.py compares that with what was
# found. Its first waits are not judged: they last until the stratum, which is 17 ms at the start of
# a recording and is halved every 100 ms, is as short as the rate allows.

PYTHONPATH=$PYTHONPATH:$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
WAITS=$TM_WORKLOADS/wait_states
SETTLE=(settle 1800 1000000)
EVERY_WAIT=(--off-cpu --off-cpu-rate 100000 -F 99 --no-lines) # a sample of each, value = duration

# record_waits NAME OPTION... -- CASE COUNT NS... - records wait_states, and checks the balance;
# what it says is in $WORK/NAME.out, what was found in $WORK/NAME.folded and $WORK/NAME.html
record_waits() {
	local name=$1 options=()
	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	record_ok "$name" "${options[@]}" -o "$WORK/$name.folded" -o "$WORK/$name.html" -- \
		"$WAITS" "$@" || return
	balance "$name"
}

# judge NAME FUNCTION... - judges all functions that wait_states named; these must be among them.
# SHARE: what may be missing or too much
judge() {
	python '
from wait_truth import *
work, name, share, *wanted = sys.argv[1:]
truth, found = Truth("%s/%s.out" % (work, name)), found_by_function("%s/%s.folded" % (work, name))
off_cpu = summary("%s/%s.json" % (work, name))["off_cpu"]
check(set(wanted) <= set(truth.waits), "the program names %s alone" % list(truth.waits))
wrong = []
for function in truth.waits:
    try:
        judge(function, truth, found[function], off_cpu, float(share), function in EXACT)
    except Wrong as found_wrong:
        wrong.append(str(found_wrong))
observed(off_cpu)
check(not wrong, "; ".join(wrong))
' "$WORK" "$1" "${SHARE:-0.01}" "${@:2}"
}
