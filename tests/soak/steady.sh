#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# steady - the units under a mixed load for a long time: no memory grows, no descriptor is left, and
# each sample is accounted for
#
# steady.sh [--day] [SECONDS [SUITE]]: by default 3600. --day compresses 24 hours into them: short
# processes without a pause, and in each of the 24 parts collector and symbolizer are killed, by
# turns.
. "$(dirname "$0")/../lib/integration.bash"
. "$TM_LIB/booted.bash"
. "$TM_LIB/services.bash"
. "$(dirname "$0")/soak.bash"

PARTS=
PAUSE=0.5
if [[ ${1:-} == --day ]]; then
	PARTS=24 PAUSE=0
	shift
fi
TIME=${1:-3600}
SUITE=${2:-bookworm}
HZ=99
# until the caches have most of what the load samples again and again
WARM_UP=$((TIME / 2 < 900 ? TIME / 2 : 900))
LOG_EVERY=$((TIME / 20 > 10 ? TIME / 20 : 10)) # seconds between two lines about memory
export PYTHONPATH=$PYTHONPATH:$TM_SOURCE/tests/soak

say "a Debian ($SUITE) with tidemark installed, $HZ Hz for $TIME s:"
services_install "$SUITE"
services_receive
cat >"$ROOT/etc/tidemark/tidemark.conf" <<CONFIGURATION
TIDEMARK_RATE=$HZ
TIDEMARK_OTLP_ENDPOINT=unix:///var/receiver/receiver.sock
TIDEMARK_CPU_MAX_PPM=0
CONFIGURATION
services_boot
services_start
# The compiler and the interpreters are the host's; tidemark sees their processes as its own.
mkdir "$WORK/load"
nsenter --target "$BOOTED_INIT" --pid nice bash "$TM_SOURCE/tests/soak/mixed_load.sh" \
	"$WORK/load" "$PAUSE" >"$WORK/load.log" 2>&1 &
LOAD=$!
STARTED+=("$LOAD")
until_true 60 has_requests 2 || wrong "only $(requests) requests came"
python3 "$TM_SOURCE/tests/soak/watch_units.py" "$BOOTED_INIT" "$WORK/watched" 2>"$WORK/watch" &
STARTED+=("$!")

# has_passed SECONDS SINCE
has_passed() { ((SECONDS - $2 >= $1)); }
unit_memory() {
	tail -n 1 "$WORK/watched" | python3 -c 'import json, sys
try:
    units = json.load(sys.stdin)["units"]
except ValueError:
    sys.exit() # not written yet
print(", ".join("%s %.2f (%d)" % (name, about["pss"] / 2**20, about["descriptors"])
                for name, about in sorted(units.items())))'
}
from=$SECONDS
logged=$SECONDS
killed=0
say 'MiB, and descriptors:'
until has_passed "$TIME" "$from"; do
	until_true 20 has_passed 5 $SECONDS
	if has_passed "$LOG_EVERY" "$logged"; then
		logged=$SECONDS
		say "  $((SECONDS - from)) s: $(unit_memory)"
	fi
	if [[ $PARTS ]] && ((SECONDS - from >= TIME * (killed + 1) / PARTS)); then
		victim=collector
		((killed % 2)) && victim=symbolizer
		kill -KILL "$(host_pid "$(unit_pid $victim)")" || wrong "no $victim to kill"
		until_true 40 is_active $victim || wrong "tidemark-$victim did not come back"
		killed=$((killed + 1))
	fi
done
now=$(requests)
until_true 30 has_requests $((now + 2)) || wrong 'nothing comes any more'
inside tidemark status | sed 's/^/  | /'
inside systemctl stop tidemark-collector
until_true 20 is_active symbolizer || wrong 'the symbolizer is gone, too'
inside systemctl stop tidemark.target
stop "$LOAD" # it does not reap the shell that the end of the system kills
booted_stop

python '
import deliveries
folder, watched, warm_up, killed = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:5])
GROWTH_MOST = 1 << 20
DAY_MOST = 4 << 20 # from the first to the last part of a day, in the middle
kept, repeated = deliveries.without_repeated(folder, killed=killed)
deliveries.check_order(kept)
found = deliveries.reports(kept)
lines = [line for line in deliveries.watched(watched) if line["units"]]
print("  %d reports: taken %d = exported %d + dropped %d" % (
    len(found), *(sum(getattr(report, name) for report in found)
                  for name in ("taken", "exported", "dropped"))))
if killed:
    print("  %d requests came twice, of %d kills" % (repeated, killed))
else:
    deliveries.check_adjacent(found)
    print("  as %d times the status" % deliveries.check_status(found, lines))

def slope(points):
    """By least squares, a second."""
    count = len(points)
    x, y = (sum(axis) / count for axis in zip(*points))
    return (sum((px - x) * (py - y) for px, py in points) / sum((px - x) ** 2 for px, _ in points))
def middle(numbers): # not what a unit that was just started has
    return sorted(numbers)[len(numbers) // 2]
began = lines[0]["at"] + warm_up
late = [line for line in lines if line["at"] >= began]
check(len(late) > 60, "only %d lines behind the warm-up" % len(late))
length = late[-1]["at"] - late[0]["at"]
for name in sorted(late[-1]["units"]):
    some = [line for line in late if line["units"].get(name, {}).get("pids")]
    growth = slope([(line["at"], line["units"][name]["pss"]) for line in some]) * length
    open_of = [line["units"][name]["descriptors"] for line in some]
    fifth = len(some) // 5
    first, last = middle(open_of[:fifth]), middle(open_of[-fifth:])
    print("  tidemark-%s: %+.3f MiB in %.0f s (%+.3f an hour); descriptors %d to %d, "
          "in the middle %d at first and %d at last" % (
              name, growth / 2**20, length, growth / 2**20 * 3600 / length, min(open_of),
              max(open_of), first, last))
    print("FIGURE Pss of tidemark-%s | %.0f s | %+.3f MiB | descriptors %d, %d" % (
        name, length, growth / 2**20, first, last))
    check(last <= first, "tidemark-%s has ever more descriptors" % name)
    if not killed:
        check(growth <= GROWTH_MOST, "tidemark-%s grows" % name)
        continue
    needed = [middle([line["units"][name]["pss"] for line in part])
              for part in (some[:fifth], some[-fifth:])]
    print("    in the middle %.2f MiB at first and %.2f at last" % tuple(
        size / 2**20 for size in needed))
    check(needed[1] - needed[0] <= DAY_MOST, "tidemark-%s needs more than at first" % name)
memfd = slope([(line["at"], line["memfd"]) for line in late]) * length
print("  memfds: %+.3f MiB; at most %.1f MiB" % (memfd / 2**20, max(
    line["memfd"] for line in late) / 2**20))
' "$WORK/received" "$WORK/watched" "$WARM_UP" "$killed"
[[ ! -s $WORK/watch ]] || wrong "watch_units: $(tail -n 3 "$WORK/watch")"
finish
