#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# units_qemu - the services on a whole Debian 13: its systemd, cgroup v2 alone, and Debian's kernel,
# whose kernel.perf_event_paranoid is 3 and whose AppArmor confines each of them
#
# usage: units_qemu.sh [SUITE]   SUITE: trixie, the default, or bookworm
. "$(dirname "$0")/../../lib/integration.bash"
. "$TM_LIB/guest.bash"

SUITE=${1:-trixie}
KERNEL=6.12
HZ=29
PROGRAMS=(collector opener symbolizer parser exporter spool)
UNITS=("${PROGRAMS[@]/#/tidemark-}")
PROFILES=/usr/local/share/tidemark/apparmor

lacking=$(guest_lacks)
[[ ! $lacking ]] || skip "no $lacking"
ROOT=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-root.XXXXXX")
test_clean_up() { rm -rf --one-file-system "$ROOT"; }

# conclude - ends the test; if the emulator was at fault, once more from the start, with one thread
# for both of its CPUs, which cannot have that fault
conclude() {
	guest_stop || wrong 'the guest does not power off'
	if ((WRONG)) && [[ $GUEST_THREADS == multi ]] && guest_faulted; then
		say 'the guest died of a breakpoint that its kernel had removed: booted once more'
		clean_up
		GUEST_THREADS=single exec bash "$0" "$SUITE"
	fi
	((!WRONG)) || tail -n 20 "$WORK/console"
	finish
}
# give_up SENTENCE - with what the services have said
give_up() {
	wrong "$1"
	inside journalctl --no-pager -u 'tidemark*' | tail -n 30
	conclude
}
# in_guest COMMAND... - inside, what must succeed
in_guest() { inside "$@" || give_up "failed: $*"; }
is_active() { [[ $(inside systemctl is-active "${@/#/tidemark-}" | sort -u) == active ]]; }
# A journalctl that opens the journal while it grows may leave it out, and is tried again.
cursor() {
	inside sh -c 'until journalctl -q -n 1 --show-cursor 2>/dev/null |
		sed -n "s/^-- cursor: //p" | grep .; do :; done'
}
# said NAME TEXT CURSOR - waits until the unit's journal has it, behind the cursor
said() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	inside sh -c 'for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
		timeout 10 journalctl -q -f --no-tail --after-cursor="$3" \
			-u "tidemark-$1.service" 2>/dev/null | grep -qF -m 1 "$2" && exit
	done
	exit 1' sh "$@"
}
unit() { inside systemctl show -P "$2" "tidemark-$1"; } # NAME PROPERTY
paranoid() { inside cat /proc/sys/kernel/perf_event_paranoid; }
# objects - the links and maps that the collector holds
objects() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	inside sh -c 'cat "/proc/$1/fdinfo/"* | grep -E "^(link|map)_id:" | sort -u' sh \
		"$(collector_process)"
}
# same_objects WHEN - that the kernel has sampled on: links and maps are those of WORK/objects
same_objects() {
	local gone
	gone=$(comm -23 "$WORK/objects" <(objects) | paste -sd' ')
	[[ -s $WORK/objects && ! $gone ]] || wrong "$1 there are others than: $gone"
}
collector_process() { inside pgrep -P "$(unit collector MainPID)" -f tidemark-collector; }
requests() { find "$WORK/received" -name '*.json' | wc -l; }
has_requests() { (($(requests) >= $1)); }
# is_named NUMBER - whether the report with this number, or one behind it, has functions of `hot`
is_named() {
	has_requests "$1" && python3 - "$WORK/received" "$1" <<'PYTHON'
import itertools, os, otlp, sys
folder, first = sys.argv[1], int(sys.argv[2])
bodies = ("%s/%d.body" % (folder, number) for number in itertools.count(first)
          if os.path.exists("%s/%d.json" % (folder, number)) or sys.exit(1))
sys.exit(not any(name.startswith("hot_") for body in bodies
                 for sample in otlp.read(body).samples for name in otlp.names(sample)))
PYTHON
}
# more_reports WHEN - waits for them; the second one was begun after that, and one has names again,
# which take seconds where all is emulated
more_reports() {
	local now
	now=$(requests)
	until_true 120 has_requests $((now + 3)) || give_up "no reports $1"
	until_true 120 is_named $((now + 2)) || give_up "no names $1"
}
# check_limit NAME PROPERTY VALUE - that it is what the unit says
check_limit() {
	local said
	said=$(sed -n "s/^$2=//p" "$TM_BUILD/systemd/tidemark-$1.service")
	[[ $said && $3 == "$(numfmt --from=iec "$said")" ]] ||
		wrong "tidemark-$1: $3, where the unit says $2=$said"
}

