#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# attacks - who lies about his interpreter, or makes functions without end, changes no name and no
# stack of a program beside him
#
# TM_FUNCTIONS: how many are made.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/python.bash"

[[ -x $TM_WORKLOADS/lying_python ]] || skip "no program lying_python"
HZ=${TM_HZ:-499}
FUNCTIONS=${TM_FUNCTIONS:-100000}
INTERPRETER=/usr/bin/python3
LIES=(honest cyclic_frames cyclic_threads cyclic_states unmapped kernel_frames long_names
	invalid_widths wide_names long_lines changing many_functions)
cp "$TM_WORKLOADS/lying_python" "$WORK/python3.11"

# beside NAME SCRIPT ARGUMENT... - records the program of known truth beside what SCRIPT starts; it
# calls `honest`, and that program is judged as truth.sh does
beside() {
	local name=$1 script=$2 how
	shift 2
	# shellcheck disable=SC2016 # expanded by the inner shell
	how='interpreter=$1 source=$2 truth=$3; shift 3
honest() { "$interpreter" "$source/truth_program.py" "$truth" 0.3 50 10; }
'"$script"
	say "$name:"
	record_ok "$name" -F "$HZ" --cache "$WORK/cache" -o "$WORK/$name.folded" -- \
		bash -c "$how" bash "$INTERPRETER" "$PYTHON_SOURCE" "$WORK/$name.truth" "$@" ||
		return
	grep -q ' ended with status 0$' "$WORK/$name.out" || wrong "a program failed"
	balance "$name"
	python3 "$PYTHON_SOURCE/truth_check.py" "$WORK/$name.truth" "$WORK/$name.folded" \
		"$(version_of "$INTERPRETER")" "$(has_symbols "$INTERPRETER")" lie- \
		>"$WORK/$name.said" || WRONG=$((WRONG + 1))
	grep -E '^FIGURE|WRONG|cut' "$WORK/$name.said"
	python3 "$PYTHON_SOURCE/attacks_check.py" "$name" "$WORK/$name.folded" "$WORK/$name.json" ||
		WRONG=$((WRONG + 1))
}

# shellcheck disable=SC2016 # expanded by the inner shell
beside lies 'program=$1; shift
for lie; do
	setpriv --reuid=65534 --regid=65534 --clear-groups nice -n 10 "$program" "$lie" 600000 &
	pids+=($!)
done
honest; status=$?
kill "${pids[@]}"
exit $status' "$WORK/python3.11" "${LIES[@]}"
# shellcheck disable=SC2016
beside endless 'setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$interpreter" "$source/endless_program.py" "$1" & honest && wait $!' "$FUNCTIONS"
finish
