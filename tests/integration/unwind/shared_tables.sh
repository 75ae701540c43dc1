#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shared_tables - who was the first to use libraries that others use as well loses no table to those
# who each bring a little less, though together they exceed the budget
. "$(dirname "$0")/../../lib/integration.bash"

HZ=499
COPIES=24 # of python, each with a table of 240 KiB; the budget is some 4 MiB
SHARERS=5 # of the victim's python: with him, more than are charged by themselves
UIDS=65000
LENGTH=40 # seconds: two epochs, in which every table that is in use is announced

program=$(readlink -f /usr/bin/python3)
must mkdir -m 755 "$WORK/copies"
for ((copy = 0; copy < COPIES; copy++)); do
	must cp "$program" "$WORK/copies/python-$copy"
done
for name in victim sharer; do
	must ln -s "$program" "$WORK/copies/$name"
done

# loop NAME UID SECONDS - starts that program
loop() {
	setpriv --reuid="$2" --regid="$2" --clear-groups "$WORK/copies/$1" -c '
import sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    sum(i * i for i in range(1000))
' "$3" &
	STARTED+=($!)
}

start_attached_recording shared --memory-max 64 -F $HZ -o "$WORK/shared.folded"
loop victim 0 $LENGTH
victim=$!
until_true 60 ran "$victim" 300 || wrong 'the victim does not run'
for ((i = 0; i < SHARERS + COPIES; i++)); do
	name=sharer
	((i < SHARERS)) || name=python-$((i - SHARERS))
	loop "$name" $((UIDS + i)) $((3 * LENGTH))
done
wait "$victim" || wrong 'the victim failed'
stop_recording shared 60
python '
import collections
read = summary(sys.argv[1] + ".json")
count = collections.Counter()
for comm, stack, samples in folded(sys.argv[1] + ".folded"):
    count[comm.split("-")[0], truncation(stack) == "no_table"] += samples
def print_count(who):
    total = count[who, False] + count[who, True]
    print("  %s: %d samples, %d without a table" % (who, total, count[who, True]))
    return total
victim, sharers, attackers = map(print_count, ("victim", "sharer", "python"))
print("  %d tables evicted" % read["tables_evicted"])
check(victim >= 100 and sharers >= 100 and attackers >= 1000, "not all have samples")
for who, total in ("victim", victim), ("sharer", sharers):
    check(count[who, True] <= 0.02 * total, "%d of %d stacks of the %s are cut" %
          (count[who, True], total, who))
check(count["python", True] >= 0.05 * attackers, "the attackers need no more than the budget")
check(read["tables_evicted"] >= 10, "only %d tables were evicted" % read["tables_evicted"])
' "$WORK/shared"
finish
