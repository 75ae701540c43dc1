#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# moved - of threads that go to another CPU in each of 100,000 waits no wait is lost or too long
#
# TM_WAITS: how many. The totals are to be right within 0.1 %.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/../unwind/unwind.bash"
. "$(dirname "$0")/waits.bash"

count=${TM_WAITS:-100000}
[[ $(nproc) != 1 ]] || skip "there is one CPU only"
begin_held_recording moved "${EVERY_WAIT[@]}" -o "$WORK/moved.folded" -o "$WORK/moved.html" -- \
	"$WAITS" "${SETTLE[@]}" moved "$count" 8000000 || finish
start_ring_recorder moved || finish
release moved
record_with_ring_end moved || finish
judge moved wait_to_be_moved
python '
from wait_truth import *
work, count = sys.argv[1], int(sys.argv[2])
truth = Truth(work + "/moved.out")
wait = truth.waits["wait_to_be_moved"]
moves = int(next(words[1] for words in truth.others if words[0] == "moves"))
off_cpu = summary(work + "/moved.json")["off_cpu"]
check(wait["count"] == count, "%d waits" % wait["count"])
check(moves >= 0.95 * count, "only %d of %d waits end on another CPU" % (moves, count))
check(off_cpu["untracked"] <= count / 10000, "%d times of threads that are not tracked" %
      off_cpu["untracked"])
found = found_by_function(work + "/moved.folded")["wait_to_be_moved"]
total, dropped = sum(found.values()), sum(off_cpu["dropped_ns"].values())
stolen = truth.stolen["wait_to_be_moved"]
print("  %d moves; %d ns without a CPU, %d ns in calls, found %d ns; dropped %d ns" %
      (moves, wait["off_cpu"], wait["calls"], total, dropped))
slack = wait["off_cpu"] / 1000
check(wait["off_cpu"] - slack - stolen - dropped <= total <= wait["calls"] + slack,
      "found %d ns, not %d to %d" % (total, wait["off_cpu"], wait["calls"]))
' "$WORK" "$count"
python '
work, seconds = sys.argv[1], summary(sys.argv[1] + "/moved.json")["seconds"]
waits = collections.defaultdict(list)
with open(work + "/moved.records", encoding="utf-8") as file:
    for line in file:
        if line.startswith("O "):
            words = line.split()
            since, duration, value = map(int, words[13:16])
            check(duration <= value, "%d ns stand for %d" % (duration, value))
            waits[words[5]].append((since, since + duration, words[12]))
times = sum(map(len, waits.values()))
longest = max(end - since for spans in waits.values() for since, end, _ in spans)
print("  %d times of %d threads, the longest of %.3f s in %.3f s" %
      (times, len(waits), longest / 1e9, seconds))
check(longest <= 1e9 * seconds, "a wait is longer than the recording")
for tid, spans in waits.items():
    spans.sort()
    for (_, end, before), (since, _, after) in zip(spans, spans[1:]):
        check(since >= end, "thread %s is %s until %d and %s from %d on" %
              (tid, before, end, after, since))
' "$WORK"
finish
