# SPDX-License-Identifier: Apache-2.0
# unwind - what the proofs of whole stacks share; sourced after integration.bash
#
# What is judged is what the collector wrote into the shared ring, which `bystander` writes down; root_frames.py
# says by ELF files alone which frames can be the outermost. $WORK/aliases: lines `PATH<TAB>FILE` for what is
# deleted or lies elsewhere.

TM_STACKS=${TM_STACKS:-$TM_BUILD/tests/integration/programs}
STACKS_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHONPATH=$PYTHONPATH:$STACKS_SOURCE:$STACKS_SOURCE/../identity
[[ -x $TM_STACKS/bystander ]] || skip "no programs in $TM_STACKS"
[[ -z ${TM_INNER:-} ]] || skip "the ring is read through map_files, which takes rights that a container lacks"
mkdir "$WORK/stacks"
find "$TM_STACKS" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so' \) -exec cp {} "$WORK/stacks" \;
TM_STACKS=$WORK/stacks
touch "$WORK/aliases"

# must COMMAND... - what a test cannot go on without
must() {
	"$@" && return
	wrong "failed: $*"
	finish
}

bystander_says() { [[ -s $WORK/$1.bystander ]]; }
has_collector() { [[ $(program_pid "$RECORDER" tidemark-collector) ]]; }

# look_on NAME - has RECORDER's records written to $WORK/NAME.records
look_on() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		"$TM_STACKS/bystander" "$(program_pid "$RECORDER" tidemark-collector)" "$WORK/$1.records" \
			>"$WORK/$1.bystander" 2>&1 &
		BYSTANDER=$!
		until_true 20 bystander_says "$1"
		if [[ $(head -n 1 "$WORK/$1.bystander") == ready ]]; then
			STARTED+=("$BYSTANDER")
			return
		fi
		# It has no ring yet, or one that is not laid out yet.
		grep -qE 'No such file|no ring to read along: Bad message' "$WORK/$1.bystander" || break
		rm "$WORK/$1.bystander"
	done
	wrong "nobody looks on: $(cat "$WORK/$1.bystander" 2>/dev/null)"
	return 1
}

# watched NAME OPTION... -- COMMAND... - records COMMAND from its first instruction on to its end; all
# records into $WORK/NAME.records, the exit code into STATUS
watched() {
	local name=$1 options=()
	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	rm -f "$WORK/begun" "$WORK/go"
	mkfifo "$WORK/begun" "$WORK/go"
	"$TM_TIDEMARK" record --summary "$WORK/$name.json" -o "$WORK/$name.folded" "${options[@]}" -- \
		sh -c 'echo >"$1"; read -r go <"$2"; shift 2; exec "$@"' sh "$WORK/begun" "$WORK/go" "$@" \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
	RECORDER=$!
	STARTED+=("$RECORDER")
	if ! timeout 60 head -n 1 "$WORK/begun" >/dev/null; then
		wrong "COMMAND did not start: $(head -c 600 "$WORK/$name.err")"
		return 1
	fi
	look_on "$name" || return
	echo go >"$WORK/go"
	watched_end "$name"
}

watched_end() {
	end_recording 300
	((STATUS == 0)) || wrong "record $1 exited with $STATUS: $(head -c 600 "$WORK/$1.err")"
	wait "$BYSTANDER" || wrong "bystander: $(<"$WORK/$1.bystander")"
	balance "$1"
	((STATUS == 0))
}
