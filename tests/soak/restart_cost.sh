#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# restart_cost - how long after the death of a symbolizer the next one has its first sample
#
# restart_cost.sh [DEATHS]: recordings in each of which the symbolizer is killed once. The bound is
# for a lost order of magnitude on a noisy machine.
. "$(dirname "$0")/../lib/integration.bash"

DEATHS=${1:-3}
MOST_MS=1000

restarted() { grep -qs 'restarted tidemark-symbolizer' "$WORK/restart.err"; }

# kill_once - one recording; adds the milliseconds from the kill to the first sample to $WORK/first
kill_once() {
	local killed ran_before
	begin_recording restart -v -F 499 --restart -o "$WORK/restart.pb.gz" || finish
	until_true 30 ran "$COMMAND_PID" 20 || wrong "COMMAND does not run"
	killed=$(date +%s%N)
	kill -KILL "$(program_pid "$RECORDER" tidemark-symbolizer)"
	until_true 30 restarted || wrong "no restart: $(tail -n 3 "$WORK/restart.err")"
	ran_before=$(awk '{ print $14 + $15 }' "/proc/$COMMAND_PID/stat")
	until_true 30 ran "$COMMAND_PID" $((ran_before + 50)) || wrong "COMMAND does not run"
	kill -INT "$RECORDER"
	end_recording 60
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/restart.err")"
	stop "$COMMAND_PID"
	balance restart
	python '
with gzip.open(sys.argv[1]) as file:
    begun = [value for number, value in fields(file.read()) if number == 9]
check(begun, "the profile has no time")
print("%.0f" % ((begun[0] - int(sys.argv[2])) / 1e6), file=open(sys.argv[3], "a"))
' "$WORK/restart.pb.gz" "$killed" "$WORK/first"
}

for ((i = 0; i < DEATHS; i++)); do
	kill_once
done
python '
first = sorted(int(line) for line in open(sys.argv[1]))
middle, most = first[len(first) // 2], int(sys.argv[2])
print("FIGURE restart | %d deaths, median | first sample after %d ms, at most %d | bound %d ms" %
      (len(first), middle, first[-1], most))
check(0 < middle <= most,
      "the first sample came %d ms after the death, more than %d" % (middle, most))
' "$WORK/first" $MOST_MS
finish
