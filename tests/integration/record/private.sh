#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# private - private and deleted programs have names and unwind rows, unless --public-files
. "$(dirname "$0")/../../lib/integration.bash"

mkdir -m 700 "$WORK/closed"
cp "$TM_WORKLOADS/hot" "$WORK/closed/closed"
cp "$TM_WORKLOADS/hot" "$WORK/deleted"
interpreter=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
home=$(python3 -c 'import sys; print(sys.base_prefix)')
cp "$interpreter" "$WORK/closed/private_python"
"$WORK/closed/closed" 1 120 &
closed=$!
"$WORK/deleted" 1 120 &
deleted=$!
PYTHONHOME=$home "$WORK/closed/private_python" -c '
while True:
    sorted(str(number) for number in range(20000))' &
python=$!
STARTED+=("$closed" "$deleted" "$python")
until_true 20 cmp -s "$WORK/deleted" "/proc/$deleted/exe" || wrong "the workload did not start"
until_true 20 cmp -s "$interpreter" "/proc/$python/exe" || wrong "the interpreter did not start"
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
check(good >= 0.9 * taken if named == "named" else good == 0,
      "%s: %d of %d samples are named" % (comm, good, taken))
' "$WORK/$1.folded" "$2" "$3"
}

# stacks NAME WHOLE - whether the interpreter's stacks are whole and have names
stacks() {
	python '
path, whole = sys.argv[1:]
mine = [(frames, count) for comm, frames, count in folded(path) if comm == "private_python"]
taken = sum(count for _, count in mine)
cut = sum(count for frames, count in mine if any(f.startswith("[truncated: ") for f in frames))
named = sum(count for frames, count in mine if any(f.startswith(("Py", "_Py")) for f in frames))
print("  private_python: %d samples, %d cut, %d with names" % (taken, cut, named))
check(taken >= 20, "only %d samples of private_python" % taken)
if whole == "whole":
    check(cut <= 0.2 * taken, "%d of %d are cut" % (cut, taken))
    check(named >= 0.8 * taken, "only %d of %d have names" % (named, taken))
else:
    check(cut >= 0.8 * taken, "only %d of %d are cut: nothing was withheld" % (cut, taken))
' "$WORK/$1.folded" "$2"
}

# not_opened NAME LEAST MOST - checks that the summary counts LEAST to MOST files as not opened for
# want of permission
not_opened() {
	python '
read = summary(sys.argv[1])["files_not_opened"]
print("  files not opened: %s" % {reason: n for reason, n in read.items() if n})
check(int(sys.argv[2]) <= read["no_permission"] <= int(sys.argv[3]),
      "%d files were not opened for want of permission" % read["no_permission"])
' "$WORK/$1.json" "$2" "$3"
}

processes=(-p "$closed" -p "$deleted" -p "$python")
say "with --public-files:"
if record_ok shut -F 199 -d 3 --no-cache --public-files "${processes[@]}" \
	-o "$WORK/shut.folded"; then
	balance shut
	leaves shut closed unnamed
	leaves shut deleted unnamed
	stacks shut cut
	not_opened shut 3 1000
	grep -q 'files not opened [0-9]* (.*no_permission [0-9]' "$WORK/shut.out" ||
		wrong "the line of completeness does not count what was not opened"
	grep -q 'sampled files were not opened: .*without --public-files' "$WORK/shut.out" ||
		wrong "the end does not say what would help"
fi
say "by default:"
if record_ok open -F 199 -d 6 --no-cache "${processes[@]}" -o "$WORK/open.folded" \
	-o "$WORK/open.html"; then
	balance open
	leaves open closed named
	leaves open deleted named
	stacks open whole
	not_opened open 0 0
fi
say "--private-files, which older scripts give, changes nothing:"
if record_ok old -F 199 -d 1 --private-files "${processes[@]}" -o "$WORK/old.folded"; then
	leaves old closed named
	not_opened old 0 0
fi
finish
