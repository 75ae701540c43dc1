#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# many_tables - who runs many large programs, whose unwind tables exceed the budget, displaces his
# own tables and nobody else's
. "$(dirname "$0")/../../lib/integration.bash"

HZ=499
COPIES=24 # of python, each with a table of 240 KiB; the budget is some 4 MiB
ATTACKER=65534
LENGTH=30 # seconds: two epochs, in which every table that is in use is announced

program=$(readlink -f /usr/bin/python3)
must mkdir -m 755 "$WORK/copies"
chmod 755 "$WORK"
for ((copy = 0; copy < COPIES; copy++)); do
	must cp "$program" "$WORK/copies/python-$copy"
done
start_attached_recording many --memory-max 64 -F $HZ -o "$WORK/many.folded"
# The victim's tables are there before the others come.
"$TM_WORKLOADS/work" $LENGTH >/dev/null &
victim=$!
STARTED+=("$victim")
until_true 20 ran "$victim" 100 || wrong 'the victim does not run'
for ((copy = 0; copy < COPIES; copy++)); do
	setpriv --reuid=$ATTACKER --regid=$ATTACKER --clear-groups "$WORK/copies/python-$copy" -c '
while True:
    sum(i * i for i in range(1000))
' &
	STARTED+=($!)
done
wait "$victim" || wrong 'the victim failed'
stop_recording many 60
python '
import collections
read = summary(sys.argv[1] + ".json")
count = collections.Counter()
for comm, stack, samples in folded(sys.argv[1] + ".folded"):
    who = "victim" if comm == "work" else "attacker" if comm.startswith("python-") else ""
    count[who, truncation(stack) == "no_table"] += samples
victim, attacker = (count[who, False] + count[who, True] for who in ("victim", "attacker"))
print("  the victim: %d samples, %d without a table; the attacker: %d, %d; %d tables evicted" %
      (victim, count["victim", True], attacker, count["attacker", True], read["tables_evicted"]))
lag = read["watermark_lag_seconds"]
print("  W lagged by %.3f s (p99), %.3f s at most" % (lag["p99"], lag["max"]))
check(lag["p99"] <= 4 * 0.255, "the p99 of the lag of W is %.3f s" % lag["p99"])
check(victim >= 100 and attacker >= 1000, "not both have samples")
check(count["victim", True] <= 0.02 * victim, "%d of %d stacks of the victim are cut" %
      (count["victim", True], victim))
check(count["attacker", True] >= 0.05 * attacker, "the attacker needs no more than the budget")
check(read["tables_evicted"] >= 10, "only %d tables were evicted" % read["tables_evicted"])
' "$WORK/many"
finish
