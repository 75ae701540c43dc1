#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wakers - a sleep is shown with the stack of the thread, or the interrupt, that ended it
. "$(dirname "$0")/../../lib/integration.bash"

ANSWERS=500
record_ok wakers -F 99 --off-cpu --off-cpu-rate 100000 --wakers -o "$WORK/wakers.folded" \
	-o "$WORK/wakers.html" -o "$WORK/wakers.pb.gz" -o "$WORK/wakers.speedscope.json" -- \
	"$TM_WORKLOADS/waits" 2 $ANSWERS || exit 1
balance wakers

# Each answer is waited for in `ask`, whom `answer` wakes; each sleep is ended by the timer.
python '
work, answers = sys.argv[1], int(sys.argv[2])
woken = collections.Counter()
for comm, stack, ns in folded(os.path.join(work, "wakers.folded")):
    if comm != "waits" or not any(frame.startswith("[woken ") for frame in stack):
        continue
    at = [frame.startswith("[woken ") for frame in stack].index(True)
    slept, waker = stack[:at], stack[at:]
    check(slept[-1] == "[interruptible]", "the state does not stand before the waker: %s" % stack)
    if "ask" in slept:
        good = waker[0] == "[woken by waits]" and "answer" in waker and "write_byte" in waker
        woken["ask" if good else "ask otherwise"] += ns
    elif "sleep_for" in slept:
        timer = waker[0] == "[woken in interrupt]" and any("hrtimer" in f for f in waker)
        user = [frame for frame in waker[1:] if not frame.endswith("_[k]")]
        woken["sleep" if timer and not user else "sleep otherwise"] += ns
read = summary(os.path.join(work, "wakers.json"))["off_cpu"]
print("  %s; wakers %d, lost %d" % (dict(woken), read["wakers"], read["wakers_lost"]))
check(woken["ask"] >= 0.95 * answers * 2000000, "too little time has its waker: %s" % woken)
check(woken["sleep"] >= 0.95 * (answers * 2000000 + 1000000000), "of the sleeps: %s" % woken)
check(woken["ask otherwise"] + woken["sleep otherwise"] <= 0.02 * sum(woken.values()),
      "others have woken: %s" % woken)
check(read["wakers"] >= 2 * answers, "only %d wakers" % read["wakers"])
check(read["wakers_lost"] == 0, "%d wakers were lost" % read["wakers_lost"])
' "$WORK" $ANSWERS
for name in html speedscope.json; do
	grep -q 'woken by waits' "$WORK/wakers.$name" || wrong "wakers.$name has no waker"
done
gzip -dc "$WORK/wakers.pb.gz" | grep -aq 'woken in interrupt' || wrong "pprof has no waker"

say "without --off-cpu there are none:"
record none --wakers -o "$WORK/none.folded" -- true
((STATUS == 2)) || wrong "--wakers alone: exit code $STATUS"
grep -q -- '--wakers has no meaning without --off-cpu' "$WORK/none.err" ||
	wrong "the reason is not given: $(cat "$WORK/none.err")"
finish
