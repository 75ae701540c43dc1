#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cleanup - looks for cleanup faults known from other profilers; each function is named after one
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

SMALLEST=4 # --ring-kib
PROCESSES=("$TM_SOAK/spawn_many" 4 800 0 "$TM_SOAK/exit_at_once" 1)

# remember_all - remembers also the inner maps, to which no descriptor refers
remember_all() {
	mapfile -t -O "${#REMEMBERED_BPF[@]}" REMEMBERED_BPF < <(bpf_state ids)
	((${#REMEMBERED_BPF[@]} > 10)) || wrong "only ${#REMEMBERED_BPF[@]} BPF objects are held"
}

maps_are_never_closed_on_stop() {
	begin stop -F 999 -o "$WORK/stop.folded" -- "${PROCESSES[@]}" || return
	remember_all
	say "  ${#REMEMBERED_BPF[@]} BPF objects; the recording is ended by ${1:-its command}"
	echo go >&"$TO_COMMAND"
	wait_for_word "done" 60 || wrong "the processes did not all exit"
	end stop "${1:-}"
	nothing_left
	stop_command
}

# An interrupted recording does not end its COMMAND.
stop_command() {
	local pid
	for pid in $(pgrep -f "^$TM_SOAK/spawn_many "); do
		stop "$pid"
	done
}

counters_are_not_decremented() {
	begin down -F 9999 -o "$WORK/down.folded" -- "${PROCESSES[@]}" || return
	echo go >&"$TO_COMMAND"
	wait_for_word "done" 60 || wrong "the processes did not all exit"
	say "  after 800 processes: $(bpf_state counts | tr '\n' ' ')"
	(($(bpf_state_of counts selected) == 1)) ||
		wrong "selected has $(bpf_state_of counts selected) entries for one process"
	(($(bpf_state get selected_count) == 1)) ||
		wrong "selected_count is $(bpf_state get selected_count)"
	(($(bpf_state get selected_full) == 0)) ||
		wrong "selected_full is $(bpf_state get selected_full)"
	end down
	balance down
}

exits_are_only_recorded_for_some() { # KIND
	local exited
	if [[ $1 == selection ]]; then
		begin some -F 9999 -o "$WORK/some.folded" -- "${PROCESSES[@]}" || return
		echo go >&"$TO_COMMAND"
		wait_for_word "done" 60 || wrong "the processes did not all exit"
	else
		begin_host some -F 9999 -o "$WORK/some.folded" || return
		printf 'go\nend\n' | "${PROCESSES[@]}" >/dev/null ||
			wrong "the processes did not all exit"
	fi
	exited=$(bpf_state_of stale exited)
	say "  $1: $exited of $(bpf_state_of stale processes) announced processes had their EXIT"
	((exited > 50)) || wrong "only $exited exits were seen"
	if [[ $1 == selection ]]; then end some; else end some INT; fi
	balance some
}

# begin_host NAME ARGUMENT... - starts a recording of the whole host
begin_host() {
	start_recording "$@"
	exec {TO_COMMAND}</dev/null {FROM_COMMAND}</dev/null
	until_true 60 takes_samples ||
		{ wrong "it takes no samples: $(head -c 300 "$WORK/$1.err")"; return 1; }
	remember "$RECORDER"
}
takes_samples() {
	COLLECTOR=$(program_pid "$RECORDER" tidemark-collector)
	[[ $COLLECTOR ]] && (($(bpf_state_of levels taken 2>/dev/null) > 0))
} 2>/dev/null

sizes_are_rounded_to_zero() {
	local hz
	for hz in 1 10000; do
		"$TM_WORKLOADS/hot" "$(nproc)" 600 &
		STARTED+=($!)
		begin_host size -F $hz --ring-kib $SMALLEST -o "$WORK/size.folded" && end size INT
		stop "${STARTED[-1]}"
		balance size
	done
}

has_reports() { (($(find "$WORK" -maxdepth 1 -name 'starve.*.folded' | wc -l) >= 3)); }
the_drain_loop_starves_other_work() {
	begin_host starve -F 10000 --every 1 -o "$WORK/starve.folded" || return
	"$TM_WORKLOADS/hot" "$(($(nproc) * 2))" 600 &
	STARTED+=($!)
	until_true 90 has_reports ||
		wrong "no reports are written while each CPU takes 10,000 samples a second"
	end starve INT
	stop "${STARTED[-1]}"
	each_balances starve
}

for fault in maps_are_never_closed_on_stop 'maps_are_never_closed_on_stop INT' \
	counters_are_not_decremented \
	'exits_are_only_recorded_for_some selection' 'exits_are_only_recorded_for_some host' \
	sizes_are_rounded_to_zero the_drain_loop_starves_other_work; do
	say "$fault:"
	$fault
done
((WRONG == 0)) && figure "faults of others in cleaning up" "7 of them" "none found"
finish
