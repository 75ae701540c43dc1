#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hotplug - a CPU that goes and comes during a recording is sampled again each time, and nothing is
# lost on the other CPU
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/../../lib/cpu_switch.bash"

HZ=499
TIMES=3

# spin NAME CPU - starts a program of that name, pinned, that ends by `stop_spinning`
declare -A SPINNING
spin() {
	cp "$TM_WORKLOADS/hot" "$WORK/$1"
	taskset -c "$2" "$WORK/$1" 1 600 &
	SPINNING[$1]=$!
	STARTED+=("$!")
}

# A pinned program is ended before its CPU goes, because the kernel would take that CPU from its
# mask.
stop_spinning() { # NAME FILE - its CPU time in hundredths of a second goes to FILE
	local pid=${SPINNING[$1]}
	echo "$1 $(awk '{ print $14 + $15 }' "/proc/$pid/stat")" >>"$2"
	stop "$pid"
}

begin() { # NAME ARGUMENT...
	local name=$1
	shift
	rm -f "$WORK/$name.started"
	start_attached_recording "$name" -F $HZ -o "$WORK/$name.folded" "$@"
}

end() { # NAME
	kill -INT "$RECORDER"
	end_recording 60
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/$1.err")"
	nothing_left
	balance "$1" zero-drops
}

ran_ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# check_shares NAME - checks that each pinned program has as many samples as its CPU time owes
check_shares() {
	python '
name, hz = sys.argv[1], int(sys.argv[2])
samples = collections.Counter()
for comm, _, count in folded(name + ".folded"):
    samples[comm] += count
with open(name + ".ticks", encoding="utf-8") as file:
    for line in file:
        program, ticks = line.split()
        owed = int(ticks) * hz / 100
        print("  %-8s ran %5.2f s, %5d samples: %5.1f %% of what it owes" %
              (program, int(ticks) / 100, samples[program], 100 * samples[program] / owed))
        check(samples[program] > 0.8 * owed, "%s has %d samples of some %d" %
              (program, samples[program], owed))
read = summary(name + ".json")
lag = read["watermark_lag_seconds"]
print("  not run %d of %d hits; W lags %.1f ms (p99), %.1f ms at most" %
      (read["not_run"], read["taken"], 1e3 * lag["p99"], 1e3 * lag["max"]))
check(read["cpus"] == os_cpus(), "%d CPUs are said to be sampled" % read["cpus"])
check(read["cpus_not_sampled"] == 0, "%d CPUs are said not to be" % read["cpus_not_sampled"])
' "$WORK/$1" $HZ
}

say "CPU $N goes and comes $TIMES times, $HZ Hz:"
begin goes
spin zero $OTHER
away_least=999999999 # microseconds
for ((i = 0; i < TIMES; i++)); do
	spin "one$i" $N
	until_true 20 ran "${SPINNING[one$i]}" 30
	stop_spinning "one$i" "$WORK/goes.ticks"
	switch 0
	from=${EPOCHREALTIME/./}
	# The other CPU keeps running, so W must keep advancing; the lag is checked below.
	until_true 20 ran "${SPINNING[zero]}" $(($(ran_ticks "${SPINNING[zero]}") + 120))
	away=$((${EPOCHREALTIME/./} - from))
	((away < away_least)) && away_least=$away
	switch 1
	until_true 20 joined goes $((i + 1)) || wrong "CPU $N came online and was not sampled"
done
spin back $N
until_true 20 ran "${SPINNING[back]}" 30
stop_spinning back "$WORK/goes.ticks"
stop_spinning zero "$WORK/goes.ticks"
end goes
check_shares goes
python '
read = summary(sys.argv[1])
away = int(sys.argv[2]) / 1e6
lag = read["watermark_lag_seconds"]["max"]
check(0 < lag < away, "W lagged %s s while the CPU was away for %.3f s or more" % (lag, away))
' "$WORK/goes.json" $away_least

say "CPU $N is away when the recording begins:"
switch 0
begin later
switch 1
until_true 20 joined later 1 || wrong "CPU $N came online and was not sampled"
spin late $N
until_true 20 ran "${SPINNING[late]}" 30
stop_spinning late "$WORK/later.ticks"
end later
check_shares later

say "so many messages that the kernel loses some, those of CPU $N among them:"
switch 0
begin flood
kill -STOP "$RECORDER"
for ((i = 0; i < 6000; i++)); do
	echo change >$CPU/uevent
done
switch 1
kill -CONT "$RECORDER"
until_true 20 grep -q 'messages about CPUs were lost' "$WORK/flood.err" ||
	wrong "no message was lost: $(head -c 600 "$WORK/flood.err")"
until_true 20 joined flood 1 || wrong "CPU $N is not sampled"
spin again $N
until_true 20 ran "${SPINNING[again]}" 30
stop_spinning again "$WORK/flood.ticks"
end flood
check_shares flood
finish