say "a Debian ($SUITE) with tidemark and a kernel of Debian's:"
booted_tar "$SUITE" "${GUEST_PACKAGES[@]}" apparmor >"$WORK/debian.log" || {
	tail -n 5 "$WORK/debian.log"
	skip "there is no Debian; is a mirror in reach?"
}
guest_kernel $KERNEL || {
	tail -n 5 "$WORK/kernel.log"
	skip "there is no kernel $KERNEL; is a mirror in reach?"
}
tar -C "$ROOT" -xf "$BOOTED_TAR"
must booted_install "$ROOT"
must guest_prepare "$ROOT"
must chroot "$ROOT" systemctl enable tidemark.target 2>"$WORK/enabled"
cp "$TM_WORKLOADS/hot" "$ROOT/usr/bin/hot"
cp "$TM_WORKLOADS/hot" "$ROOT/usr/bin/hot-on-1"
mkdir "$WORK/received"
python3 "$TM_LIB/otlp_receiver.py" "$WORK/received" 0 >"$WORK/receiver" 2>&1 &
STARTED+=("$!")
until_true 20 grep -qs ready "$WORK/receiver" || wrong "no receiver"
# Of Debian's own profiles, each of which an emulated CPU compiles, only what they include is kept.
find "$ROOT/etc/apparmor.d" -maxdepth 1 -type f -delete
must cp -r "$ROOT$PROFILES/." "$ROOT/etc/apparmor.d"
must mkdir -p "$ROOT/etc/tidemark"
cat >"$ROOT/etc/tidemark/tidemark.conf" <<CONFIGURATION
TIDEMARK_RATE=$HZ
TIDEMARK_INTERVAL_MS=500
TIDEMARK_CPU_MAX_PPM=0
TIDEMARK_OTLP_ENDPOINT=http://$GUEST_HOST:$(awk '{ print $2 }' "$WORK/receiver")
CONFIGURATION
guest_start "$ROOT" || {
	cat "$WORK/qemu"
	wrong "it does not boot"
	conclude
}
say "  systemd $(inside systemctl --version | awk 'NR == 1 { print $2 }')," \
	"kernel $(inside uname -r)"
failed=$(inside systemctl list-units --failed --plain --no-legend --no-pager)
[[ ! $failed ]] || {
	wrong "after the boot: $failed"
	inside journalctl --no-pager -u "${failed%% *}" | tail -n 10
}
[[ $(inside stat -f -c %T /sys/fs/cgroup) == cgroup2fs ]] || wrong 'cgroup v2 is not alone'
[[ $(paranoid) == 3 ]] || wrong "perf_event_paranoid is not Debian's 3, but $(paranoid)"
inside systemd-analyze verify --man=no tidemark.target >"$WORK/verified" 2>&1 &&
	[[ ! -s $WORK/verified ]] ||
	wrong "its systemd finds fault with the units: $(<"$WORK/verified")"

say 'enabled, the services have come with the boot, each under its account:'
in_guest systemd-run --quiet --unit=load -p CPUQuota=20% hot 1 600
until_true 120 is_active "${PROGRAMS[@]}" || give_up 'not all are active'
more_reports 'after the boot'
{
	inside systemctl show -P MainPID "${UNITS[@]}"
	collector_process
} | grep . >"$WORK/pids"
mapfile -t pids <"$WORK/pids"
inside ps -o pid=,user:32=,group:32=,label:64=,args= -p "$(paste -sd, "$WORK/pids")" \
	>"$WORK/processes"
