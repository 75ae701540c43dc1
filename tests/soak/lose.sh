#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lose - a tenth of announcements and exits is lost on purpose: nothing stays stale, nothing nameless
#
# lose.sh [COUNT]: process lives meanwhile; in full 100,000
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

COUNT=${1:-6000}
LOSE=10 # per cent
HZ=999
STAY=20 # processes that live on

mkdir "$WORK/numbered"
must strip --strip-debug -o "$WORK/drowse" "$TM_SOAK/drowse"
must python3 "$TM_LIB/numbered_programs.py" "$WORK/drowse" "$WORK/numbered" $STAY
identity_clean_up() {
	local pids
	mapfile -t pids <"$WORK/pids" && stop "${pids[@]}"
} 2>/dev/null

begin lose sh -c 'for life in "$1"/numbered/*; do
		"$life" 3600000 >"$1/drowsy" &
		echo $!
	done >"$1/pids"
	"$2" 4 "$3" 0 "$4" 16' sh "$WORK" "$TM_SOAK/storm" "$COUNT" "$TM_SOAK/mayfly" -- \
	-F $HZ --every 5 -o "$WORK/lose.html" || finish
kept set lose_announces $LOSE || wrong "the knob lose_announces cannot be turned"
say "$COUNT lives and $STAY that stay, $LOSE of 100 announcements and exits lost:"
echo go >&"$ASK"
heard "done" 7200 || wrong "the lives did not come to an end"
say "  $HEARD lives a second; $(kept stale | tr '\n' ' ')"
none_stale() { (($(kept_one stale stale) == 0)); }
from=$SECONDS
until_true 120 none_stale || wrong "$(kept_one stale stale) entries of dead processes are left"
healed=$((SECONDS - from))
say "  no entry of a dead process $healed s after the last death"
end lose INT
each_balances lose

python '
import glob
from process_page import *
work, count, stay, healed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
paths = sorted(glob.glob(work + "/lose.*.html"))
known = re.compile(r"own_function_\d{6}|bare_\w+|_start|\[truncated: \w+\]")
for number, path in enumerate(paths):
    if number < 2 or number == len(paths) - 2: # the last two together: the very last may be short
        seen, nameless, fileless, total = set(), [], [], 0
    for hit in ProcessPage(path).hits:
        if not re.fullmatch(r"program-\d{6}", hit.comm) or truncation(hit.frames) in ("exec", "exiting"):
            continue
        total += hit.count
        seen.add(hit.comm)
        if hit.generation.exe != work + "/numbered/" + hit.comm:
            nameless.append(hit)
        fileless += [hit for f in strip_kernel(hit.frames) if not known.fullmatch(f)]
    if number in (0, len(paths) - 1):
        print("  %s: %d samples of %d that stay; without their path %d, with a frame that has no name %d" %
              (os.path.basename(path), total, len(seen), len(nameless), len(fileless)))
lost = sum(summary(path.replace(".html", ".json"))["announce_lost"] for path in paths)
check(len(paths) > 3, "only %d reports" % len(paths))
check(len(seen) == stay, "only %d of %d that stay are in the last report" % (len(seen), stay))
check(not nameless, "in the last report still without a path: %s" % nameless[:2])
check(not fileless, "in the last report still without a name: %s" % fileless[:2])
check(lost > 0.005 * count, "only %d announcements were lost" % lost)
print("FIGURE E4 announcements lost on purpose | %d lives | %d lost; none stale after %s s, none nameless at the end | 30 s" %
      (count, lost, healed))
' "$WORK" "$COUNT" $STAY $healed
finish
