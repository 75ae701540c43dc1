#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# truth.sh - compiled rows beside libdw's, for programs and libraries of this machine
#
# usage: truth.sh TRUTH COST HEIGHTS DUMP   (programs of this folder)
# In the ordinary run a few files that every Debian has, and one that has .debug_frame alone; TM_ROWS says
# which files and folders instead, as in TM_ROWS="/usr/bin /usr/sbin /usr/lib". TM_ROWS_GO=FILE is a Go
# program built with -ldflags=-compressdwarf=false, whose linker describes it a second time.
set -eu

truth=$1
cost=$2
heights=$3
dump=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "${TM_ROWS_GO:-}" ]; then
	"$truth" --go "$TM_ROWS_GO"
fi
if [ -n "${TM_ROWS:-}" ]; then
	# shellcheck disable=SC2086 # a list
	"$truth" $TM_ROWS
	# shellcheck disable=SC2086
	"$cost" $TM_ROWS
	exit
fi

cat >"$work/debug.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
static int deep(int n, char *at) { char more[n + 1]; more[n] = *at; return n ? deep(n - 1, more) : puts("") + *at; }
int main(int argc, char **argv) { return argc > 9 ? deep(argc, argv[1]) : abs(argc) - 1; }
C
cc -O2 -g -gz=none -fno-asynchronous-unwind-tables -o "$work/debug" "$work/debug.c"
readelf -SW "$work/debug" | grep -q '\.debug_frame'

# The same, compressed.
objcopy --compress-debug-sections=zlib "$work/debug" "$work/compressed"
readelf -tW "$work/compressed" | grep -A2 '\.debug_frame' | grep -q COMPRESSED
diff <("$dump" "$work/debug") <("$dump" "$work/compressed")

# Without its section headers a file is described by its program headers alone.
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
[ "$lost" -le 20 ] || { echo "$lost rows are lost with the section headers"; exit 1; }

files=("$work/debug")
libraries=/usr/lib/x86_64-linux-gnu
for file in $libraries/libc.so.6 $libraries/ld-linux-x86-64.so.2 $libraries/libm.so.6 \
	$libraries/libstdc++.so.6 $libraries/libcrypto.so.3 $libraries/libgcrypt.so.20 /bin/bash \
	/usr/bin/perl /usr/bin/python3; do
	[ ! -e "$file" ] || files+=("$file")
done
[ ${#files[@]} -gt 5 ] || { echo "only ${files[*]} are here"; exit 1; }
"$truth" "${files[@]}"
"$cost" --each "${files[@]}"

# What describes itself shows whether the reader of what does not is right.
read=()
for file in "${files[@]:1}"; do
	case $file in *libstdc++*) ;; *) read+=("$file") ;; esac # its exceptions land where no flow goes
done
"$heights" "${read[@]}"
