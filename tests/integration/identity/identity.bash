# SPDX-License-Identifier: Apache-2.0
# identity - what the proofs of process life share; sourced after integration.bash

TM_LIFE=${TM_LIFE:-$TM_BUILD/tests/integration/programs}
PYTHONPATH=$PYTHONPATH:$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CGROUP=

# lives_of_this_run DEFAULT [MOST] - TM_LIVES, which the environment may give
lives_of_this_run() {
	TM_LIVES=${TM_LIVES:-$1}
	((TM_LIVES > ${2:-10000})) && TM_LIVES=${2:-10000}
}

# must COMMAND... - what a test cannot go on without
must() {
	"$@" && return
	wrong "failed: $*"
	finish
}

# clone_lives COUNT - $WORK/lives/life-000001 ..., each with its own function name
clone_lives() {
	must strip --strip-debug -o "$WORK/life" "$TM_WORKLOADS/short_lived"
	must python3 "$TM_LIB/clones.py" "$WORK/life" "$WORK/lives" "$1"
}

# cgroup_make - two cgroups in a folder CGROUP of the unified hierarchy: deeper there than what the test
# itself may be in elsewhere, since of several hierarchies the deepest path is told
cgroup_make() {
	local top
	top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[[ $top ]] || return
	CGROUP=$top/tidemark-life/a/folder/deep/down/here
	mkdir -p "$CGROUP"/tidemark-life-{a,b} 2>/dev/null
}

test_clean_up() {
	if [[ $CGROUP ]]; then
		rmdir "$CGROUP"/tidemark-life-{a,b}
		(cd "${CGROUP%/tidemark-life/*}" && rmdir -p "${CGROUP#"$PWD"/}")
	fi 2>/dev/null
	declare -F life_clean_up >/dev/null && life_clean_up
}

# witnessed NAME OPTION... -- COMMAND... - record_ok of COMMAND with `witness` looking on from before its
# first instruction; $WORK/NAME.records, .sideband, .runs are for witness.py
witnessed() {
	witnessed_begin "$@" || return
	witnessed_end "$1"
}

# witnessed_begin NAME OPTION... -- COMMAND... - all of it up to COMMAND's first instruction
witnessed_begin() {
	local name=$1 options=()
	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	mkfifo "$WORK/$name.begun" "$WORK/$name.go"
	"$TM_TIDEMARK" record --summary "$WORK/$name.json" "${options[@]}" -- \
		sh -c 'echo >"$1"; read -r go <"$2"; shift 2; exec "$@"' sh \
		"$WORK/$name.begun" "$WORK/$name.go" "$@" \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
	RECORDER=$!
	STARTED+=("$RECORDER")
	if ! timeout 60 head -n 1 "$WORK/$name.begun" >/dev/null; then
		wrong "COMMAND did not start: $(head -c 600 "$WORK/$name.err")"
		return 1
	fi
	"$TM_LIFE/witness" "$(program_pid "$RECORDER" tidemark-collector)" "$WORK/$name" \
		>"$WORK/$name.witness" 2>&1 &
	WITNESS=$!
	STARTED+=("$WITNESS")
	until_true 60 witness_says "$name" && [[ $(head -n 1 "$WORK/$name.witness") == ready ]] && return
	wrong "no witness: $(<"$WORK/$name.witness")"
	return 1
}
witness_says() { [[ -s $WORK/$1.witness ]]; }

# witnessed_end NAME - lets COMMAND go on, to its end and the recording's
witnessed_end() {
	echo go >"$WORK/$1.go"
	witnessed_wait "$1"
}

witnessed_wait() {
	end_recording $((300 + ${TM_LIVES:-0} / 10))
	((STATUS == 0)) || wrong "record $1 exited with $STATUS: $(head -c 600 "$WORK/$1.err")"
	wait "$WITNESS" || wrong "witness: $(<"$WORK/$1.witness")"
	grep '^a CPU' "$WORK/$1.witness" | sed 's/^/  /'
	((STATUS == 0))
}
