#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lost_announcements - drops a tenth of the announcements and exits on purpose; repeated ones make
# up for all
#
# lost_announcements.sh [COUNT]: processes that start and exit meanwhile; in full size 100,000
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

COUNT=${1:-6000}
DROPPED=10 # per cent
HZ=999
STAY=20 # processes that stay

mkdir "$WORK/numbered"
must strip --strip-debug -o "$WORK/asleep" "$TM_SOAK/mostly_asleep"
must python3 "$TM_LIB/numbered_programs.py" "$WORK/asleep" "$WORK/numbered" $STAY
identity_clean_up() {
	local pids
	mapfile -t pids <"$WORK/pids" && stop "${pids[@]}"
} 2>/dev/null

begin lost -F $HZ --every 5 -o "$WORK/lost.html" -- sh -c 'for program in "$1"/numbered/*; do
		"$program" 3600000 >/dev/null &
		echo $!
	done >"$1/pids"
	"$2" 4 "$3" 0 "$4" 16' sh \
	"$WORK" "$TM_SOAK/spawn_many" "$COUNT" "$TM_SOAK/exit_at_once" || finish
bpf_state set lose_announces $DROPPED || wrong "lose_announces cannot be set"
say "$COUNT short processes and $STAY that stay, $DROPPED of 100 announcements and exits dropped:"
echo go >&"$TO_COMMAND"
wait_for_word "done" 7200 || wrong "the processes did not all exit"
say "  $ANSWER processes a second; $(bpf_state stale | tr '\n' ' ')"
none_stale() { (($(bpf_state_of stale stale) == 0)); }
from=$SECONDS
until_true 120 none_stale ||
	wrong "$(bpf_state_of stale stale) entries of exited processes are left"
healed=$((SECONDS - from))
say "  no entry of an exited process is left $healed s after the last exit"
end lost INT
each_balances lost

python '
import glob
from process_page import *
work, count, stay, healed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
paths = sorted(glob.glob(work + "/lost.*.html"))
known = re.compile(r"own_function_\d{6}|bare_\w+|_start|\[truncated: \w+\]")
for number, path in enumerate(paths):
    if number < 2 or number == len(paths) - 2: # the last two together: the very last may be short
        seen, nameless, fileless, total = set(), [], [], 0
    for hit in ProcessPage(path).hits:
        if not re.fullmatch(r"program-\d{6}", hit.comm):
            continue
        if truncation(hit.frames) in ("exec", "exiting"):
            continue
        total += hit.count
        seen.add(hit.comm)
        if hit.generation.exe != work + "/numbered/" + hit.comm:
            nameless.append(hit)
        fileless += [hit for f in strip_kernel(hit.frames) if not known.fullmatch(f)]
    if number in (0, len(paths) - 1):
        print("  %s: %d samples of %d that stay; without the path %d, with an unnamed frame %d" %
              (os.path.basename(path), total, len(seen), len(nameless), len(fileless)))
lost = sum(summary(path.replace(".html", ".json"))["announce_lost"] for path in paths)
check(len(paths) > 3, "only %d reports" % len(paths))
check(len(seen) == stay, "only %d of %d that stay are in the last report" % (len(seen), stay))
check(not nameless, "without a path in the last report: %s" % nameless[:2])
check(not fileless, "unnamed in the last report: %s" % fileless[:2])
check(lost > 0.005 * count, "only %d announcements were lost" % lost)
print("FIGURE E4 announcements dropped on purpose | %d processes | %d dropped; none stale after %s "
      "s, none unnamed at the end | 30 s" %
      (count, lost, healed))
' "$WORK" "$COUNT" $STAY $healed
finish
