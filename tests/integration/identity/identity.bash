# SPDX-License-Identifier: Apache-2.0
# identity - what the proofs of process life share; sourced after integration.bash

PYTHONPATH=$PYTHONPATH:$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CGROUP=

# processes_of_this_run DEFAULT [MOST] - TM_PROCESSES, which the environment may give
processes_of_this_run() {
	TM_PROCESSES=${TM_PROCESSES:-$1}
	((TM_PROCESSES > ${2:-10000})) && TM_PROCESSES=${2:-10000}
}

# make_numbered_programs COUNT - $WORK/numbered/program-000001 ..., each with its own function name
make_numbered_programs() {
	must strip --strip-debug -o "$WORK/template" "$TM_WORKLOADS/short_lived"
	must python3 "$TM_LIB/numbered_programs.py" "$WORK/template" "$WORK/numbered" "$1"
}

# cgroup_make - two cgroups in a folder CGROUP of the unified hierarchy: deeper there than what
# the test itself may be in elsewhere, since of several hierarchies the deepest path is reported
cgroup_make() {
	local top
	top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[[ $top ]] || return
	CGROUP=$top/tidemark-test/a/folder/deep/down/here
	mkdir -p "$CGROUP"/tidemark-test-{a,b} 2>/dev/null
}

test_clean_up() {
	if [[ $CGROUP ]]; then
		rmdir "$CGROUP"/tidemark-test-{a,b}
		(cd "${CGROUP%/tidemark-test/*}" && rmdir -p "${CGROUP#"$PWD"/}")
	fi 2>/dev/null
	declare -F identity_clean_up >/dev/null && identity_clean_up
}

# record_with_reference NAME OPTION... -- COMMAND... - records COMMAND from its first instruction
# on, and beside it what the kernel reports: $WORK/NAME.records, .sideband and .hits are for
# reference.py
record_with_reference() {
	reference_recording_begin "$@" || return
	reference_recording_end "$1"
}

# reference_recording_begin NAME OPTION... -- COMMAND... - the same, up to COMMAND's first
# instruction
reference_recording_begin() {
	begin_held_recording "$@" || return
	"$TM_WORKLOADS/reference_recorder" "$(program_pid "$RECORDER" tidemark-collector)" \
		"$WORK/$1" \
		>"$WORK/$1.reference" 2>&1 &
	REFERENCE=$!
	STARTED+=("$REFERENCE")
	until_true 60 test -s "$WORK/$1.reference" &&
		[[ $(head -n 1 "$WORK/$1.reference") == ready ]] && return
	wrong "reference_recorder: $(<"$WORK/$1.reference")"
	return 1
}

# reference_recording_end NAME - lets COMMAND run, and waits for its end and the recording's
reference_recording_end() {
	release "$1"
	reference_recording_wait "$1"
}

reference_recording_wait() {
	end_recording $((300 + ${TM_PROCESSES:-0} / 10))
	((STATUS == 0)) || wrong "record $1 exited with $STATUS: $(head -c 600 "$WORK/$1.err")"
	wait "$REFERENCE" || wrong "reference_recorder: $(<"$WORK/$1.reference")"
	grep '^a CPU' "$WORK/$1.reference" | sed 's/^/  /'
	((STATUS == 0))
}

# hang_start NUMBER UID CPU_US - a program of that user that waits at $WORK/hungNUMBER.go, and then
# runs for so long; HUNG_PIDS has its pid. Whoever opens its path hangs: a FUSE file system covers
# it whose server never answers an open, and says so in $WORK/hungNUMBER.log; HUNG_SERVERS has the
# servers.
HUNG_PIDS=() HUNG_SERVERS=()
hang_start() {
	local folder=$WORK/hung$1
	must mkdir "$folder"
	must cp "$TM_WORKLOADS/delayed_start" "$folder/program"
	must mkfifo -m 666 "$folder.go"
	setpriv --reuid="$2" --regid="$2" --clear-groups "$folder/program" "$folder.go" "$3" &
	HUNG_PIDS+=($!)
	STARTED+=($!)
	until_true 20 is_in_open $! || wrong "program $1 does not wait"
	"$TM_WORKLOADS/fuse_server" "$folder" program "$folder/program" /bin/true hang \
		>>"$folder.log" &
	HUNG_SERVERS+=($!)
	until_true 20 is_covered "$folder" || wrong "no FUSE server on $folder: no FUSE here"
}
is_covered() { grep -q " $1 fuse" /proc/mounts; }
is_in_open() { [[ $(cut -d' ' -f1 "/proc/$1/syscall" 2>/dev/null) == 2 ]]; } # 2 is open()
# A process that waits for an answer of the FUSE server cannot end while that server runs.
hang_clean_up() {
	((${#HUNG_SERVERS[@]})) && stop "${HUNG_SERVERS[@]}"
	umount -l "$WORK"/hung[0-9]* 2>/dev/null
}
