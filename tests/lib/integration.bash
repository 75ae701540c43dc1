# SPDX-License-Identifier: Apache-2.0
# integration - starts and ends recordings and checks their results; sourced by each integration
# test
#
# From meson: TM_TIDEMARK (the built command), TM_WORKLOADS (folder of the workload programs),
# TM_SOURCE and TM_BUILD. A test prints what it measured and one line for each thing that is wrong,
# and ends with `finish`. Exit status: 0 passed, 1 failed, 77 cannot run here. However it ends, the
# processes that it started are ended and the files that it made are removed.

set -u -o pipefail

TM_LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TM_SOURCE=${TM_SOURCE:-$(cd "$TM_LIB/../.." && pwd)}
TM_BUILD=${TM_BUILD:-$TM_SOURCE/build}
TM_TIDEMARK=${TM_TIDEMARK:-$TM_BUILD/cli/tidemark}
TM_WORKLOADS=${TM_WORKLOADS:-$TM_BUILD/tests/integration/programs}
export PYTHONPATH=$TM_LIB PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
WORK=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-test.XXXXXX")
chmod 755 "$WORK" # programs of other accounts read files in it
STARTED=()        # process ids that the test started and must end
WRONG=0

# stop PID... - ends processes that the test started, without the shell's messages
stop() {
	{
		kill -KILL "$@"
		wait "$@"
	} 2>/dev/null
}

