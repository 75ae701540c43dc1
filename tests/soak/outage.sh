#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# outage - the receiver is away for a long time, while 10,000 samples are taken a second: memory
# stays within its limit, and all that the spool kept arrives in order and once
#
# outage.sh [SECONDS [SUITE]]: how long the receiver is away, by default 600.
. "$(dirname "$0")/../lib/integration.bash"
. "$TM_LIB/booted.bash"
. "$TM_LIB/services.bash"
. "$(dirname "$0")/soak.bash"

AWAY=${1:-600}
SUITE=${2:-bookworm}
CPUS=$(nproc)
HZ=$((10000 / CPUS))
MEMORY=$((512 << 20))
BEFORE=30 # seconds of the rate to compare with
RETRY=30  # the longest pause of the exporter (retry.h)
export PYTHONPATH=$PYTHONPATH:$TM_SOURCE/tests/soak

say "a Debian ($SUITE) with tidemark installed, $HZ samples a second and CPU:"
services_install "$SUITE"
for name in hot deep; do
	must cp "$TM_WORKLOADS/$name" "$ROOT/usr/bin/"
done
services_receive "$WORK/before"
cat >"$ROOT/etc/tidemark/tidemark.conf" <<CONFIGURATION
TIDEMARK_RATE=$HZ
TIDEMARK_OTLP_ENDPOINT=unix:///var/receiver/receiver.sock
TIDEMARK_CPU_MAX_PPM=0
TIDEMARK_MEMORY_BYTES=$MEMORY
CONFIGURATION
services_boot
services_start
for ((i = 0; i < CPUS * 2; i++)); do
	inside systemd-run --quiet --nice=19 --unit=hot$i hot 1 $((AWAY + 600))
done
until_true 60 has_requests 4 || wrong "only $(requests) requests came"
python3 "$TM_SOURCE/tests/soak/watch_units.py" "$BOOTED_INIT" "$WORK/watched" 2>"$WORK/watch" &
STARTED+=("$!")

status_of() { tail -n 1 "$WORK/watched" | python3 -c 'import json, sys
print(json.load(sys.stdin)["status"][sys.argv[1]])' "$1"; }
# has_passed SECONDS SINCE
has_passed() { ((SECONDS - $2 >= $1)); }
until_true $((BEFORE + 10)) has_passed $BEFORE $SECONDS
say "the receiver is killed for $AWAY s:"
stop "$RECEIVER"
killed=$(date +%s.%N)
until_true $((AWAY + 10)) has_passed "$AWAY" $SECONDS
services_receive "$WORK/after"
came_back=$(date +%s.%N)
is_delivered() { tail -n 1 "$WORK/watched" | python3 -c 'import json, sys
sys.exit(json.load(sys.stdin)["status"]["export_requests"]["spooled"] > 1)' 2>/dev/null; }
until_true $((RETRY + 10)) has_requests 2 || wrong "nothing comes although there is a receiver"
until_true 300 is_delivered || wrong "the spool still has $(status_of export_requests)"
delivered=$(date +%s.%N)
until_true 20 has_requests $(($(requests) + 2)) || wrong 'nothing comes any more'
inside tidemark status | sed 's/^/  | /'
inside systemctl show -P NRestarts tidemark-{collector,opener,symbolizer,parser,exporter,spool} |
	grep -vE '^0?$' && wrong 'a service was restarted'
inside systemctl stop tidemark-collector
until_true 20 is_active symbolizer || wrong 'the symbolizer is gone, too'
inside systemctl stop tidemark.target
inside journalctl --no-pager -o cat -u tidemark-exporter | grep -F OTLP: | tail -n 3 |
	sed 's/^/  | /'
booted_stop

python '
import deliveries
killed, back, delivered, limit = map(float, sys.argv[4:8])
kept, repeated = deliveries.without_repeated(sys.argv[1], sys.argv[2])
deliveries.check_order(kept)
found = deliveries.reports(kept)
deliveries.check_adjacent(found)
lines = deliveries.watched(sys.argv[3])
checked = deliveries.check_status(found, lines)
check(checked > 20, "only %d times a status" % checked)
taken, exported, dropped = (sum(getattr(report, name) for report in found)
                            for name in ("taken", "exported", "dropped"))
print("  %d requests, %d repeated; %d reports: taken %d = exported %d + dropped %d; "
      "as %d times the status" % (len(kept), repeated, len(found), taken, exported, dropped,
                                  checked))
late = [report for report in found if killed < report.end / 1e9 < back]
check(late and all(report.arrived > back for report in late), "reports arrived nowhere")
print("  %d reports of the time without a receiver were here after %.1f s" % (
    len(late), max(report.arrived for report in late) - back))

def rate(since, until):
    some = [line for line in lines if line["status"] and since < line["at"] < until]
    return ((some[-1]["status"]["samples_taken"] - some[0]["status"]["samples_taken"]) /
            (some[-1]["at"] - some[0]["at"]))
rates = rate(0, killed), rate(killed, back), rate(back, delivered)
print("  samples a second: %.0f before, %.0f without a receiver, %.0f while it caught up" % rates)
check(rates[1] > 0.97 * rates[0], "fewer samples were taken")
last = [line["status"] for line in lines if line["status"]][-1]
check(last["rate_lowered_seconds"] == 0, "the rate was lowered")
check(last["late_records"] == 0, "records came late")
lost = {name: count for name, count in last["export_requests"].items()
        if count and name not in ("delivered", "spooled")}
check(not lost, "requests were lost: %s" % lost)
most = max(lines, key=lambda line: line["total"])
for name in sorted(most["units"]):
    sizes = [line["units"][name]["pss"] / 2**20 for line in lines if name in line["units"]]
    print("  tidemark-%s: %.1f MiB at most, %.1f at last" % (name, max(sizes), sizes[-1]))
print("  memfds: %.1f MiB; all with BPF maps: %.1f of %.0f MiB" % (
    max(line["memfd"] for line in lines) / 2**20, most["total"] / 2**20, limit / 2**20))
check(most["total"] <= limit, "that is more than TIDEMARK_MEMORY_BYTES")
print("FIGURE samples a second without a receiver | %.0f s | %.0f (before: %.0f) | " % (
    back - killed, rates[1], rates[0]))
print("FIGURE reports that were sent afterwards | %d | in %.1f s | in order, once" % (
    len(late), max(report.arrived for report in late) - back))
print("FIGURE memory at most | %.0f MiB | %.1f MiB | " % (limit / 2**20, most["total"] / 2**20))
' "$WORK/before" "$WORK/after" "$WORK/watched" "$killed" "$came_back" "$delivered" "$MEMORY"
[[ ! -s $WORK/watch ]] || wrong "watch_units: $(tail -n 3 "$WORK/watch")"
finish
