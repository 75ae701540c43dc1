#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# blocked - an output that blocks holds up reports alone: nothing is dropped, new files have tables
#
# The outputs lie on a file system that is frozen, so that writing waits in the kernel. TM_SECONDS:
# for how long, twice; once with the parser stopped as well.
. "$(dirname "$0")/../../lib/integration.bash"

SECONDS_BLOCKED=${TM_SECONDS:-6}
HZ=499
DISK=$WORK/disk

test_clean_up() {
	mountpoint -q "$DISK" || return
	fsfreeze -u "$DISK" 2>/dev/null
	umount -l "$DISK"
}

reports() { grep -c '^report ' "$WORK/blocked.out"; }
more_reports_than() { (($(reports) > $1)); }
await_report_after() {
	until_true 60 more_reports_than "$1" && return
	wrong "no report after $1: $(head -c 600 "$WORK/blocked.err")"
	finish
}

# thread_waits PID - whether a thread of the process waits in the kernel and cannot be interrupted
thread_waits() { grep -qs '^State:.D' /proc/"$1"/task/*/status; }

# run_blocked NAME - freezes the disk and, once a report is stuck, runs the program NAME
run_blocked() {
	cp "$TM_WORKLOADS/hot" "$WORK/$1"
	must fsfreeze -f "$DISK"
	until_true 30 thread_waits "$symbolizer" || wrong "no report waits for the disk"
	"$WORK/$1" 1 "$SECONDS_BLOCKED"
	thread_waits "$symbolizer" || wrong "the report did not wait for the disk to the end"
}

truncate -s 64M "$WORK/image"
mkdir "$DISK"
must mkfs.ext4 -q "$WORK/image"
must mount -o loop "$WORK/image" "$DISK"
cp "$TM_WORKLOADS/hot" "$WORK/steady"
"$WORK/steady" 1 600 &
STARTED+=($!)

start_recording blocked -F $HZ --every 1 --no-cache -o "$DISK/x.folded"
await_report_after 0
remember "$RECORDER"
symbolizer=$(program_pid "$RECORDER" tidemark-symbolizer)
parser=$(program_pid "$RECORDER" tidemark-parser)

say "a program runs for $SECONDS_BLOCKED s while the output is blocked:"
run_blocked during
fsfreeze -u "$DISK"
await_report_after "$(reports)"

say "the same with the parser stopped:"
kill -STOP "$parser"
run_blocked without
kill -CONT "$parser"
fsfreeze -u "$DISK"
await_report_after "$(($(reports) + 1))"

kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/blocked.err")"
nothing_left
sed -n 's/; written.*//; /^report/p' "$WORK/blocked.out" | sed 's/^/  /'
python '
import glob
pattern, seconds, hz = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
taken, cut = {}, {}
for path in glob.glob(sys.argv[4] + "/blocked.*.json"):
    balance(summary(path), True)
for path in glob.glob(pattern):
    for comm, frames, count in folded(path):
        taken[comm] = taken.get(comm, 0) + count
        if "[truncated: no_table]" in frames:
            cut[comm] = cut.get(comm, 0) + count
for comm in ("during", "without"):
    print("  %s: %d samples, %d without a table" % (comm, taken.get(comm, 0), cut.get(comm, 0)))
    check(taken.get(comm, 0) >= 0.1 * seconds * hz, "only %d of %s" % (taken.get(comm, 0), comm))
check(cut.get("during", 0) <= 2 * hz, "tables came later than after 2 s")
' "$DISK/x*.folded" "$SECONDS_BLOCKED" $HZ "$WORK"
python '
spans = [float(line.split(": ")[1].split(" s")[0]) for line in open(sys.argv[1])
         if line.startswith("report ")]
check(max(spans) >= int(sys.argv[2]), "no report says a span of %s s: %s" % (sys.argv[2], spans))
' "$WORK/blocked.out" "$SECONDS_BLOCKED"
finish
