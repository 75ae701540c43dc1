# SPDX-License-Identifier: Apache-2.0
# unwind - what the tests of whole stacks share; sourced after integration.bash
#
# The tests judge what the collector wrote into the shared ring; ring_recorder copies it to a file.
# root_frames.py says, from ELF files alone, which frames can be the outermost of a stack.
# $WORK/aliases has lines `PATH<TAB>FILE`: the sampled file PATH is deleted, or is not visible here,
# and FILE is a copy of it.

UNWIND_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHONPATH=$PYTHONPATH:$UNWIND_SOURCE:$UNWIND_SOURCE/../identity
[[ -x $TM_WORKLOADS/ring_recorder ]] || skip "no programs in $TM_WORKLOADS"
[[ -z ${TM_INNER:-} ]] ||
	skip "the ring is read through map_files, which needs privileges that a container lacks"
touch "$WORK/aliases"

ring_recorder_printed() { [[ -s $WORK/$1.ring_recorder ]]; }
has_collector() { [[ $(program_pid "$RECORDER" tidemark-collector) ]]; }

# start_ring_recorder NAME - starts ring_recorder, which writes the records of RECORDER's ring to
# $WORK/NAME.records
start_ring_recorder() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		"$TM_WORKLOADS/ring_recorder" "$(program_pid "$RECORDER" tidemark-collector)" \
			"$WORK/$1.records" \
			>"$WORK/$1.ring_recorder" 2>&1 &
		RING_RECORDER=$!
		until_true 20 ring_recorder_printed "$1"
		if [[ $(head -n 1 "$WORK/$1.ring_recorder") == ready ]]; then
			STARTED+=("$RING_RECORDER")
			return
		fi
		# The collector has no ring yet, or one whose header is not written yet.
		grep -qE 'No such file|cannot open the ring: Bad message' "$WORK/$1.ring_recorder" \
			|| break
		rm "$WORK/$1.ring_recorder"
	done
	wrong "ring_recorder does not start: $(cat "$WORK/$1.ring_recorder" 2>/dev/null)"
	return 1
}

# record_with_ring NAME OPTION... -- COMMAND... - records COMMAND from its first instruction to
# its end; all records go into $WORK/NAME.records, the exit code into STATUS
record_with_ring() {
	begin_held_recording "$1" -o "$WORK/$1.folded" "${@:2}" || return
	start_ring_recorder "$1" || return
	release "$1"
	record_with_ring_end "$1"
}

# record_with_ring_end NAME - waits for the end of the recording and checks its exit code, its ring
# recorder and the balance of its counters
record_with_ring_end() {
	end_recording 300
	((STATUS == 0)) || wrong "record $1 exited with $STATUS: $(head -c 600 "$WORK/$1.err")"
	wait "$RING_RECORDER" || wrong "ring_recorder: $(<"$WORK/$1.ring_recorder")"
	balance "$1"
	((STATUS == 0))
}
