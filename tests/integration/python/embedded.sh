#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# embedded - interpreters that a C program loads, sub-interpreters, forks without exec, and exec of
# another interpreter: each process, and each interpreter in it, has its own functions
. "$(dirname "$0")/../../lib/integration.bash"
LEFT_OUT='9 10 12' # truth.sh runs 3.10 and 3.12, too
. "$(dirname "$0")/python.bash"

[[ -x $TM_WORKLOADS/embedded ]] || skip "no program embedded"
HZ=${TM_HZ:-499}
export TM_TRUTH=$WORK/truth

# judge NAME STACKS NATIVE...
judge() {
	grep -q ' ended with status 0$' "$WORK/$1.out" || wrong "the program failed"
	balance "$1" zero-drops
	python3 "$PYTHON_SOURCE/burning_check.py" "$TM_TRUTH" "$WORK/$1.folded" "${@:2}" ||
		WRONG=$((WRONG + 1))
	rm -f "$TM_TRUTH"
}

# Each is recorded twice: the first run fills the cache of tables.
recorded() {
	local name=$1
	shift
	"$@" >/dev/null 2>&1 || wrong "failed: $*"
	rm -f "$TM_TRUTH"
	record_ok "$name" -F "$HZ" --cache "$WORK/cache" -o "$WORK/$name.folded" -- "$@"
}

loaded=0
SEEN=' '
for library in /usr/lib/*/libpython3.*.so.1.0 /root/.pyenv/versions/*/lib/libpython3.*.so.1.0; do
	[[ $library =~ /libpython3\.([0-9]+)\.so && -e $library ]] || continue
	((BASH_REMATCH[1] >= 8 && BASH_REMATCH[1] <= 14)) && is_run "${BASH_REMATCH[1]}" ||
		continue
	say "a program that loads $library"
	home=()
	[[ $library == /usr/* ]] || home=(PYTHONHOME="${library%/lib/*}")
	loaded=$((loaded + 1))
	recorded embedded env "${home[@]}" "$TM_WORKLOADS/embedded" "$library" &&
		judge embedded 3 embedded_main embedded_thread embedded_subinterpreter
done
((loaded)) || wrong "there is no library of CPython 3.8 to 3.15"

for ((i = 0; i < ${#INTERPRETERS[@]}; i++)); do
	interpreter=${INTERPRETERS[i]}
	other=${INTERPRETERS[(i + 1) % ${#INTERPRETERS[@]}]}
	say "$interpreter forks, runs a sub-interpreter, and is replaced by $other"
	recorded generations "$interpreter" "$PYTHON_SOURCE/generations_program.py" "$other" &&
		judge generations 5
done
finish