for i in "${!pids[@]}"; do
	name=${PROGRAMS[i]:-collector}
	read -r _ user group profile mode program _ < <(
		awk -v pid="${pids[i]}" '$1 == pid' "$WORK/processes"
	)
	say "  ${program##*/}: $user, group $group, AppArmor $profile $mode"
	[[ $user == "tidemark-$name" ]] || wrong "tidemark-$name runs as $user"
	[[ "$profile $mode" == "tidemark-$name (enforce)" ]] ||
		wrong "AppArmor has tidemark-$name as $profile $mode"
done

say 'their cgroups have the limits of the units:'
# shellcheck disable=SC2016 # expanded by the inner shell
inside sh -c 'cd /sys/fs/cgroup/system.slice && for name; do
	cd "tidemark-$name.service" &&
	echo "$name" $(cat memory.max memory.peak pids.max pids.peak) \
		$(sed -n "s/^oom_kill //p" memory.events) $(sed -n "s/^max //p" pids.events)
	cd ..
done' sh "${PROGRAMS[@]}" >"$WORK/cgroups"
while read -r name memory memory_peak tasks tasks_peak killed refused; do
	check_limit "$name" MemoryMax "$memory"
	check_limit "$name" TasksMax "$tasks"
	say "  tidemark-$name: needed $(numfmt --to=iec "$memory_peak") of $(numfmt --to=iec \
		"$memory") of memory, $tasks_peak of $tasks tasks"
	[[ $killed == 0 ]] || wrong "tidemark-$name was killed for its memory"
	[[ $refused == 0 ]] || wrong "tidemark-$name was refused a process"
done <"$WORK/cgroups"
[[ $(wc -l <"$WORK/cgroups") == "${#PROGRAMS[@]}" ]] || wrong 'a service has no cgroup'

say 'tidemark status:'
inside tidemark status --json >"$WORK/status.json" || wrong 'no status'
python '
import json
with open(sys.argv[1], encoding="utf-8") as file:
    status = json.load(file)
for figure in ("samples_taken", "samples_exported", "reports"):
    print("  %s %d" % (figure, status[figure]))
    check(status[figure] > 0, figure + " is 0")
check(status["samples_taken"] >= status["samples_exported"], "exported more than was taken")
check(status["export_requests"]["delivered"] > 0, "nothing was delivered")
check(status["protocol_violations"] == 0, "the services sent each other invalid messages")
for figure in ("unit_cpu_seconds", "unit_memory_bytes"):
    check(set(status[figure]) == set(sys.argv[2:]), "%s: %s" % (figure, status[figure]))
    check(min(status[figure].values()) > 0, "%s: %s" % (figure, status[figure]))
' "$WORK/status.json" "${PROGRAMS[@]}"

say 'above 2, the kernel gives perf events to root alone, who opens them before the start:'
# as_exec_start_pre OPTION... - what the unit runs before its start, with the capabilities of the
# unit
as_exec_start_pre() {
	inside systemd-run --quiet --wait --pipe -p NotifyAccess=exec \
		-p AmbientCapabilities='CAP_BPF CAP_PERFMON CAP_SYSLOG' "$@" \
		tidemark store-events --hz=$HZ
}
as_exec_start_pre >"$WORK/root" 2>&1 || wrong "root may not: $(<"$WORK/root")"
! as_exec_start_pre -p User=tidemark-collector >"$WORK/collector" 2>&1 ||
	wrong 'the account of the collector may, too: this proves nothing'
grep -q 'kernel.perf_event_paranoid is 3' "$WORK/collector" || wrong "$(<"$WORK/collector")"
# shellcheck disable=SC2016
events=$(inside sh -c 'find "/proc/$1/fd" -lname "*perf_event*"' sh "$(collector_process)" | wc -l)
say "  the collector holds $events of them"
((events >= $(inside nproc))) || wrong 'a CPU has none'

