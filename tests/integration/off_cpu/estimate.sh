#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# estimate - one long wait beside very many short ones, at no more than 1,000 stacks a second: both
# totals are right
#
# TM_WAITS: how many short ones; TM_LONG_NS: how long the other is. That the selection has no bias
# is a unit test (off_cpu_select).
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/waits.bash"

record_waits estimate --off-cpu --no-lines -- long_and_short "${TM_WAITS:-200000}" \
	"${TM_LONG_NS:-3000000000}" || finish
python '
from wait_truth import *
work = sys.argv[1]
truth, off_cpu = Truth(work + "/estimate.out"), summary(work + "/estimate.json")["off_cpu"]
data = Page(work + "/estimate.html").data
states = data["thread_times"]["states"]
rows = {data["strings"][comm]: dict(zip(states, ns))
        for _, _, comm, _, _, *ns in data["thread_times"]["rows"]}
functions = found_by_function(work + "/estimate.folded")
long_one, short = truth.waits["sleep_long"], truth.waits["wait_shortly"]
found = sum(functions["sleep_long"].values())
print("  long: %d ns, found %d ns" % (long_one["off_cpu"], found))
check(abs(found - long_one["off_cpu"]) <= 0.03 * long_one["off_cpu"],
      "the long wait of %d ns is found with %d" % (long_one["off_cpu"], found))
# The row is the sum of the times themselves, at the switches: the clocks of the program do not
# show so short ones well enough, but give bounds for it.
exact = sum(ns for state, ns in rows["short_waiter"].items() if state not in ("on_cpu", "new"))
found = sum(functions["wait_shortly"].values())
slack, stolen = 0.03 * exact, truth.stolen["wait_shortly"]
print("  short: %d waits, %d ns without a CPU, %d ns in calls; %d ns at the switches, found %d ns: "
      "%+.2f %%; four standard deviations of independent choices are %.2f %%" %
      (short["count"], short["off_cpu"], short["calls"], exact, found, 100 * (found / exact - 1),
       400 * deviation(exact, off_cpu["stratum_ns"]) / exact))
check(short["off_cpu"] - slack - stolen <= exact <= short["calls"] + slack,
      "%d ns at the switches, not %d to %d" % (exact, short["off_cpu"], short["calls"]))
check(abs(found - exact) <= slack, "found %d ns of %d" % (found, exact))
seconds = summary(work + "/estimate.json")["seconds"]
print("  %d stacks in %.2f s" % (off_cpu["taken"], seconds))
check(off_cpu["taken"] <= 1000 * seconds, "%d stacks in %.2f s" % (off_cpu["taken"], seconds))
check(off_cpu["stratum_ns"] > 20000, "short waits were not chosen by chance")
observed(off_cpu)
' "$WORK"
finish
