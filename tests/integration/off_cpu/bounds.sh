#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bounds - --off-cpu-min and --off-cpu-max leave out what is shorter or longer, and nothing else
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/waits.bash"

# bounded NAME CLASSES OPTION... - records sleeps of 1, 20 and 200 ms; found are those whose class
# (0: below 5 ms, 1: within, 2: above 100 ms) is among CLASSES. The waits for a CPU behind them are
# times of their own.
bounded() {
	local name=$1 classes=$2
	say "${*:3}:"
	record_waits "$name" "${EVERY_WAIT[@]}" "${@:3}" -- "${SETTLE[@]}" \
		bounded 8 20000000 || return
	python '
from wait_truth import *
work, name, classes = sys.argv[1:]
truth, found = Truth("%s/%s.out" % (work, name)), found_by_function("%s/%s.folded" % (work, name))
off_cpu = summary("%s/%s.json" % (work, name))["off_cpu"]
sleeps = [words for words in truth.others if words[0] == "bounded"]
check(len(sleeps) == 3, "the program names %d functions" % len(sleeps))
for own, (_, function, ns, *numbers) in enumerate(sleeps):
    counts, calls = [int(n) for n in numbers[::2]], [int(n) for n in numbers[1::2]]
    least = counts[own] * int(ns) if str(own) in classes else 0
    # What a busy machine has made longer may be within the bounds, or not.
    most = sum(calls) - (0 if str(own) in classes else calls[own])
    total = sum(ns for state, ns in found[function].items() if state not in WAITING)
    slack = 0.01 * most + 4 * deviation(most, off_cpu["stratum_ns"])
    print("  %-17s %s ns each: below, within, above %s in %s ns; found %s, of %d to %d" %
          (function, ns, counts, calls, dict(found[function]), least, most))
    check(least - slack <= total <= most + slack, "%s: found %d ns, not %d to %d" %
          (function, total, least, most))
    for state in found[function]:
        check(state in ("interruptible",) + WAITING, "%s was %s" % (function, state))
observed(off_cpu)
' "$WORK" "$name" "$classes"
}

bounded all 012 --off-cpu-min 0
bounded both 1 --off-cpu-min 5ms --off-cpu-max 100ms
bounded longer 12 --off-cpu-min 5ms
bounded shorter 01 --off-cpu-max 100ms
finish
