# SPDX-License-Identifier: Apache-2.0
# python - what the tests of CPython's frames share; sourced after integration.bash

PYTHON_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHONPATH=$PYTHONPATH:$PYTHON_SOURCE

# is_run MINOR - whether the test runs this 3.MINOR: with TM_FULL any; without it one of each, but
# those of LEFT_OUT, which the test sets
SEEN=' '
is_run() {
	[[ ! ${TM_FULL:-} ]] || return 0
	[[ " ${LEFT_OUT:-} " != *" $1 "* && $SEEN != *" $1 "* ]] && SEEN+="$1 "
}

# The interpreters of this host that the tests run: those of TM_INTERPRETERS, or, as far as
# is_run, Debian's and those that pyenv has built.
INTERPRETERS=()
for interpreter in ${TM_INTERPRETERS:-/usr/bin/python3 /root/.pyenv/versions/*/bin/python3}; do
	"$interpreter" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 16) or
		sys.implementation.name != "cpython")' 2>/dev/null || continue
	minor=$("$interpreter" -c 'import sys; print(sys.version_info[1])')
	if [[ ${TM_INTERPRETERS:-} ]] || is_run "$minor"; then
		INTERPRETERS+=("$interpreter")
	fi
done
((${#INTERPRETERS[@]})) || wrong "there is no interpreter of CPython 3.8 to 3.15"

# version_of INTERPRETER - "3.12.1"
version_of() { "$1" -c 'import platform; print(platform.python_version())'; }

# has_symbols INTERPRETER - `yes` if the file with its evaluation loop has a symbol table
has_symbols() {
	local file
	file=$("$1" -c 'print([line.split()[-1] for line in open("/proc/self/maps")
		if "r-xp" in line and "python3" in line][0])')
	readelf -SW "$file" 2>/dev/null | grep -qw .symtab && echo yes || echo no
}
