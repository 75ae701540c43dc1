#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# private - programs in closed folders and deleted ones have names with --private-files, and only then
. "$(dirname "$0")/../../lib/integration.bash"

mkdir -m 700 "$WORK/closed"
cp "$TM_WORKLOADS/hot" "$WORK/closed/closed"
cp "$TM_WORKLOADS/hot" "$WORK/deleted"
"$WORK/closed/closed" 1 60 &
closed=$!
STARTED+=("$closed")
"$WORK/deleted" 1 60 &
deleted=$!
STARTED+=("$deleted")
until_true 20 cmp -s "$WORK/deleted" "/proc/$deleted/exe" || wrong "the workload did not start"
rm "$WORK/deleted"

# leaves NAME COMM NAMED - whether the leaves of COMM have their functions' names
leaves() {
	python '
path, comm, named = sys.argv[1:]
rows = [line.rsplit(" ", 1) for line in open(path) if line.startswith(comm + ";")]
taken = sum(int(count) for _, count in rows)
good = sum(int(count) for stack, count in rows if "hot_" in stack.split(";")[-1])
print("  %s: %d samples, %d of them named" % (comm, taken, good))
check(taken >= 20, "only %d samples of %s" % (taken, comm))
check(good >= 0.9 * taken if named == "named" else good == 0, "%s: %d of %d are named" % (comm, good, taken))
' "$WORK/$1.folded" "$2" "$3"
}

say "without the option:"
if record_ok shut -F 199 -d 2 -p "$closed" -p "$deleted" -o "$WORK/shut.folded"; then
	balance shut
	leaves shut closed unnamed
	leaves shut deleted unnamed
	grep -q -- '--private-files' "$WORK/shut.out" || wrong "the end does not say what would help"
fi
say "with it:"
if record_ok open -F 199 -d 2 --private-files -p "$closed" -p "$deleted" -o "$WORK/open.folded"; then
	balance open
	leaves open closed named
	leaves open deleted named
fi
finish
