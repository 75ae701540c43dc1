#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# beside - the waits of a program are right beside a process that switches as fast as it can
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/waits.bash"

record_waits beside --off-cpu --no-lines -- beside 3000 2000000 || finish
python '
from wait_truth import *
work = sys.argv[1]
truth, found = Truth(work + "/beside.out"), found_by_function(work + "/beside.folded")
off_cpu = summary(work + "/beside.json")["off_cpu"]
switches, ns = next(map(int, words[1:]) for words in truth.others if words[0] == "switches")
print("  %d switches a second beside" % (switches * 1e9 / ns))
wait, total = truth.waits["stand_by"], sum(found["stand_by"].values())
print("  %d waits, %d ns without a CPU, %d ns in calls; found %d ns: %+.2f %%; four standard "
      "deviations of independent choices are %.2f %%" %
      (wait["count"], wait["off_cpu"], wait["calls"], total, 100 * (total / wait["off_cpu"] - 1),
       400 * deviation(total, off_cpu["stratum_ns"]) / total))
check(found["bounce"]["interruptible"] > 0, "nothing is seen of what switches fast")
slack = 0.03 * wait["off_cpu"]
check(wait["off_cpu"] - slack <= total <= wait["calls"] + slack,
      "found %d ns, not %d to %d" % (total, wait["off_cpu"], wait["calls"]))
states = ("interruptible",) + WAITING
check(set(found["stand_by"]) <= set(states), "it was %s" % dict(found["stand_by"]))
observed(off_cpu)
' "$WORK"
finish
