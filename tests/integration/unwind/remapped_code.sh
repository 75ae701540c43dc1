#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# remapped_code - files that are mapped at one address in turn are each named as themselves
#
# The program replaces mappings thousands of times a second: with MAP_FIXED, with munmap and mmap,
# with mremap, and with dlopen and dlclose. If the mapping cache kept an entry longer than its
# mapping, most samples would name another file. TM_REMAP_SECONDS: length of the recording (10).
# TM_REMAP_HZ: sampling rate (997).
. "$(dirname "$0")/../../lib/integration.bash"

SECONDS_LONG=${TM_REMAP_SECONDS:-10}
HZ=${TM_REMAP_HZ:-997}
# So many samples each way of replacing must have: a tenth of what one CPU would give it.
LEAST=$((SECONDS_LONG * HZ / 200))

record_ok remaps -F "$HZ" -o "$WORK/remaps.folded" -- "$TM_WORKLOADS/remaps" "$SECONDS_LONG" \
	"$TM_WORKLOADS"/variant_{a,b,c}.so || finish
say "  $(grep -h 'libraries loaded' "$WORK/remaps.out")"
balance remaps
python3 "$TM_LIB/remapped.py" "$WORK/remaps.folded" "$LEAST" || WRONG=$((WRONG + 1))
finish