objects >"$WORK/objects"
say "  $(wc -l <"$WORK/objects") links and maps"
say 'systemctl restart tidemark-collector:'
before=$(unit collector MainPID)
in_guest systemctl restart tidemark-collector
[[ $(unit collector MainPID) != "$before" ]] || wrong 'it is the process of before'
more_reports 'after the restart'
same_objects 'after the restart'

say 'kill -9 of the collector:'
objects >"$WORK/objects"
before=$(cursor)
in_guest kill -KILL "$(collector_process)"
said collector 'Started tidemark-collector.service' "$before" || give_up 'it did not start again'
more_reports 'after that'
same_objects 'after the kill'

say 'a CPU that goes and comes back while no collector runs is sampled again:'
in_guest mkdir -p /run/systemd/system/tidemark-collector.service.d
in_guest sh -c 'printf "[Service]\nRestartSec=8s\n" \
	>/run/systemd/system/tidemark-collector.service.d/late.conf'
in_guest systemctl daemon-reload
before=$(cursor)
# shellcheck disable=SC2016
in_guest sh -c 'kill -KILL "$1"
	for online in 0 1; do echo "$online" >/sys/devices/system/cpu/cpu1/online; done' \
	sh "$(collector_process)"
[[ $(unit collector ActiveState) != active ]] || wrong 'a collector ran meanwhile'
said collector 'Started tidemark-collector.service' "$before" || give_up 'it did not start again'
in_guest systemd-run --quiet --unit=second -p CPUAffinity=1 -p CPUQuota=20% hot-on-1 1 600
more_reports 'after that'
same_objects 'after CPU 1 came back'

say 'a symbolizer that does not fit into MemoryMax is killed, and comes back once it does:'
before=$(cursor)
in_guest systemctl set-property --runtime tidemark-symbolizer MemoryMax=1M
said symbolizer "Failed with result 'oom-kill'" "$before" || wrong 'it was not killed'
before=$(cursor)
in_guest systemctl set-property --runtime tidemark-symbolizer MemoryMax=2G
said symbolizer 'Started tidemark-symbolizer.service' "$before" ||
	give_up 'the symbolizer does not come back'
more_reports 'after that'

say 'systemctl stop tidemark.target:'
in_guest systemctl stop tidemark.target
# systemctl waits for the target, not for its parts.
states() { inside systemctl show -P ActiveState "${UNITS[@]}" | grep . | sort | uniq -c; }
have_ended() { ! states | grep -q deactivating; }
until_true 60 have_ended || wrong 'they do not end'
states
[[ $(states) == *"${#UNITS[@]} inactive" ]] || wrong 'not all are inactive'
left=$(inside ps -e -o user:32=,comm= | grep '^tidemark')
[[ ! $left ]] || wrong "processes are left: $left"
[[ $(unit collector NFileDescriptorStore) == 0 ]] || wrong 'perf events are left in the store'
[[ $(paranoid) == 3 ]] || wrong "perf_event_paranoid is $(paranoid) in the end"
inside journalctl --no-pager -u 'tidemark*' >"$WORK/journal"
grep -m 5 -iE 'sigsys|core-dump|status=(6/ABRT|11/SEGV|31/SYS)' "$WORK/journal" &&
	wrong 'a program crashed'
! grep -m 5 'start-limit-hit' "$WORK/journal" || wrong 'a unit was not started again'
inside journalctl --no-pager -k >"$WORK/kernel.journal"
! grep -m 5 'apparmor="DENIED".*tidemark' "$WORK/kernel.journal" ||
	wrong 'AppArmor denied what a service needs'

say 'what came over TCP:'
# What starts has no names at once, five times; how long that takes is a matter of what else the
# host does, and that they come has more_reports seen.
reports_balance "$WORK/received" 30
python '
import otlp
samples = sum(sample["value"] for _, request in otlp.received(sys.argv[1])
              for sample in request.samples
              if sample["resource"].get("process.executable.name") == "hot-on-1")
print("  %d samples of the CPU that came back" % samples)
check(samples > 0, "CPU 1 is not sampled")
' "$WORK/received"
conclude
