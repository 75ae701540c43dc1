#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hosts - emulated hosts with 1 to 255 possible CPUs, on each of Debian's kernels
#
# usage: TM_BUILD=... TM_SOURCE=... hosts.sh [CPUS...]
set -u
failed=0

[[ $# -gt 0 ]] || set -- 1 16 64 128 255
for series in 5.10 6.1 6.12; do
	for cpus in "$@"; do
		# it believes no emulator that CPUs may be added
		[[ $series == 6.12 && $cpus =~ ^(64|255)$ ]] && continue
		echo "Linux $series, $cpus possible CPUs:"
		python3 "$TM_SOURCE/tests/kernels/hosts.py" "$series" "$cpus" "$TM_BUILD" \
			"$TM_SOURCE" || failed=$((failed + 1))
	done
done
echo "$failed failed"
((failed == 0))
