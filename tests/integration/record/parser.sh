#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# parser - programs that start after the parser was killed or stopped are named all the same
. "$(dirname "$0")/../../lib/integration.bash"

HZ=499

begin() { # NAME ARGUMENT...
	local name=$1
	shift
	start_attached_recording "$name" -F $HZ --no-cache --no-lines -o "$WORK/$name.folded" "$@"
}

# run_program NAME TICKS - starts a new program and waits until it has used so much CPU time
run_program() {
	cp "$TM_WORKLOADS/hot" "$WORK/$1"
	"$WORK/$1" 1 600 &
	LAST=$!
	STARTED+=("$LAST")
	until_true 60 ran "$LAST" "$2" || wrong "$1 does not run"
}
stop_program() {
	stop "$LAST"
	until_true 10 gone "$LAST"
}

# parsers - the process ids of the parsers of this recording, without their workers
parsers() {
	local pid name parent
	while read -r pid name; do
		[[ $name == tidemark-parser ]] && ! gone "$pid" || continue
		parent=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
		# comm, which also a zombie has: workers outlive a killed parser for an instant
		case $(cat "/proc/${parent:-0}/comm" 2>/dev/null) in
		tidemark-starte | tidemark-symbol*) echo "$pid" ;;
		esac
	done < <(programs "$RECORDER")
}
# find_parser - finds the parser that runs, into PARSER; /proc may miss a child while another one
# ends
find_parser() { until_true 20 another_parser '' || wrong "no parser runs"; }
another_parser() { # PID - whether a parser other than PID runs
	PARSER=$(parsers)
	[[ -n $PARSER && $PARSER != "$1" ]]
}

# named NAME PROGRAM SAMPLES - checks that at least so many stacks of PROGRAM are whole and named
named() {
	python '
read = collections.Counter()
for line in open(sys.argv[1]):
    stack, count = line.rsplit(" ", 1)
    frames = stack.split(";")
    if not any(frame.startswith(sys.argv[2]) for frame in frames[:2]):
        continue
    whole = "_start" in frames and any(frame.startswith("hot_") for frame in frames)
    read["whole" if whole else "no_table" if "[no_table]" in stack else "other"] += int(count)
print("  %s: %s" % (sys.argv[2], dict(read)))
check(read["whole"] >= int(sys.argv[3]), "%s: %s" % (sys.argv[2], dict(read)))
' "$WORK/$1.folded" "$2" "$3"
}

say "kill -9 of the parser, three times:"
begin killed
run_program before 20
stop_program
for n in 1 2 3; do
	find_parser
	pid=$PARSER
	kill -KILL "$pid"
	until_true 20 another_parser "$pid" ||
		wrong "no other parser: $(tail -n 3 "$WORK/killed.err")"
	remember "$RECORDER"
	uid=$(awk '/^Uid:/ { print $2 }' "/proc/$PARSER/status")
	symbolizer=$(program_pid "$RECORDER" tidemark-symbolizer)
	[[ $uid == "$(awk '/^Uid:/ { print $2 }' "/proc/$symbolizer/status")" ]] ||
		wrong "parser $n runs as $uid, not as the symbolizer's account"
	[[ $(awk '/^CapEff:/ { print $2 }' "/proc/$PARSER/status") == 0000000000000000 ]] ||
		wrong "parser $n has capabilities"
	[[ $(awk '/^Seccomp:/ { print $2 }' "/proc/$PARSER/status") == 2 ]] ||
		until_true 10 grep -q '^Seccomp:.*2' "/proc/$PARSER/status" ||
		wrong "parser $n has no filter"
	run_program "after$n" 60
	stop_program
done
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/killed.err")"
nothing_left
balance killed
for n in 1 2 3; do
	named killed "after$n" 100
done
python '
read = summary(sys.argv[1])
print("  parsers started %d, lost %d; failures %s" %
      (read["parsers_started"], read["parsers_lost"], read["parse_failures"]))
check(read["parsers_started"] == 4, "parsers started: %d" % read["parsers_started"])
check(read["parsers_lost"] == 3, "parsers lost: %d" % read["parsers_lost"])
' "$WORK/killed.json"

# The table of a program is asked for while the parser is stopped, for longer than a request may
# take before it counts as slow: it is answered late, and has not failed. That a deadline is missed
# after 30 s is left to the unit tests of both sides.

say "the parser is stopped for some seconds:"
begin stopped
find_parser
pid=$PARSER
kill -STOP "$pid"
run_program stopped 20 # asked for now
first=$LAST
is_late() { (($(date +%s) >= LATE)); }
LATE=$(($(date +%s) + 5)) # PARSER_SLOW_MS, and some
until_true 30 is_late
kill -CONT "$pid"
until_true 60 ran "$first" $(($(awk '{ print $14 + $15 }' "/proc/$first/stat") + 200))
run_program later 60
stop_program
find_parser
[[ $PARSER == "$pid" ]] || wrong "a parser that was only late was replaced"
stop "$first"
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/stopped.err")"
nothing_left
balance stopped
named stopped stopped 100
named stopped later 100
python '
read = summary(sys.argv[1])
print("  parsers started %d, lost %d; tables failed %d; failures %s" %
      (read["parsers_started"], read["parsers_lost"], read["tables_failed"],
       read["parse_failures"]))
check(read["parsers_lost"] == 0, "parsers lost: %d" % read["parsers_lost"])
check(read["parse_failures"]["deadline"] == 0, "a request of some seconds missed its deadline")
# A browser may run beside it, whose table alone is more than the share of the workers, and a build,
# whose linker writes its programs while they are parsed.
check(read["tables_failed"] <= min(1, read["parse_failures"]["budget"]) +
      read["parse_failures"]["changed"],
      "tables that came late failed")
' "$WORK/stopped.json"

say "a parser that dies again and again is not restarted for ever:"
begin again
for n in 1 2 3 4 5; do
	find_parser
	pid=$PARSER
	kill -KILL "$pid"
	until_true 30 another_parser "$pid" || wrong "no parser followed the death $n"
done
find_parser
kill -KILL "$PARSER"
until_true 30 grep -q 'is not restarted' "$WORK/again.err" ||
	wrong "the limit is not reported: $(tail -n 3 "$WORK/again.err")"
[[ -z $(parsers) ]] || wrong "a parser beyond the limit runs"
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/again.err")"
nothing_left
balance again
finish
