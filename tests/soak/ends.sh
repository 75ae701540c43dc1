#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ends - what others got wrong about cleaning up: each function is named after the fault it looks for
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

SMALLEST=4 # --ring-kib
STORM=("$TM_SOAK/storm" 4 800 0 "$TM_SOAK/mayfly" 1)

# remember_all - also the maps inside others, which no descriptor holds
remember_all() {
	mapfile -t -O "${#REMEMBERED_BPF[@]}" REMEMBERED_BPF < <(kept ids)
	((${#REMEMBERED_BPF[@]} > 10)) || wrong "only ${#REMEMBERED_BPF[@]} BPF objects are held"
}

maps_are_never_closed_on_stop() {
	begin stop "${STORM[@]}" -- -F 999 -o "$WORK/stop.folded" || return
	remember_all
	say "  ${#REMEMBERED_BPF[@]} BPF objects, ended by ${1:-its command}"
	echo go >&"$ASK"
	heard "done" 60 || wrong "the lives did not come to an end"
	end stop "${1:-}"
	nothing_left
	stop_command
}

# An interrupted recording leaves its COMMAND alone.
stop_command() {
	local pid
	for pid in $(pgrep -f "^$TM_SOAK/storm "); do
		stop "$pid"
	done
}

counters_are_not_decremented() {
	begin down "${STORM[@]}" -- -F 9999 -o "$WORK/down.folded" || return
	echo go >&"$ASK"
	heard "done" 60 || wrong "the lives did not come to an end"
	say "  after 800 lives: $(kept counts | tr '\n' ' '), selected_count $(kept get selected_count)"
	(($(kept_one counts selected) == 1)) || wrong "$(kept_one counts selected) marks are left, and one process is"
	(($(kept get selected_count) == 1)) || wrong "selected_count is $(kept get selected_count)"
	(($(kept get selected_full) == 0)) || wrong "selected_full is $(kept get selected_full)"
	end down
	balance down
}

exits_are_only_recorded_for_some() { # KIND
	local exited
	if [[ $1 == selection ]]; then
		begin some "${STORM[@]}" -- -F 9999 -o "$WORK/some.folded" || return
		echo go >&"$ASK"
		heard "done" 60 || wrong "the lives did not come to an end"
	else
		begin_whole some -F 9999 -o "$WORK/some.folded" || return
		printf 'go\nend\n' | "${STORM[@]}" >/dev/null || wrong "the lives did not come to an end"
	fi
	exited=$(kept_one stale exited)
	say "  $1: $exited of $(kept_one stale processes) remembered processes have had their EXIT"
	((exited > 50)) || wrong "only $exited exits were seen"
	if [[ $1 == selection ]]; then end some; else end some INT; fi
	balance some
}

# begin_whole NAME ARGUMENT... - a recording of the whole host
begin_whole() {
	local name=$1
	shift
	"$TM_TIDEMARK" record --summary "$WORK/$name.json" "$@" >"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
	RECORDER=$!
	STARTED+=("$RECORDER")
	exec {ASK}</dev/null {HEAR}</dev/null
	until_true 60 samples || { wrong "it takes no samples: $(head -c 300 "$WORK/$name.err")"; return 1; }
	remember "$RECORDER"
}
samples() {
	COLLECTOR=$(program_pid "$RECORDER" tidemark-collector)
	[[ $COLLECTOR ]] && (($(kept_one levels taken 2>/dev/null) > 0))
} 2>/dev/null

sizes_are_rounded_to_nothing() {
	local hz
	for hz in 1 10000; do
		"$TM_WORKLOADS/hot" "$(nproc)" 600 &
		STARTED+=($!)
		begin_whole size -F $hz --ring-kib $SMALLEST -o "$WORK/size.folded" && end size INT
		stop "${STARTED[-1]}"
		balance size
	done
}

reports() { (($(find "$WORK" -maxdepth 1 -name 'starve.*.folded' | wc -l) >= 3)); }
the_flood_starves_what_must_be_done() {
	begin_whole starve -F 10000 --every 1 -o "$WORK/starve.folded" || return
	"$TM_WORKLOADS/hot" "$(($(nproc) * 2))" 600 &
	STARTED+=($!)
	until_true 90 reports || wrong "there are no reports while 10,000 samples a second come in on each CPU"
	end starve INT
	stop "${STARTED[-1]}"
	each_balances starve
}

for fault in maps_are_never_closed_on_stop 'maps_are_never_closed_on_stop INT' counters_are_not_decremented \
	'exits_are_only_recorded_for_some selection' 'exits_are_only_recorded_for_some host' \
	sizes_are_rounded_to_nothing the_flood_starves_what_must_be_done; do
	say "$fault:"
	$fault
done
((WRONG == 0)) && figure "faults of others about ends and counters" "7 of them" "none found"
finish
