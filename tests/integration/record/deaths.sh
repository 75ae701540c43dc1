#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# deaths - kill -9 of each process in mid-record: the others end in order and nothing is left
#
# The number of samples taken is compared with the hits of the kernel's timers, which are counted
# from outside. The equation taken = exported + dropped would hold however much a death had lost.
. "$(dirname "$0")/../../lib/integration.bash"

OUT=$WORK/out
COUNT_HITS=yes

# after_death - checks what must hold whichever process died: the command ended and left nothing
after_death() {
	local left file
	nothing_left
	for file in "$OUT"/*; do
		[[ $(basename "$file") =~ ^(x\.folded|x\.pb\.gz|\*)$ ]] ||
			wrong "left behind: $file"
	done
	left=$(find "$OUT" -mindepth 1 -size 0)
	[[ -z $left ]] || wrong "empty: $left"
	stop "$COMMAND_PID"
	until_true 10 gone "$COMMAND_PID"
}

# check_hits NAME LOST - checks that all hits of COMMAND were taken; those of LOST seconds may be
# missing
check_hits() {
	python '
from hits import *
read, hits = summary(sys.argv[1] + ".json"), Hits(sys.argv[1] + ".hits")
check_taken("COMMAND", read["taken"], hits.hits[-1], hits.skipped + read["hz"] * float(sys.argv[2]))
' "$WORK/$1" "$2"
}

start() { # NAME
	rm -rf "$OUT"
	mkdir "$OUT"
	begin_recording "$1" -F 999 -o "$OUT/x.folded" -o "$OUT/x.pb.gz" || return 1
	say "  running: $(programs "$RECORDER" | tr '\n' ' ')"
	((${#REMEMBERED_BPF[@]} > 0)) || wrong \
		"no BPF object is held: there is nothing to leave behind"
}

for victim in tidemark-collector tidemark-symbolizer; do
	say "kill -9 $victim:"
	start death || continue
	until_true 20 ran "$COMMAND_PID" 100
	pid=$(program_pid "$RECORDER" $victim)
	[[ -n $pid ]] || wrong "no $victim runs"
	kill -KILL "$pid"
	end_recording 30
	say "  exit $STATUS: $(grep -m 1 "$victim" "$WORK/death.err")"
	grep -q "$victim" "$WORK/death.err" ||
		wrong "the command does not say who died: $(head -c 300 "$WORK/death.err")"
	((STATUS == 1 || STATUS == 4)) || wrong "exit code $STATUS"
	after_death
	balance death
	# The last counts that a dead collector sent may be half a second old.
	check_hits death "$([[ $victim == tidemark-collector ]] && echo 0.5 || echo 0)"
	if [[ $victim == tidemark-collector ]]; then
		python '
read = summary(sys.argv[1])
total = folded_total(sys.argv[2])
pprof = Pprof(sys.argv[3]).total()
print("  written: folded %d, pprof %d samples" % (total, pprof))
check(total == read["exported"] == pprof, "outputs hold %d and %d, exported are %d" %
      (total, pprof, read["exported"]))
check(total > 500, "only %d samples were saved" % total)
lost = sum(read["dropped"].values())
check(lost <= 0.5 * read["hz"] * read["cpus"], "%d samples were lost with the collector" % lost)
' "$WORK/death.json" "$OUT/x.folded" "$OUT/x.pb.gz"
	else
		[[ -z $(ls -A "$OUT") ]] || wrong "outputs without a symbolizer: $(ls -A "$OUT")"
		python '
read = summary(sys.argv[1])
check(read["exported"] == 0, "%d samples are said to be exported" % read["exported"])
check(read["taken"] > 500, "only %d samples were counted" % read["taken"])
' "$WORK/death.json"
	fi
done

for victim in tidemark-opener tidemark-parser; do
	say "kill -9 $victim:"
	start child || continue
	until_true 20 ran "$COMMAND_PID" 100
	pid=$(program_pid "$RECORDER" $victim)
	[[ -n $pid ]] || wrong "no $victim runs"
	kill -KILL "$pid"
	until_true 20 ran "$COMMAND_PID" 200
	kill -INT "$RECORDER"
	end_recording 30
	say "  exit $STATUS; $(grep -m 1 "$victim\|${victim#tidemark-}" "$WORK/child.err")"
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/child.err")"
	grep -q "$victim\|${victim#tidemark-}" "$WORK/child.err" ||
		wrong "the command does not say that $victim died"
	after_death
	balance child zero-drops
	check_hits child 0
	python '
read, total = summary(sys.argv[1]), folded_total(sys.argv[2])
check(total == read["exported"] and total > 500, "%d samples were written, exported are %d" %
      (total, read["exported"]))
' "$WORK/child.json" "$OUT/x.folded"
done

say "kill -9 of tidemark-opener before sampling begins:"
has_opener() { OPENER=$(program_pid "$RECORDER" tidemark-opener) && [[ -n $OPENER ]]; }
"$TM_TIDEMARK" record -F 499 --summary "$WORK/early.json" -o "$WORK/early.folded" \
	-- "$TM_WORKLOADS/deep" 50 1 2 >/dev/null 2>"$WORK/early.err" &
RECORDER=$!
STARTED+=("$RECORDER")
until_true 20 has_opener || wrong 'no opener runs'
kill -KILL "$OPENER"
wait "$RECORDER"
STATUS=$?
say "  exit $STATUS; $(grep -m 1 'opener' "$WORK/early.err")"
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/early.err")"
grep -q 'tidemark-opener' "$WORK/early.err" || wrong 'nothing is said of the opener'
balance early
python '
read = summary(sys.argv[1])
print("  unnamed are %d of %d frames" % (read["unnamed_frames"], read["frames"]))
check(read["frames"] > 10000 and read["unnamed_frames"] <= 0.1 * read["frames"],
      "nobody has opened the files")
' "$WORK/early.json"

say "kill -9 of the starter:"
if start starter; then
	until_true 20 ran "$COMMAND_PID" 100
	for pid in $(programs "$RECORDER" | cut -d' ' -f1); do
		[[ $(<"/proc/$pid/comm") != tidemark-starte ]] || STARTER=$pid
	done
	[[ ${STARTER:-} ]] || wrong "no starter runs"
	kill -KILL "$STARTER"
	end_recording 30
	say "  exit $STATUS: $(grep -m 1 starter "$WORK/starter.err")"
	((STATUS == 1)) || wrong "exit code $STATUS"
	grep -q 'starter of this recording is gone' "$WORK/starter.err" ||
		wrong "the command does not say who died: $(head -c 300 "$WORK/starter.err")"
	after_death
	[[ -z $(ls -A "$OUT") ]] || wrong "half-written: $(ls -A "$OUT")"
fi

say "kill -9 of tidemark itself:"
if start itself; then
	until_true 20 ran "$COMMAND_PID" 100
	kill -KILL "$RECORDER"
	wait "$RECORDER" 2>/dev/null
	after_death
	[[ -z $(ls -A "$OUT") ]] || wrong "half-written: $(ls -A "$OUT")"
	[[ ! -e $WORK/itself.json ]] || wrong "a summary of a recording that never ended"
fi

say "the next recording is undisturbed:"
record_ok next -d 2 -o "$WORK/next.folded" && balance next zero-drops
finish
