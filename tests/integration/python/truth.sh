#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# truth - a program of known functions, lines and shares, in each interpreter of this host: its
# stacks are those that it says itself, and its shares those of its CPU time
#
# TM_RECURSION, TM_ALTERNATIONS: how deep two of its parts are. TM_SECONDS: CPU time of a part.
. "$(dirname "$0")/../../lib/integration.bash"
LEFT_OUT=9 # has the structures of 3.8
. "$(dirname "$0")/python.bash"

HZ=${TM_HZ:-499}
ARGUMENTS=("${TM_SECONDS:-0.4}" "${TM_RECURSION:-100}" "${TM_ALTERNATIONS:-50}")

for interpreter in "${INTERPRETERS[@]}"; do
	say "$interpreter, $(version_of "$interpreter")"
	record_ok truth -F "$HZ" --cache "$WORK/cache" -o "$WORK/truth.folded" -- \
		"$interpreter" "$PYTHON_SOURCE/truth_program.py" "$WORK/truth" "${ARGUMENTS[@]}" ||
		continue
	grep -q ' ended with status 0$' "$WORK/truth.out" || wrong "the program failed"
	balance truth zero-drops
	python3 "$PYTHON_SOURCE/truth_check.py" "$WORK/truth" "$WORK/truth.folded" \
		"$(version_of "$interpreter")" "$(has_symbols "$interpreter")" ||
		WRONG=$((WRONG + 1))
done
finish
