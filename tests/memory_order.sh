#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# memory_order.sh - weakens each labelled memory edge of the ring in turn; the thread sanitizer
# must turn red
#
# Each label stands in a comment right above its atomic line (/* W1 -> R1: ... */). In a copy, that
# one line's release or acquire becomes relaxed. The unweakened copy must be green.
set -u
cd "$(dirname "$0")/.." || exit 1

cc=${CC:-cc}
relaxed=memory_order_relaxed
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TSAN_OPTIONS='halt_on_error=1 exitcode=66'

mkdir -p "$dir/tests"
cp -r shared "$dir/"
cp -r tests/model tests/stress "$dir/tests/"

# build: compiles the copy; any warning is the copy's own affair
build()
{
	"$cc" -std=gnu17 -D_GNU_SOURCE -O2 -g -fsanitize=thread -I"$dir" -pthread -o "$dir/stress" \
		"$dir/tests/stress/stress_ring.c"
}

# weaken LABEL: makes the atomic line below the label relaxed. Fails unless exactly one line
# changed.
weaken()
{
	cp shared/ring.c shared/ring_reader.c "$dir/shared/"
	sed -i "/^[[:space:]]*\/\* $1 [<-]/,/;/ s/memory_order_\(release\|acquire\)/${relaxed}/" \
		"$dir/shared/ring.c" "$dir/shared/ring_reader.c"
	[ "$(diff -r shared "$dir/shared" | grep -c '^>')" = 1 ]
}

# Every label of the ring's own order list, so that a new edge cannot be left out here.
labels=$(cat shared/ring.c shared/ring_reader.c | grep -oE '/\* [WR][0-9]+ (->|<-)' |
	awk '{print $2}' | sort -u)
listed=$(sed -n '/^ \* Order/,/^ \* Trust/p' shared/ring.h | grep -oE '[WR][0-9]+' | sort -u)
passed=0
failed=0

verdict()
{
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok: $2"
	else
		failed=$((failed + 1))
		echo "FAILED: $2"
		tail -20 "$dir/log"
	fi
}

echo "labels in shared/ring.c and ring_reader.c: $labels" >"$dir/log"
[ -n "$labels" ] && [ "$labels" = "$listed" ]
verdict $? "every edge of ring.h's order list is labelled in ring.c or ring_reader.c, and no other"

build && "$dir/stress" >"$dir/log" 2>&1
verdict $? 'unweakened is green'

for label in $labels; do
	if ! weaken "$label"; then
		echo "no single atomic line under $label" >"$dir/log"
		verdict 1 "$label weakened"
		continue
	fi
	build || exit 1
	"$dir/stress" >"$dir/log" 2>&1
	[ $? = 66 ] && grep -q 'ThreadSanitizer: data race' "$dir/log"
	verdict $? "$label weakened is red"
done
echo "memory_order: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
