#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# idle - W3: without a single sample W still advances; then W4: how far it lags in ordinary work
#
# TM_QUIET: seconds without a sample, 5 by default
. "$(dirname "$0")/../../lib/integration.bash"

QUIET=${TM_QUIET:-5}
TIDE=$TM_BUILD/tests/integration/programs
[[ -x $TIDE/observe ]] || skip "no observer in $TIDE"

# watch NAME SECONDS ARGUMENT... - a recording of that length, observed; what was seen in $WORK/NAME.seen
watch() {
	local name=$1 length=$2 collector
	shift 2
	"$TM_TIDEMARK" record -v --summary "$WORK/$name.json" -o "$WORK/$name.folded" "$@" \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
	RECORDER=$!
	STARTED+=("$RECORDER")
	until_true 30 grep -qs 'attached after' "$WORK/$name.err" ||
		wrong "sampling did not begin: $(head -c 600 "$WORK/$name.err")"
	remember "$RECORDER"
	collector=$(program_pid "$RECORDER" tidemark-collector)
	"$TIDE/observe" "$collector" "$length" >"$WORK/$name.seen" || wrong "W fell, or never rose"
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
watch idle "$QUIET" -p "$SLEEPER"

say "two busy processes at 999 Hz, 3 s:"
"$TM_WORKLOADS/hot" 2 600 &
STARTED+=("$!")
watch busy 3 -F 999

python '
work, quiet = sys.argv[1], int(sys.argv[2])
poll = 0.1 # SESSION_POLL_MS
for name in ("idle", "busy"):
    read = summary(work + "/" + name + ".json")
    seen = re.search(r"rises (\d+) falls (\d+) tail (\d+) lag_ms p50 ([\d.]+) p99 ([\d.]+) max ([\d.]+)",
                     open(work + "/" + name + ".seen").read())
    rises, falls, tail = (int(part) for part in seen.groups()[:3])
    lag = read.get("watermark_lag_seconds") or {}
    check(falls == 0, "%s: W decreased %d times" % (name, falls))
    if name == "idle":
        check(read["taken"] == 0 and tail == 0, "there were samples: %d taken, tail %d" % (read["taken"], tail))
        print("FIGURE W3 W without a sample | %d s | %d rises, now - W at most %s ms | 200 ms" % (quiet, rises, seen[6]))
    else:
        print("FIGURE W4 lag of W | 999 Hz, %d samples, none dropped: %s | p99 %s ms, max %s ms; its own count p99 %s s | %d ms" %
              (read["exported"], sum(read["dropped"].values()) == 0, seen[5], seen[6], lag.get("p99"), poll * 1000 + 5))
' "$WORK" "$QUIET"
finish