clean_up() {
	((${#STARTED[@]})) && stop "${STARTED[@]}"
	if declare -F test_clean_up >/dev/null; then
		test_clean_up
	fi
	rm -rf "$WORK"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

say() { printf '%s\n' "$*"; }
wrong() {
	printf '  WRONG: %s\n' "$*"
	WRONG=$((WRONG + 1))
}
skip() {
	printf 'cannot run here: %s\n' "$*"
	exit 77
}
finish() {
	if ((WRONG)); then
		say "$WRONG wrong"
		exit 1
	fi
	exit 0
}

[[ $(id -u) == 0 ]] || skip "not root"

# use_build - the tree may lie in a folder that is closed to others, in root's home for instance.
# The workloads run as several accounts, so they are copied to where everybody may execute them.
use_build() {
	[[ -x $TM_TIDEMARK ]] || skip "no program $TM_TIDEMARK"
	[[ -x $TM_WORKLOADS/hot ]] || skip "no workload programs in $TM_WORKLOADS"
	mkdir "$WORK/workloads"
	find "$TM_WORKLOADS" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so' \) \
		-exec cp {} "$WORK/workloads" \;
	TM_WORKLOADS=$WORK/workloads
}
[[ ${TM_NEEDS_BUILD:-yes} == no ]] || use_build

# must COMMAND... - runs a command that must succeed, or ends the test
must() {
	"$@" && return
	wrong "failed: $*"
	finish
}

# record NAME ARGUMENT... - runs `tidemark record` with $WORK/NAME.json as its summary, its exit
# code in STATUS, its output in $WORK/NAME.out and $WORK/NAME.err
record() {
	local name=$1
	shift
	timeout -k 10 300 "$TM_TIDEMARK" record --summary "$WORK/$name.json" "$@" \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null
	STATUS=$?
}

# record_ok NAME ARGUMENT... - record, which must exit 0
record_ok() {
	record "$@"
	if ((STATUS != 0)); then
		wrong "record $1 exited with $STATUS: $(head -c 600 "$WORK/$1.err")"
		return 1
	fi
}

# balance NAME [zero-drops] - checks that taken = exported + dropped in $WORK/NAME.json
balance() {
	local name=$1
	shift
	if [[ ! -s $WORK/$name.json ]]; then
		wrong "no summary of $name"
		return 1
	fi
	grep -s 'finished, then ended' "$WORK/$name.err" && wrong "a program did not end well"
	python3 "$TM_LIB/recorded.py" balance "$WORK/$name.json" "$@" || WRONG=$((WRONG + 1))
}

# python TEXT ARGUMENT... - a check written in Python; `raise Wrong(...)` reports what is wrong
python() {
	local text=$1
	shift
	if ! python3 - "$@" <<<"from recorded import *
try:
$(sed 's/^/    /' <<<"$text")
except Wrong as found:
    print('  WRONG: %s' % found)
    sys.exit(1)"; then
		WRONG=$((WRONG + 1))
		return 1
	fi
}

# until_true SECONDS COMMAND... - polls until the command succeeds; it waits for
# a state that no descriptor announces (a process or a BPF object being gone)
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		read -r -t 0.02 <> <(:)
	done
	return 0
}

# memory_hierarchy - the hierarchy of cgroups by which memory is limited, and which are owners
memory_hierarchy() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { first = $2 }
		$3 == "cgroup2" && !second { second = $2 }
		END { print first ? first : second }' /proc/mounts
}

# attack_as_user_and_root - calls the test's `attack NAME COMMAND...` twice, for what runs behind
# COMMAND: as a user in this cgroup, and as root in a cgroup of its own, as containers are. That is
# of the hierarchy whose cgroups are owners; attackers_clean_up removes it.
ATTACKER_GROUP=
attack_as_user_and_root() {
	attack user setpriv --reuid=65534 --regid=65534 --clear-groups
	ATTACKER_GROUP=$(memory_hierarchy)/tidemark-test-attacker
	if mkdir "$ATTACKER_GROUP" 2>/dev/null; then
		# shellcheck disable=SC2016 # expanded by the inner shell
		attack root sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$ATTACKER_GROUP"
	else
		ATTACKER_GROUP=
		say "root: left out: no cgroup can be made here"
	fi
}

# A program that works a twentieth of the time beside an attacker, always in the same way: until it
# is stopped, or for SECONDS; it writes to FILE then how much CPU time it had.
VICTIM_TEXT='
import math, sys, time
open("/proc/self/comm", "w").write("victim")
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
before, end = time.process_time(), time.monotonic() + seconds
while time.monotonic() < end:
    worked = time.process_time() + 0.005
    while time.process_time() < worked:
        sum(range(100))
    time.sleep(0.095)
open(sys.argv[2], "w").write("%.9f" % (time.process_time() - before))'

# victim SECONDS FILE - runs one
victim() { python3 -c "$VICTIM_TEXT" "$@"; }

# start_victim - starts one, VICTIM, that is to be stopped
start_victim() {
	python3 -c "$VICTIM_TEXT" &
	VICTIM=$!
	STARTED+=($VICTIM)
}
attackers_clean_up() { [[ ! $ATTACKER_GROUP ]] || rmdir "$ATTACKER_GROUP"; }

gone() { [[ ! -e /proc/$1 ]] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null; }

# descendants PID - prints the ids of all processes below it, one per line
descendants() {
	local pid task
	for task in /proc/"$1"/task/*/children; do
		[[ -r $task ]] || continue
		for pid in $(<"$task"); do
			echo "$pid"
			descendants "$pid"
		done
	done
}

# programs PID - "PID NAME" of the tidemark programs below PID; the name is that of argv[0]
programs() {
	local pid name
	for pid in "$1" $(descendants "$1"); do
		name=
		IFS= read -r -d '' name 2>/dev/null <"/proc/$pid/cmdline"
		name=${name##*/}
		[[ $name == tidemark* ]] && echo "$pid $name"
	done
}

# program_pid PID NAME - prints the id of the first process below PID of that program
program_pid() {
	local pid name
	while read -r pid name; do
		if [[ $name == "$2" ]]; then
			echo "$pid"
			return
		fi
	done < <(programs "$1")
}

# bpf_objects PID... - prints "prog ID", "map ID" and "link ID" of what these processes hold
bpf_objects() {
	local pid
	for pid in "$@"; do
		cat "/proc/$pid/fdinfo/"* 2>/dev/null
	done | sed -n 's/^prog_id:\s*/prog /p; s/^map_id:\s*/map /p; s/^link_id:\s*/link /p' |
		sort -u
}

bpf_object_gone() { ! bpftool "$1" show id "$2" >/dev/null 2>&1; }

# locks PID... - prints the files under /run/tidemark that these processes hold open
locks() {
	local pid
	for pid in "$@"; do
		find "/proc/$pid/fd" -lname '/run/tidemark/*' -printf '%l\n' 2>/dev/null
	done | sort -u
}
lock_free() { [[ ! -e $1 ]] || flock -n "$1" true 2>/dev/null; }

# remember PID - notes in REMEMBERED_* what belongs to the running `tidemark` PID
remember() {
	mapfile -t REMEMBERED_PIDS < <(programs "$1" | cut -d' ' -f1)
	mapfile -t REMEMBERED_BPF < <(bpf_objects "${REMEMBERED_PIDS[@]}")
	mapfile -t REMEMBERED_LOCKS < <(locks "${REMEMBERED_PIDS[@]}")
}

# nothing_left - checks that each remembered process, BPF object and lock is gone
nothing_left() {
	local item
	for item in "${REMEMBERED_PIDS[@]}"; do
		until_true 10 gone "$item" ||
			wrong "process $item ($(cat "/proc/$item/comm" 2>/dev/null)) is left"
	done
	for item in "${REMEMBERED_BPF[@]}"; do
		# shellcheck disable=SC2086 # two words: kind and id
		until_true 10 bpf_object_gone $item || wrong "BPF $item is left"
	done
	for item in "${REMEMBERED_LOCKS[@]}"; do
		until_true 20 lock_free "$item" || wrong "lock $item is held"
	done
}

# start_recording NAME ARGUMENT... - starts `tidemark record ARGUMENTS...` in the background, with
# the files of `record`; RECORDER is its process id
start_recording() {
	local name=$1
	shift
	"$TM_TIDEMARK" record --summary "$WORK/$name.json" "$@" \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
	RECORDER=$!
	STARTED+=("$RECORDER")
}

# start_attached_recording NAME ARGUMENT... - the same with -v; returns once sampling is attached
start_attached_recording() {
	local name=$1
	shift
	start_recording "$name" -v "$@"
	until_true 30 grep -qs 'attached after' "$WORK/$name.err" ||
		wrong "sampling did not begin: $(head -c 600 "$WORK/$name.err")"
	remember "$RECORDER"
}

# start_through_fifos NAME SCRIPT FIFO FIFO OPTION... -- COMMAND... - starts a recording of the
# shell text SCRIPT, whose arguments are the paths of two new FIFOs in $WORK and COMMAND
start_through_fifos() {
	local name=$1 script=$2 fifos=("$WORK/$3" "$WORK/$4") options=()
	shift 4
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	rm -f "${fifos[@]}"
	mkfifo "${fifos[@]}"
	start_recording "$name" "${options[@]}" -- sh -c "$script" sh "${fifos[@]}" "$@"
}

# begin_held_recording NAME OPTION... -- COMMAND... - starts a recording of COMMAND, which is held
# before its first instruction. Sampling is attached on return; `release NAME` lets COMMAND run.
# RECORDER and COMMAND_PID are the process ids.
begin_held_recording() {
	local name=$1
	# shellcheck disable=SC2016 # expanded by the inner shell
	start_through_fifos "$name" 'echo $$ >"$1"; read -r go <"$2"; shift 2; exec "$@"' \
		"$name.held" "$name.go" "${@:2}"
	if ! COMMAND_PID=$(timeout 60 head -n 1 "$WORK/$name.held") || [[ ! $COMMAND_PID ]]; then
		wrong "COMMAND did not start within 60 s: $(head -c 600 "$WORK/$name.err")"
		return 1
	fi
	STARTED+=("$COMMAND_PID")
}

release() { echo go >"$WORK/$1.go"; }

# begin_recording NAME ARGUMENT... - starts `tidemark record ARGUMENTS... -- COMMAND` in the
# background and lets COMMAND run: it starts BESIDE (shell text) as its child and spins. With
# COUNT_HITS=yes hit_counter counts its timer hits, into $WORK/NAME.hits.
BESIDE=:
COUNT_HITS=
HIT_COUNTER=
begin_recording() {
	begin_held_recording "$@" -- sh -c 'eval "$2" & exec "$1" 1 600' sh "$TM_WORKLOADS/hot" \
		"$BESIDE" || return
	if [[ $COUNT_HITS ]]; then
		count_hits "$1" "$COMMAND_PID" || return
	fi
	remember "$RECORDER"
	release "$1"
}

# count_hits NAME [PROCESS] - starts hit_counter, which counts the hits of RECORDER's timers in
# all tasks that are not idle, or in PROCESS alone, into $WORK/NAME.hits (tests/lib/hits.py)
count_hits() {
	rm -f "$WORK/$1.hits" "$WORK/$1.hit_counter"
	"$TM_WORKLOADS/hit_counter" "$(program_pid "$RECORDER" tidemark-collector)" \
		"$WORK/$1.hits" ${2:+"$2"} \
		>"$WORK/$1.hit_counter" 2>&1 &
	HIT_COUNTER=$!
	STARTED+=("$HIT_COUNTER")
	until_true 20 test -s "$WORK/$1.hit_counter" &&
		[[ $(<"$WORK/$1.hit_counter") == ready ]] && return
	wrong "hit_counter: $(<"$WORK/$1.hit_counter")"
	return 1
}

# ran PID TICKS - whether it has used that many hundredths of a second of CPU time
ran() { (($(awk '{ print $14 + $15 }' "/proc/$1/stat") >= $2)); }

# end_recording SECONDS - waits for RECORDER and for hit_counter; the exit code of RECORDER is in
# STATUS
end_recording() {
	if ! until_true "$1" gone "$RECORDER"; then
		wrong "tidemark did not end within $1 s"
		kill -KILL "$RECORDER"
	fi
	wait "$RECORDER"
	STATUS=$?
	if [[ $HIT_COUNTER ]]; then
		wait "$HIT_COUNTER" || wrong "hit_counter failed"
		HIT_COUNTER=
	fi
}

# stop_recording NAME SECONDS - interrupts RECORDER, which must end by itself with exit code 0; its
# sums must balance
stop_recording() {
	kill -INT "$RECORDER"
	end_recording "$2"
	((STATUS == 0)) || wrong "record $1 exited with $STATUS: $(head -c 600 "$WORK/$1.err")"
	balance "$1"
}
