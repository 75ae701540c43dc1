#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# units - the services under a real systemd: they record, and go on after kill -9 of any of them;
# the kernel samples on meanwhile
#
# usage: units.sh [SUITE [KILLS]]   SUITE: bookworm, the default; KILLS: of processes
. "$(dirname "$0")/../../lib/integration.bash"
. "$TM_LIB/booted.bash"
. "$TM_LIB/services.bash"

SUITE=${1:-bookworm}
KILLS=${2:-8}
HZ=99
PROGRAMS=$SERVICES

# collector_pids - the manager's and the collector's, on this host
collector_pids() {
	local manager
	manager=$(host_pid "$(unit_pid collector)")
	echo "$manager $(pgrep -P "$manager" -f tidemark-collector)"
}
# kinds_of FILE - how many programs, maps and links are in a list of bpf_objects
kinds_of() { cut -d' ' -f1 "$1" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd' '; }
descriptors() { find "/proc/$1/fd" -type l | wc -l; }
stored() { inside systemctl show -P NFileDescriptorStore tidemark-collector; }
# sampling - the links and the maps of the BPF programs and of their rings, of which none may change
sampling() {
	# shellcheck disable=SC2046 # two numbers
	bpf_objects $(collector_pids) | grep -E '^(link|map) ' | sort >"$WORK/sampling.now"
	comm -12 "$WORK/sampling" "$WORK/sampling.now" | cut -d' ' -f1 | sort | uniq -c |
		awk '{ print $1, $2 }' | paste -sd' '
}
# reports_that CONDITION - of the figures of `tidemark status --json`
reports_that() {
	inside tidemark status --json | python3 -c 'import json, sys
sys.exit(not eval(sys.argv[1], {"s": json.load(sys.stdin)}))' "$1"
}

say "a Debian ($SUITE) with tidemark installed:"
services_install "$SUITE"
# Another test of this host may run `hot`, too.
HOT=hot$$
cp "$TM_WORKLOADS/hot" "$ROOT/usr/bin/$HOT"
services_receive
cat >"$ROOT/etc/tidemark/tidemark.conf" <<CONFIGURATION
TIDEMARK_RATE=$HZ
TIDEMARK_INTERVAL_MS=500
TIDEMARK_OTLP_ENDPOINT=unix:///var/receiver/receiver.sock
TIDEMARK_CPU_MAX_PPM=1000000
CONFIGURATION
DROP_INS=$ROOT/etc/systemd/system/tidemark-symbolizer.service.d
must mkdir -p "$DROP_INS"
printf '[Service]\nEnvironment=TIDEMARK_SERVICE_NAME=units\n' >"$DROP_INS/name.conf"
services_boot

say 'systemctl enable --now tidemark.target:'
services_start
inside systemd-run --quiet --unit=load "$HOT" 1 $((600 + 10 * KILLS))
until_true 60 has_requests 8 || {
	wrong "only $(requests) requests came"
	inside journalctl --no-pager -u 'tidemark*' | tail -n 30
	finish
}

