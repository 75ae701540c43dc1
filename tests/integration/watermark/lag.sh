#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lag - W3: W advances without a single sample; W4: how far W lags behind the clock under load
#
# TM_QUIET: seconds without a sample, 5 by default. TM_THREADS: how many threads sleep meanwhile in
# the last case, 5,000 by default. The bounds are for a lost order of magnitude on a noisy machine:
# four times the goals.
. "$(dirname "$0")/../../lib/integration.bash"

QUIET=${TM_QUIET:-5}
THREADS=${TM_THREADS:-5000}
[[ -x $TM_WORKLOADS/watermark_observer ]] || skip "no program watermark_observer"

# observe NAME SECONDS ARGUMENT... - observes W of a recording for that long, into $WORK/NAME.seen
observe() {
	local name=$1 length=$2 collector
	shift 2
	start_attached_recording "$name" -o "$WORK/$name.folded" "$@"
	collector=$(program_pid "$RECORDER" tidemark-collector)
	"$TM_WORKLOADS/watermark_observer" "$collector" "$length" >"$WORK/$name.seen" ||
		wrong "W fell, or never rose"
	kill -INT "$RECORDER"
	end_recording 60
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/$name.err")"
	nothing_left
	balance "$name"
	sed 's/^/  /' "$WORK/$name.seen"
}

say "a process that sleeps, $QUIET s:"
sleep 1000 &
SLEEPER=$!
STARTED+=("$SLEEPER")
until_true 10 grep -q '^State:.*S' "/proc/$SLEEPER/status"
observe idle "$QUIET" -p "$SLEEPER"

say "two busy processes at 999 Hz, 6 s:"
"$TM_WORKLOADS/hot" 2 600 &
STARTED+=("$!")
observe busy 6 -F 999

say "the same, and $THREADS threads that sleep:"
"$TM_WORKLOADS/idle_threads" "$THREADS" >"$WORK/idle_threads" &
STARTED+=("$!")
until_true 60 grep -qs threads "$WORK/idle_threads" || wrong "there are no $THREADS threads"
observe threads 6 -F 999

python '
work, quiet = sys.argv[1], int(sys.argv[2])
with open(sys.argv[3], encoding="ascii") as file:
    POLL_MS = int(re.search(r"#define SESSION_POLL_MS +(\d+)", file.read())[1])
TIMES = 4 # of the goal
W3_MS, W4_MS = 2 * POLL_MS, POLL_MS + 5
for name in ("idle", "busy", "threads"):
    read = summary(work + "/" + name + ".json")
    seen = re.search(r"rises (\d+) falls (\d+) tail (\d+) "
                     r"lag_ms p50 ([\d.]+) p99 ([\d.]+) max ([\d.]+)",
                     open(work + "/" + name + ".seen").read())
    check(seen, "watermark_observer printed no result")
    rises, falls, tail = (int(part) for part in seen.groups()[:3])
    p99, most = float(seen[5]), float(seen[6])
    check(falls == 0, "%s: W decreased %d times" % (name, falls))
    if name == "idle":
        print("FIGURE W3 W without a sample | %d s | %d rises, now - W at most %g ms | goal %d ms, "
              "bound %d ms" %
              (quiet, rises, most, W3_MS, TIMES * W3_MS))
        check(read["taken"] == 0 and tail == 0,
              "there were samples: %d taken, tail %d" % (read["taken"], tail))
        check(rises * TIMES * POLL_MS >= quiet * 1000,
              "W rose only %d times in %d s" % (rises, quiet))
        check(most <= TIMES * W3_MS,
              "W lagged by %g ms without samples, more than %d" % (most, TIMES * W3_MS))
    else:
        lag = read["watermark_lag_seconds"]["p99"] * 1000
        print("FIGURE W4 lag of W | %s, 999 Hz, %d samples, %d dropped | "
              "p99 %g ms, max %g ms; counted by the collector p99 %g ms | goal %d ms, bound %d ms" %
              (name, read["exported"], sum(read["dropped"].values()), p99, most, lag, W4_MS,
               TIMES * W4_MS))
        check(p99 <= TIMES * W4_MS,
              "p99 of the lag of W is %g ms, more than %d" % (p99, TIMES * W4_MS))
        check(lag <= TIMES * W4_MS,
              "the collector counted a p99 of %g ms, more than %d" % (lag, TIMES * W4_MS))
' "$WORK" "$QUIET" "$TM_SOURCE/collector/session.h"
finish
