#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# opener_hangs - an opener that does not answer, and one that dies again and again, is replaced, and
# files that are new then have their names
. "$(dirname "$0")/../../lib/integration.bash"

HZ=999
FIRST=700001 # the numbers of its programs: no test that runs beside has them
DEATHS=3 # of those that may be in a minute, one is the opener's that hangs, and one to spare
must mkdir "$WORK/numbered"
must strip --strip-debug -o "$WORK/template" "$TM_WORKLOADS/short_lived"
must python3 "$TM_LIB/numbered_programs.py" "$WORK/template" "$WORK/numbered" \
	$((DEATHS + 3)) $FIRST

opener() { program_pid "$RECORDER" tidemark-opener; }
# is_another PID - whether an opener runs, and it is not that one
is_another() { [[ $(opener) && $(opener) != "$1" ]]; }
# run N - the nth program, for 0.4 s
run() { must "$(printf '%s/numbered/program-%06d' "$WORK" $((FIRST + $1 - 1)))" 400; }
# replaced PID SECONDS
replaced() { until_true "$2" is_another "$1" || wrong "no other opener runs after $2 s"; }

start_attached_recording hangs -F $HZ --no-lines -o "$WORK/hangs.folded"
until_true 20 opener >/dev/null
run 1
hung=$(opener)
kill -STOP "$hung"
run 2
say "an opener that hangs:"
replaced "$hung" 20
run 3
say "openers that are killed, $DEATHS in turn:"
for ((number = 4; number < 4 + DEATHS; number++)); do
	killed=$(opener)
	kill -KILL "$killed"
	replaced "$killed" 10
	run $number
done
run 2 # the one that nobody could open, now that somebody can
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 600 "$WORK/hangs.err")"
grep 'tidemark-opener' "$WORK/hangs.err" | sed 's/^/  /'
(($(grep -c 'tidemark-opener ended early' "$WORK/hangs.err") == DEATHS + 1)) ||
	wrong "not each end of an opener is said"
balance hangs
python '
named, first = collections.Counter(), int(sys.argv[3])
for _, frames, value in folded(sys.argv[1]):
    for frame in frames:
        if frame.startswith("own_function_") and int(frame[-6:]) >= first:
            named[int(frame[-6:]) - first + 1] += value
print("  samples in the function of each program: %s" % dict(sorted(named.items())))
wanted = set(range(1, int(sys.argv[2]) + 1))
check(set(named) == wanted, "without a name: %s" % sorted(wanted - set(named)))
' "$WORK/hangs.folded" $((DEATHS + 3)) $FIRST
nothing_left
finish
