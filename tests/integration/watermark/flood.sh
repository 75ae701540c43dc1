#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# flood - W1, W2, W4: a flood on all CPUs, a stopped reader and a CPU that goes offline and back
#
# usage: flood.sh [RECORDS], 300,000 by default; from ten million on the reader is stopped for 5 s
# and a CPU goes offline and back every 20 s. Faults of another profiler that this would show:
#   "drain loop starves control work"        the collector stops on STOP while the flood runs
#   "batch flags ignored by kernel"          every CPU has its ring, also the one that came back
#   "counters not decremented"               marks are 0 again, the recording balances
#   "shared scratch clobbered by nesting"    a sample and a record written inside it both stay whole
# It also shows D6: samples of stacks thousands of frames deep are interrupted too.
. "$(dirname "$0")/../../lib/integration.bash"

RECORDS=${1:-300000}
if ((RECORDS >= 10000000)); then
	STOPPED=5 EVERY=20 RING_KIB=16384
else
	STOPPED=1 EVERY=2 RING_KIB=1024 # too small: records are dropped, and W holds
fi
[[ -x $TM_WORKLOADS/flood ]] || skip "no program flood"

# find_cpu - CPU: the file that takes the last online CPU offline; empty where none can be
find_cpu() {
	local file
	CPU=
	for file in $(printf '%s\n' /sys/devices/system/cpu/cpu*/online | sort -V); do
		[[ -w $file && $(<"$file") == 1 ]] && echo 1 2>/dev/null >"$file" && CPU=$file
	done
}
find_cpu
test_clean_up() { [[ -z $CPU ]] || echo 1 >"$CPU"; }

# begin NAME ARGUMENT... - records the host; returns once sampling is attached
begin() {
	start_attached_recording "$@"
	COLLECTOR=$(program_pid "$RECORDER" tidemark-collector)
	SYMBOLIZER=$(program_pid "$RECORDER" tidemark-symbolizer)
	[[ $COLLECTOR && $SYMBOLIZER ]] ||
		{ wrong "collector or symbolizer is not running"; finish; }
}

reached() { grep -qs '^reached' "$WORK/flood" || gone "$FLOOD"; }

cp "$TM_WORKLOADS/deep-cfi" "$WORK"
"$WORK/deep-cfi" 3000 0 100000 &
STARTED+=($!)
begin flood -F 999 --ring-kib $RING_KIB -o "$WORK/flood.folded"
"$TM_WORKLOADS/watermark_observer" "$COLLECTOR" >"$WORK/observed" 2>&1 &
OBSERVER=$!
"$TM_WORKLOADS/flood" "$COLLECTOR" "$RECORDS" >"$WORK/flood" 2>&1 &
FLOOD=$!
STARTED+=("$OBSERVER" "$FLOOD")

kill -STOP "$SYMBOLIZER"
sleep "$STOPPED" # the length of the pause is part of the test
kill -CONT "$SYMBOLIZER"
while [[ $CPU ]] && ! gone "$FLOOD"; do
	echo 0 >"$CPU" || wrong "cannot write 0 to $CPU"
	echo 1 >"$CPU" || wrong "cannot write 1 to $CPU"
	until_true "$EVERY" reached && break
done
until_true 3600 reached || wrong "the flood did not reach its size"
FROM=$EPOCHREALTIME
kill -INT "$RECORDER" # while the flood goes on
end_recording 60
say "  the recording ended after STOP, in the middle of the flood, within $(awk -v from="$FROM" \
	-v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }') s"
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/flood.err")"
wait "$FLOOD" || wrong "the flood failed: $(<"$WORK/flood")"
wait "$OBSERVER" || wrong "W fell, or never rose"
nothing_left
balance flood
sed 's/^/  /' "$WORK/flood" "$WORK/observed"
python '
read, work, records = summary(sys.argv[1] + "/flood.json"), sys.argv[1], int(sys.argv[2])
flood = re.search(r"written (\d+) nested (\d+) discarded (\d+) seconds ([\d.]+)",
                  open(work + "/flood").read())
seen = re.search(r"polls (\d+) rises (\d+) falls (\d+) .* p99 ([\d.]+) max ([\d.]+)",
                 open(work + "/observed").read())
check(flood and seen, "flood or watermark_observer printed no result")
written, nested, discarded, seconds = (float(part) for part in flood.groups())
check(read["dropped"]["malformed"] == 0, "%d records were malformed" % read["dropped"]["malformed"])
check(read["dropped"]["no_ring"] == 0, "%d samples found no ring" % read["dropped"]["no_ring"])
check(written >= records, "only %d of %d records were written" % (written, records))
check(nested > 0, "no record was begun inside another")
found, deep = collections.Counter(), collections.Counter()
stacks = {"flood": ["[truncated: compat]", "[anon]"],
          "flood-nested": ["[truncated: no_registers]", "[anon]"]}
for comm, frames, count in folded(work + "/flood.folded"):
    written_so = frames in stacks.values()
    if comm == "deep-cfi":
        deep[frames.count("recurse")] += count
        check(frames.count("recurse") <= 3000 and (truncation(frames) or frames[0] == "_start"),
              "a deep stack is not whole: %s .. %s" % (frames[:3], frames[-3:]))
    if comm == "flood-nested" or written_so:
        check(stacks.get(comm) == frames,
              "a record is not as it was written: %s %s" % (comm, frames))
        found[comm] += count
check(0 < found["flood"] + found["flood-nested"] <= written,
      "%s arrived of %d written" % (dict(found), written))
check(found["flood"] + found["flood-nested"] + sum(read["dropped"].values()) >= written + discarded,
      "%s arrived of %d written, dropped %s" % (dict(found), written, read["dropped"]))
print("  %d deep stacks beside it, %d of them 3000 calls deep" % (sum(deep.values()), deep[3000]))
check(deep[3000] > 0, "no deep stack is whole: %s" % deep.most_common(3))
late = read["late_records"]
print("FIGURE D6 malformed records in nested capture | %d records, %d nested, %d deep stacks | %d "
      "| 0" %
      (read["exported"], nested, sum(deep.values()), read["dropped"]["malformed"]))
print("  %d late of %d records, %.0f a second; %d nested arrived" %
      (late, read["exported"], written / seconds, found["flood-nested"]))
lag = read.get("watermark_lag_seconds") or {}
print("FIGURE W1 records older than a published W | %d records, %d dropped with a count | %d | 0" %
      (read["exported"], sum(read["dropped"].values()), late))
print("FIGURE W2 decreases of W | %s rises, %s looks | %s | 0" % (seen[2], seen[1], seen[3]))
print("FIGURE W4 lag of W in the flood | %.0f records a second | p99 %s ms, max %s ms; its own "
      "count p99 %s s | 105 ms at half load" %
      (written / seconds, seen[4], seen[5], lag.get("p99")))
' "$WORK" "$RECORDS"
finish
