#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# remapped_code - files that are mapped at one address in turn are each named as themselves
#
# The program replaces mappings some thousand times a second: by MAP_FIXED, by munmap and mmap, by
# mremap, and by dlopen and dlclose. An answer of the mapping cache that outlives its mapping names
# another file in most samples. Sizes: TM_REMAP_SECONDS, TM_REMAP_HZ.
. "$(dirname "$0")/../../lib/integration.bash"

SECONDS_LONG=${TM_REMAP_SECONDS:-10}
HZ=${TM_REMAP_HZ:-997}
LEAST=$((SECONDS_LONG * HZ / 200)) # samples of each way, a tenth of what one CPU would give it

record_ok remaps -F "$HZ" -o "$WORK/remaps.folded" -- "$TM_WORKLOADS/remaps" "$SECONDS_LONG" \
	"$TM_WORKLOADS"/variant_{a,b,c}.so || finish
say "  $(grep -h 'libraries loaded' "$WORK/remaps.out")"
balance remaps
python3 "$TM_LIB/remapped.py" "$WORK/remaps.folded" "$LEAST" || WRONG=$((WRONG + 1))
finish
