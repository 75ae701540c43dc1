#!/usr/bin/env bash
# watermark.sh - spin proves the watermark's rule, and finds every rule that lacks a part
set -u
model=$(dirname "$(readlink -f "$0")")/watermark.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command -v spin >/dev/null || { echo "spin is not installed"; exit 77; }

# Two CPUs see all their states within one round and a clock of four; TM_ROUNDS=2 for a longer look.
two=(-DTWO_CPUS -DCLOCK_MAX=4 "-DROUNDS=${TM_ROUNDS:-1}")

# A longer look needs the states compressed; without that they take less time.
memory=(-DMEMLIM=3000)
[ "${TM_ROUNDS:-1}" = 1 ] || memory+=(-DCOLLAPSE)

# explore NAME FLAG...: leaves the number of errors in $errors and of states in $states
explore() {
	local name=$1
	shift
	spin "$@" -a "$model" >"$name.spin" 2>&1 || { cat "$name.spin"; exit 1; }
	cc -O2 -DSAFETY "${memory[@]}" -w -o pan pan.c || exit 1
	./pan -E -m100000 >"$name.out" 2>&1
	errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$name.out")
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$name.out")
	if grep -q 'search not completed\|max search depth' "$name.out" && [ "$errors" = 0 ]; then
		echo "$name: the search was cut short"
		cat "$name.out"
		exit 1
	fi
}

failed=0

# holds WHAT FLAG...
holds() {
	local what=$1
	shift
	explore whole "$@"
	echo "the rule as it is, $what: $errors errors in ${states:-no} states"
	[ "$errors" = 0 ] && [ "${states:-0}" -gt 100000 ] || failed=1
}

# found WHAT PART ASSERTION FLAG...: the assertion that must fail, a part of its text
found() {
	local what=$1 part=$2 assertion=$3
	shift 3
	explore "$part" "-D$part" "$@"
	if [ "$errors" = 1 ] && grep -q "assertion violated.*$assertion" "$part.out"; then
		echo "$part, $what: found after $states states"
	else
		echo "$part, $what: NOT found"
		failed=1
	fi
}

late=ktime
nameless='relying>='
holds 'one CPU with its store buffer'
for part in NO_MARK NO_BARRIER NO_ORDER NO_MAX NO_T_FIRST PAST_BUSY; do
	found 'a late record' $part $late
done
holds 'two CPUs and what a sample relies on' "${two[@]}"
found 'the announcement newer than the sample that needs it, behind a record being written' \
	WITNESS stopped "${two[@]}"
for part in NO_MARK NO_T_FIRST PAST_BUSY; do
	found 'a sample without what it relies on' $part "$nameless" "${two[@]}"
done
exit $failed