say 'each has an account of its own, its capabilities and a filter:'
declare -A CAPABILITIES=([collector]=c000000000 [opener]=80000)
accounts=
for name in $PROGRAMS; do
	pid=$(host_pid "$(unit_pid "$name")")
	[[ $name != collector ]] || pid=$(pgrep -P "$pid" -f tidemark-collector)
	account=$(inside id -nu "$(awk '$1 == "Uid:" { print $2 }' "/proc/$pid/status")")
	accounts+=" $account"
	have=$(awk '$1 == "CapEff:" { print $2 }' "/proc/$pid/status")
	say "  tidemark-$name: $account, capabilities $have"
	((16#$have == 16#${CAPABILITIES[$name]:-0})) || wrong "tidemark-$name has $have"
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$pid/status" || wrong "tidemark-$name has no filter"
	[[ $account == "tidemark-$name" ]] || wrong "tidemark-$name runs as $account"
done
pid=$(host_pid "$(unit_pid collector)")
(((16#$(awk '$1 == "CapEff:" { print $2 }' "/proc/$pid/status") & ~(1 << 38)) == 0)) ||
	wrong "the manager has more than CAP_PERFMON"

say 'exposure, by systemd-analyze security (10 times the level):'
declare -A EXPOSURE=([collector]=12 [opener]=13 [symbolizer]=2 [parser]=2 [exporter]=11 [spool]=2)
for name in $PROGRAMS; do
	level=$(inside systemd-analyze security --no-pager "tidemark-$name.service" | tail -n 1 |
		grep -Eo '[0-9]+\.[0-9]')
	say "  tidemark-$name: $level"
	[[ $level ]] && ((${level/./} <= EXPOSURE[$name])) || wrong "that is too much"
done

say 'tidemark status, its JSON and its metrics say the same:'
must inside tidemark status >"$WORK/status"
sed 's/^/  | /' "$WORK/status"
inside tidemark status --json >"$WORK/status.json" || wrong "no status as JSON"
# The first file may be of the time before the first report.
has_metrics() {
	inside grep -qsE '^tidemark_samples_exported_total [1-9]' \
		/run/tidemark-metrics/tidemark.prom
}
until_true 60 has_metrics || {
	wrong "tidemark-metrics wrote nothing, or no samples"
	inside journalctl --no-pager -u tidemark-metrics | tail -n 5
}
inside cat /run/tidemark-metrics/tidemark.prom >"$WORK/prom"
[[ $(inside stat -c '%a %G' /run/tidemark-metrics/tidemark.prom) == '640 tidemark' ]] ||
	wrong "the metrics are not for the group tidemark alone"
inside setpriv --reuid 65534 --regid 65534 --clear-groups tidemark status >"$WORK/nobody" 2>&1 &&
	wrong "everybody may ask for the status"
grep -q 'is for root and the group tidemark' "$WORK/nobody" || wrong "$(cat "$WORK/nobody")"
python '
import json, re
with open(sys.argv[1]) as file:
    status = json.load(file)
with open(sys.argv[2]) as file:
    lines = [line.rstrip("\n") for line in file]
series = {}
for line in lines:
    if line.startswith("#"):
        continue
    found = re.fullmatch(r"tidemark_([a-z_0-9]+)(\{[a-z]+=\"[a-z_]+\"\})? ([0-9.e+-]+)", line)
    check(found, "not a line of metrics: " + line)
    key = found.group(1) + (found.group(2) or "")
    check(key not in series, key + " is there twice")
    series[key] = float(found.group(3))
for name in ("samples_taken_total", "samples_exported_total", "reports_total"):
    check(series[name] > 0, name + " is 0")
check(status["samples_taken"] >= status["samples_exported"] > 0, "exported more than was taken")
check(status["export_requests"]["delivered"] > 0, "nothing was delivered")
check(status["late_records"] == 0, "records came late")
check(status["spool_bytes"] > 0 and 0 < status["spool_reach_seconds"] < 3600,
      "it does not say what is in the spool")
check(status["spool_least_reach_seconds"] == 0, "somebody has filled the spool")
check(status["protocol_violations"] == 0, "the services sent each other invalid messages")
check(status["files_opened"] > 0 and status["unwind_tables"] > 1, "no file was opened")
names = {key.split("{")[0] for key in series}
for name in status:
    check(name in names or name + "_total" in names, name + " is missing from the metrics")
' "$WORK/status.json" "$WORK/prom"

say "kill -9, $KILLS times:"
# shellcheck disable=SC2046 # two numbers
bpf_objects $(collector_pids) >"$WORK/bpf.first"
cp "$WORK/bpf.first" "$WORK/bpf.all"
grep -E '^(link|map) ' "$WORK/bpf.first" | sort >"$WORK/sampling"
stored_before=$(stored)
say "  systemd keeps $stored_before descriptors of the collector"
open_before=$(descriptors "$(host_pid "$(unit_pid collector)")")
RANDOM=${TM_SEED:-$(date +%s)}
say "  seed $RANDOM"
for ((i = 0; i < KILLS; i++)); do
	set -- collector manager opener symbolizer parser exporter spool both
	shift $((i % 8))
	victim=$1 unit=$1 # both: collector and symbolizer
	[[ $victim != manager && $victim != both ]] || unit=collector
	until_true 30 is_active "$unit" || wrong "tidemark-$unit is not active before kill $i"
	pid=$(host_pid "$(unit_pid "$unit")")
	[[ $victim != collector && $victim != both ]] ||
		pid=$(pgrep -P "$pid" -f tidemark-collector)
	# shellcheck disable=SC2046
	[[ $victim != collector ]] || bpf_objects $(collector_pids) >"$WORK/bpf.$i"
	now=$(requests)
	until_true 20 has_requests $((now + RANDOM % 3)) || wrong "no reports before kill $i"
	[[ $victim != both ]] || pid+=" $(host_pid "$(unit_pid symbolizer)")"
	# shellcheck disable=SC2086 # two numbers
	[[ -n $pid ]] && kill -KILL $pid || wrong "no process $victim to kill"
	echo "$victim $EPOCHREALTIME" >>"$WORK/killed"
	now=$(requests)
	until_true 60 has_requests $((now + 3)) || {
		wrong "no reports after kill $i, of $victim"
		inside journalctl --no-pager -u 'tidemark*' | tail -n 20
	}
	[[ $unit != collector ]] || until_true 30 is_active collector
	kept=$(sampling)
	[[ $kept =~ ^1\ link\ ([0-9]+)\ map$ ]] && ((BASH_REMATCH[1] >= 10)) ||
		wrong "after kill $i, of $victim, there are $kept of before"
done
for name in $PROGRAMS; do
	until_true 30 is_active "$name" || wrong "tidemark-$name did not come back"
done
inside systemctl show -p NRestarts tidemark-{collector,opener,symbolizer,parser,exporter,spool} |
	grep -v '^$' | paste -sd' ' | sed 's/^/  /'
hot_pid=$(host_pid "$(inside systemctl show -P MainPID load)")
hot_ticks=$(awk '{ print $14 + $15 }' "/proc/$hot_pid/stat")
until=$(($(requests) + 2)) # report what it had by then
until_true 30 has_requests "$until" || wrong "no reports after the kills"
# shellcheck disable=SC2046
bpf_objects $(collector_pids) >"$WORK/bpf.last"
[[ $(kinds_of "$WORK/bpf.first") == "$(kinds_of "$WORK/bpf.last")" ]] ||
	wrong "BPF objects: $(kinds_of "$WORK/bpf.first"), after $(kinds_of "$WORK/bpf.last")"
open_after=$(descriptors "$(host_pid "$(unit_pid collector)")")
((open_after == open_before)) || wrong "the manager had $open_before descriptors, has $open_after"
(($(stored) <= stored_before + 2)) || # chunks of unwind tables come and go
	wrong "systemd kept $stored_before descriptors, now $(stored)"

say "  BPF objects: $(kinds_of "$WORK/bpf.last")"
# The symbolizer was killed at last; what others before it reported is none of its samples. What
# these had not reported is: of the report in the making, which may wait 4 s for names and lines, of
# an interval and two rounds, and until the last one had attached.
killed=$(awk 'END { print $2 }' "$WORK/killed")
reports_that "s['samples_taken'] <= $HZ * $(nproc) * ($EPOCHREALTIME - $killed + 7)" ||
	wrong "the status counts what other symbolizers reported"

inside journalctl --no-pager -u 'tidemark*' >"$WORK/journal"
grep -m 5 -iE 'sigsys|core-dump|status=(6/ABRT|11/SEGV|31/SYS)' "$WORK/journal" &&
	wrong "a program crashed"

pids() {
	local name
	for name in $PROGRAMS; do
		[[ $name == exporter ]] || echo "$name $(unit_pid "$name")"
	done
}
in_journal() { inside journalctl --no-pager -o cat -u tidemark-symbolizer | grep -qF "$1"; }
reload_says() { until_true 20 in_journal "$1" || wrong "reload does not say: $1"; }
CONFIGURATION=$ROOT/etc/tidemark/tidemark.conf
must cp "$CONFIGURATION" "$WORK/tidemark.conf"
before=$(pids) exporter=$(unit_pid exporter)

say 'a file with a mistake is not reloaded, and root alone may reload at all:'
reports_that 's["reloads"] == 0 and s["cpu_limit_ratio"] == 1' || wrong "there was a reload"
reports_that 's["interval_seconds"] == 0.5' || wrong "it does not run as configured"
printf '%s\n' TIDEMARK_LABELS=team=units TIDEMARK_INTERVAL_MS=1 >>"$CONFIGURATION"
inside systemctl reload tidemark-symbolizer 2>/dev/null && wrong "a mistake was reloaded"
reload_says 'tidemark.conf:6: TIDEMARK_INTERVAL_MS: 1 is not from 100 to 86400000'
must cp "$WORK/tidemark.conf" "$CONFIGURATION"
for account in nobody tidemark-metrics tidemark-symbolizer; do
	inside setpriv --reuid "$account" --regid tidemark --init-groups tidemark reload \
		>"$WORK/refused" 2>&1 && wrong "$account may reload"
	grep -q 'reload.sock is for root alone' "$WORK/refused" || wrong "$(cat "$WORK/refused")"
done
python '
import socket
for message in (b"\0", b"\xff" * 5192, b"\0" * 10000):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.settimeout(20)
        connection.connect(sys.argv[1])
        connection.send(message)
        check(connection.recv(100) == b"", "it answers to %d bytes" % len(message))
' "/proc/$BOOTED_INIT/root/run/tidemark/reload.sock"
reports_that 's["reloads"] == 0 and s["reloads_refused"] == 3 and s["interval_seconds"] == 0.5' ||
	wrong "something else was reloaded"
[[ $before == "$(pids)" && $exporter == "$(unit_pid exporter)" ]] || wrong "a service was restarted"

say 'systemctl reload: the open interval ends, and what was changed holds from the next one on:'
sed 's/^\(TIDEMARK_INTERVAL_MS\)=.*/\1=86400000/' "$WORK/tidemark.conf" >"$CONFIGURATION"
must inside systemctl reload tidemark-symbolizer
open_since=$(date +%s.%N)
reports_that 's["reloads"] == 1 and s["interval_seconds"] == 86400' || wrong "it did not change"
watermark_is_past() {
	local now
	now=$(date +%s.%N)
	reports_that "$now - s['watermark_lag_seconds'] > $1"
}
until_true 20 watermark_is_past "$open_since" || wrong "the watermark stands still"
has_new_exporter() { is_active exporter && [[ $(unit_pid exporter) != "$exporter" ]]; }
until_true 20 has_new_exporter || wrong "the exporter was not restarted"
sed 's/^\(TIDEMARK_RATE\)=.*/\1=98/; s/^\(TIDEMARK_INTERVAL_MS\)=.*/\1=250/
	s/^\(TIDEMARK_CPU_MAX_PPM\)=.*/\1=1/' \
	"$WORK/tidemark.conf" >"$CONFIGURATION"
echo TIDEMARK_LABELS=team=units >>"$CONFIGURATION"
now=$(requests)
must inside systemctl reload tidemark-symbolizer
inside journalctl --no-pager -o cat -u tidemark-symbolizer -n 8 | sed 's/^/  | /'
reload_says 'TIDEMARK_INTERVAL_MS=250: in effect'
reload_says 'TIDEMARK_RATE=98: another value is in effect until systemctl restart tidemark-coll'
reports_that 's["reloads"] == 2 and s["interval_seconds"] == 0.25' || wrong "it did not change"
reports_that 's["cpu_limit_ratio"] == 1e-6 and s["sampling_hertz"] == 99' || wrong "nor the limit"
in_journal TIDEMARK_SERVICE_NAME && wrong "a reload takes back what a drop-in sets"
until_true 60 has_requests $((now + 3)) || wrong "no reports after the reload"
is_lowered_most() { inside tidemark status | grep -q 'at most to 1/64$'; }
until_true 40 is_lowered_most ||
	wrong "the rate is not lowered where tidemark costs more than TIDEMARK_CPU_MAX_PPM"
inside tidemark status | sed -n '1s/^/  | /p'
[[ $before == "$(pids)" ]] || wrong "more than the exporter was restarted"

say 'systemctl reload tidemark.target does the same, and a restart the rest:'
must inside systemctl reload tidemark.target
until_true 20 reports_that 's["reloads"] == 3' || wrong "it was not reloaded"
# A start that fails, as it may where two tests boot a Debian at once, is tried again by systemd.
inside systemctl restart tidemark-collector tidemark-symbolizer
until_true 40 reports_that 's["sampling_hertz"] == 98 and s["cpu_limit_ratio"] == 1e-6' ||
	wrong "the restart did not take the rest"
# shellcheck disable=SC2046
bpf_objects $(collector_pids) >"$WORK/bpf.restarted"
must inside systemctl reload tidemark-symbolizer
reload_says 'no value has changed'
inside journalctl --no-pager -o cat -u tidemark-symbolizer >"$WORK/reload"
(($(grep -c 'another value is' "$WORK/reload") == 2)) || wrong "the restart left something"

say 'an orderly restart goes on with the same objects; other options do not:'
grep -E '^(link|map) ' "$WORK/bpf.restarted" | sort >"$WORK/sampling"
restart_collector() {
	inside systemctl restart tidemark-collector # see above: it may be tried again
	until_true 40 is_active collector || wrong "the collector does not come back"
}
restart_collector
kept=$(sampling)
[[ $kept == '1 link'* ]] || wrong "there are $kept of before"
echo TIDEMARK_RING_KIB=512 >>"$ROOT/etc/tidemark/tidemark.conf"
restart_collector
kept=$(sampling)
[[ -z $kept ]] || wrong "with other options there are $kept of before"
says_interrupted() {
	[[ $(inside journalctl --no-pager -u tidemark-collector) == *'sampling was interrupted'* ]]
}
until_true 10 says_interrupted || # the journal may be late
	wrong 'it does not say that sampling was interrupted'
now=$(requests)
until_true 30 has_requests $((now + 2)) || wrong "no reports with other options"
# What the events owe is read once a second.
until_true 20 reports_that 's["samples_not_run"] > 20' || wrong "the time between is not counted"

say 'a collector that is stopped stays stopped, and the last report balances:'
inside systemctl stop tidemark-collector
now=$(requests)
until_true 20 is_active symbolizer || wrong "the symbolizer is gone, too"
[[ $(inside systemctl is-active tidemark-collector) == inactive ]] ||
	wrong "the collector came back"
inside systemctl stop tidemark.target
say 'tidemark view shows what the spool kept:'
inside tidemark view --since 2h -o /root/view.folded >"$WORK/view" 2>&1 ||
	wrong "view: $(cat "$WORK/view")"
sed 's/^/  | /' "$WORK/view"
for name in $PROGRAMS; do
	! is_active "$name" || wrong "tidemark-$name still runs"
done
mapfile -t REMEMBERED_BPF < <(sort -u "$WORK"/bpf.*)
REMEMBERED_PIDS=() REMEMBERED_LOCKS=()
nothing_left

reports_balance "$WORK/received" 80 "$HOT"
python '
import collections, os, otlp, re
requests = otlp.received(sys.argv[1])
hot = 0
labelled = []
once = 0
# A report may be several requests, and may have come twice. A symbolizer begins where the last one
# had reported; a report of that one which was under way when it was killed begins there, too.
seen = set()
# of the requests until the kills were over
went_on = dropped = 0
owed = int(sys.argv[5]) * int(sys.argv[6]) / os.sysconf("SC_CLK_TCK")
for number, (head, request) in enumerate(requests, 1):
    texts = {sample["profile"]["tidemark.completeness"] for sample in request.samples}
    interval = {(sample["time"], sample["duration"]) for sample in request.samples}
    for text in texts if seen.isdisjoint(interval) else ():
        exported, lost = re.match(r"taken \d+ = exported (\d+) \+ dropped (\d+)", text).groups()
        dropped += int(lost) * (number <= int(sys.argv[7]))
        once += int(exported)
    seen |= interval
    # A process of another test says a team of its own (programs/otel_context.c).
    labels = {sample["resource"].get("team") for sample in request.samples} - {"tests"}
    check(len(labels) <= 1, "request %d has two labels: %s" % (number, labels))
    labelled += [label == "units" for label in labels]
    for sample in request.samples:
        check(sample["resource"].get("service.name") == "units", "another service")
        check(sample["resource"].get("team") != "units" or
              sample["time"] / 1e9 > float(sys.argv[3]),
              "request %d has the label in an interval that was open before" % number)
    for sample in request.samples:
        if sample["resource"].get("process.executable.name") == sys.argv[4]:
            went_on += sample["value"] * (number <= int(sys.argv[7]))
            hot += sample["value"]
print("  %d with the label that was reloaded" % sum(labelled))
check(any(labelled) and not all(labelled), "the label was not reloaded")
check(labelled == sorted(labelled), "a request behind the first one with the label has none")
check(hot > 300, "only %d samples of hot" % hot)
# Nothing is missing but what a symbolizer had that was killed, and what is not reported yet.
print("  until the kills were over hot had %.0f periods and %d samples; %d of all were dropped" %
      (owed, went_on, dropped))
check(went_on + dropped > 0.95 * owed, "%d + %d samples of %.0f periods" % (went_on, dropped, owed))
check(went_on < 1.02 * owed + 3 * int(sys.argv[6]), # and what two more reports have
      "%d samples of %.0f periods" % (went_on, owed))
# How long after a kill a report is here of all that was sampled in the second behind it.
reports = [((request.samples[0]["time"] + request.samples[0]["duration"]) / 1e9,
            os.stat("%s/%d.json" % (sys.argv[1], number)).st_mtime)
           for number, (_, request) in enumerate(requests, 1) if request.samples]
waits = collections.defaultdict(list)
with open(sys.argv[8], encoding="ascii") as file:
    for victim, killed in (line.split() for line in file):
        after = [here for end, here in reports if end > float(killed) + 1]
        check(after, "no report of the second behind a kill of " + victim)
        waits[victim].append(min(after) - float(killed))
for victim, seconds in sorted(waits.items()):
    seconds.sort()
    print("  %s: reported after %.2f s (median), %.2f (99 %%), %.2f (most), of %d" % (
        victim, seconds[len(seconds) // 2], seconds[(99 * len(seconds) - 1) // 100],
        seconds[-1], len(seconds)))
# The spool has all, also what was made while it was dead; it shows what came twice once.
with open(sys.argv[2], encoding="utf-8") as file:
    kept = int(re.search(r"reports from .*: (\d+) samples", file.read()).group(1))
print("  the spool has %d samples, the receiver %d" % (kept, once))
check(abs(kept - once) < 0.01 * once, "the spool has %d of %d samples" % (kept, once))
' "$WORK/received" "$WORK/view" "$open_since" "$HOT" "$hot_ticks" "$HZ" "$until" \
	"$WORK/killed"
finish
