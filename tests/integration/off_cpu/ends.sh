#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ends - a program that ends some milliseconds behind its recording is not missing with its waits
. "$(dirname "$0")/../../lib/integration.bash"

# It can end between the end of sampling and the look at all threads, too: so one of several counts.
for run in 1 2 3; do
	record_ok "$run" --off-cpu --no-lines -d 1 -o "$WORK/$run.folded" -- sleep 1 || finish
done
python '
found = [sum(ns for comm, frames, ns in folded("%s/%d.folded" % (sys.argv[1], run))
             if comm == "sleep" and frames[-1] == "[interruptible]") for run in range(1, 4)]
print("  %s s asleep" % [ns / 1e9 for ns in found])
check(max(found) >= 0.9e9, "no recording of a second has a sleep of a second")
' "$WORK"
finish
