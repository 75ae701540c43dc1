#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# truth.sh - compares the unwind tables of this machine's programs and libraries with libdw
#
# usage: truth.sh TRUTH COST DISASSEMBLY DUMP   (the programs of this folder)
#
# Ordinarily compares a few files that every Debian has, and one that has only .debug_frame.
# TM_ORACLE names other files and folders: TM_ORACLE="/usr/bin /usr/sbin /usr/lib".
# TM_ORACLE_GO=FILE adds a Go program built with -ldflags=-compressdwarf=false: its linker describes
# it a second time, in .debug_frame.
# The bytes a row of all tables are printed and bounded (truth.c).
set -eu

truth=$1
cost=$2
disassembly=$3
dump=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "${TM_ORACLE_GO:-}" ]; then
	"$truth" --go "$TM_ORACLE_GO"
fi
if [ -n "${TM_ORACLE:-}" ]; then
	# shellcheck disable=SC2086 # a list
	"$truth" $TM_ORACLE
	# shellcheck disable=SC2086
	"$cost" $TM_ORACLE
	exit
fi

# A program with .debug_frame alone.
cat >"$work/debug.c" <<'C'
#include <stdio.h>
#include <stdlib.h>

static int deep(int n, char *at)
{
	char more[n + 1];

	more[n] = *at;
	return n ? deep(n - 1, more) : puts("") + *at;
}

int main(int argc, char **argv)
{
	return argc > 9 ? deep(argc, argv[1]) : abs(argc) - 1;
}
C
cc -O2 -g -gz=none -fno-asynchronous-unwind-tables -o "$work/debug" "$work/debug.c"
readelf -SW "$work/debug" | grep -q '\.debug_frame'

# The same program with a compressed .debug_frame must give the same table.
objcopy --compress-debug-sections=zlib "$work/debug" "$work/compressed"
readelf -tW "$work/compressed" | grep -A2 '\.debug_frame' | grep -q COMPRESSED
diff <("$dump" "$work/debug") <("$dump" "$work/compressed")

# Without section headers, the program headers alone lead to .eh_frame.
cp /bin/bash "$work/headless"
python3 - "$work/headless" <<'PY'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    file.seek(40)
    file.write(struct.pack("<Q", 0))
    file.seek(60)
    file.write(struct.pack("<HH", 0, 0))
PY
lost=$(diff <("$dump" /bin/bash) <("$dump" "$work/headless") | grep -c '^<' || true)
[ "$lost" -le 20 ] || { echo "FAILED: $lost rows are lost without section headers"; exit 1; }

files=("$work/debug")
libraries=/usr/lib/x86_64-linux-gnu
for file in $libraries/libc.so.6 $libraries/ld-linux-x86-64.so.2 $libraries/libm.so.6 \
	$libraries/libstdc++.so.6 $libraries/libcrypto.so.3 $libraries/libgcrypt.so.20 /bin/bash \
	/usr/bin/perl /usr/bin/python3; do
	[ ! -e "$file" ] || files+=("$file")
done
[ ${#files[@]} -gt 5 ] || { echo "FAILED: of the files to compare only ${files[*]} exist"; exit 1; }
"$truth" "${files[@]}"
"$cost" --each "${files[@]}"

# Code with CFI shows whether disassembly, which is for code without it, is right. The landing pads
# of libstdc++'s exceptions are reached by no control flow, so it is left out.
disassembled=()
for file in "${files[@]:1}"; do
	case $file in
	*libstdc++*) ;;
	*) disassembled+=("$file") ;;
	esac
done
"$disassembly" "${disassembled[@]}"
