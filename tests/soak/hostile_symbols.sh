#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_symbols - programs with millions of overlapping symbols, run in turn: no sample of anybody
# is dropped, the other programs keep their names, and the completeness line says what has none
#
# hostile_symbols.sh [PROGRAMS [SYMBOLS]]: of each; in full size 12 programs of 8,000,000
. "$(dirname "$0")/../lib/integration.bash"

PROGRAMS=${1:-2}
SYMBOLS=${2:-8000000}
EVERY=$((PROGRAMS > 4 ? 5 : 2))
HZ=499
EACH=3 # seconds

must cp "$TM_WORKLOADS/hot" "$WORK/steady"
for ((i = 1; i <= PROGRAMS; i++)); do
	# each of them another file
	must python3 "$TM_LIB/overlapping_symbols.py" "$TM_WORKLOADS/hot" "$WORK/hostile-$i" \
		"$SYMBOLS"
done
"$WORK/steady" 1 3600 &
STARTED+=($!)
start_attached_recording hostile -F $HZ --every $EVERY --no-cache -o "$WORK/hostile.folded"
say "$PROGRAMS programs of $SYMBOLS overlapping symbols, $EACH s each, a report every $EVERY s:"
for ((i = 1; i <= PROGRAMS; i++)); do
	"$WORK/hostile-$i" 1 $EACH
done
kill -INT "$RECORDER"
end_recording 120
((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 600 "$WORK/hostile.err")"
nothing_left
sed -n 's/; written.*//; /^report/p' "$WORK/hostile.out" | cut -c 1-240 | sed 's/^/  /'
python '
import glob
work, programs = sys.argv[1], int(sys.argv[2])
reads = [summary(path) for path in sorted(glob.glob(work + "/hostile.*.json"))]
for read in reads:
    balance(read, True)
samples, named, late = collections.Counter(), collections.Counter(), collections.Counter()
for number, path in enumerate(sorted(glob.glob(work + "/hostile.*.folded"))):
    for comm, frames, count in folded(path):
        samples[comm] += count
        if re.match(r"hot_|hostile_|bare_|work$|one_round$", user_leaf(frames) or ""):
            named[comm] += count
        elif comm == "steady" and number:
            late[user_leaf(frames)] += count
hostile = ["hostile-%d" % (number + 1) for number in range(programs)]
unread = sum(read["parse_failures"][key] for read in reads for key in read["parse_failures"])
printed = "".join(open("%s/hostile.%s" % (work, kind), encoding="utf-8").read()
                  for kind in ("out", "err"))
for comm in ["steady"] + hostile:
    print("  %s: %d samples, %d of them named" % (comm, samples[comm], named[comm]))
print("  %d reports, %d files not parsed" % (len(reads), unread))
for number, read in enumerate(reads, 1):
    print("  report %d: unnamed %s" % (number, {k: n for k, n in read["unnamed"].items() if n}))
check(not late, "frames of a program that is not hostile have no name: %s" % late.most_common(3))
check(named["steady"] > 0, "the program that is not hostile has no name at all")
check(all(samples[comm] for comm in hostile), "a hostile program has no samples: %s" % samples)
nameless = [comm for comm in hostile if named[comm] < 0.5 * samples[comm]]
check(unread > 0 or not nameless, "no reason is counted for %s" % nameless)
check(not nameless or re.search(r"unnamed frames [1-9]\d* of \d+ \([a-z]", printed),
      "the completeness line says nothing of unnamed frames: %s" % printed[-600:])
check(not unread or "files have unnamed functions" in printed, "no sentence says so")
taken = sum(read["taken"] for read in reads)
print("FIGURE overlapping symbols | %d programs | 0 of %d samples dropped, %d not parsed | 0" %
      (programs, taken, unread))
' "$WORK" "$PROGRAMS"
finish
