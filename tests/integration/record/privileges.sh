#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# privileges - in mid-record no process but the starter is root, none unfiltered or capable of more
. "$(dirname "$0")/../../lib/integration.bash"

# The kernel is kept busy, so that kernel addresses would be there to be seen. It dies with COMMAND.
BESIDE='exec setpriv --pdeathsig KILL dd if=/dev/zero of=/dev/null bs=64k 2>/dev/null'
mkdir "$WORK/received"
test_clean_up() { [[ ! ${RECEIVER_PID:-} ]] || kill "$RECEIVER_PID"; }
coproc RECEIVER { exec python3 "$TM_SOURCE/tests/lib/otlp_receiver.py" "$WORK/received" \
	"$WORK/otlp.sock"; }
read -r <&"${RECEIVER[0]}" || wrong "there is no receiver"
CHILDREN=(--debuginfod http://127.0.0.1:1 --otlp-endpoint "unix://$WORK/otlp.sock"
	--spool "$WORK/spool")
# COMMAND may have what its caller had open, and no process of tidemark.
exec 9<"$0"
begin_recording privileges -F 999 "${CHILDREN[@]}" -o "$WORK/x.folded" || finish
until_true 20 pgrep -x -P "$COMMAND_PID" dd >/dev/null || wrong "the kernel is not kept busy"
until_true 20 ran "$COMMAND_PID" 50

bit() { echo $((1 << $1)); }
CAP_DAC_READ_SEARCH=$(bit 2) CAP_SYS_PTRACE=$(bit 19) CAP_PERFMON=$(bit 38) CAP_BPF=$(bit 39)
CAP_CHECKPOINT_RESTORE=$(bit 40) CAP_SYSLOG=$(bit 34)
OPENER_CAPS=$((CAP_SYS_PTRACE | CAP_CHECKPOINT_RESTORE | CAP_DAC_READ_SEARCH))
# What the starter may hold: the programs' capabilities, and those for files and accounts.
STARTER_CAPS=$((CAP_BPF | CAP_PERFMON | CAP_SYSLOG | OPENER_CAPS))
for bit in 1 3 5 6 7 8; do # DAC_OVERRIDE FOWNER KILL SETGID SETUID SETPCAP
	STARTER_CAPS=$((STARTER_CAPS | $(bit $bit)))
done
(($(</proc/sys/kernel/perf_event_paranoid) <= 2)) ||
	STARTER_CAPS=$((STARTER_CAPS | $(bit 21))) # SYS_ADMIN, which the kernel demands then
# The collector reads kernel symbols first. Neither can empty the bounding set that the command left
# them; no_new_privs makes it harmless.
BOUNDING=$((CAP_BPF | CAP_PERFMON | CAP_SYSLOG))

field() { awk -v key="$2:" '$1 == key { $1 = ""; sub(/^ /, ""); print }' "/proc/$1/status"; }

capabilities_of() { echo $((16#$(field "$1" "$2"))); }
capabilities() { capabilities_of "$1" CapEff; }

# check_limits PID NAME - checks each resource limit of the process: where the program sets no
# limit of its own, it must be that of this script
check_limits() {
	python '
from limits import *
pid, name, cpus = sys.argv[1], sys.argv[2], int(sys.argv[3])
check_all(name, of("/proc/%s/limits" % pid), of("/proc/self/limits"), cpus)
' "$1" "$2" "$(getconf _NPROCESSORS_CONF)"
}

# check_process PID NAME CAPABILITIES BOUNDING - checks that the process has at most CAPABILITIES
# and that its bounding set is exactly BOUNDING
check_process() {
	local pid=$1 name=$2 allowed=$3 bounding=$4 set value uid shown
	uid=$(field "$pid" Uid)
	shown="uids $(tr '\t' ' ' <<<"$uid"), gids $(field "$pid" Gid)"
	shown+=", groups '$(field "$pid" Groups)', CapEff $(field "$pid" CapEff)"
	shown+=", NoNewPrivs $(field "$pid" NoNewPrivs), Seccomp $(field "$pid" Seccomp)"
	say "  $name: $shown, comm $(cat "/proc/$pid/comm")"
	grep -qw 0 <<<"$uid" && wrong "$name is root: $uid"
	grep -qw 0 <<<"$(field "$pid" Gid)" && wrong "$name is in group root"
	grep -qw 0 <<<"$(field "$pid" Groups)" && wrong "$name has the group root"
	[[ $(field "$pid" NoNewPrivs) == 1 ]] || wrong "$name may gain privileges"
	[[ $(field "$pid" Seccomp) == 2 ]] || wrong "$name has no filter"
	for set in CapInh CapPrm CapEff CapAmb; do
		value=$((16#$(field "$pid" $set)))
		(((value & ~allowed) == 0)) ||
			wrong "$name has more in $set than it needs: $(field "$pid" $set)"
	done
	((16#$(field "$pid" CapBnd) == bounding)) ||
		wrong "$name has the bounding set $(field "$pid" CapBnd)"
	check_limits "$pid" "$name"
}

# check_starter PID - root, filtered, without a capability that nothing of a recording needs
check_starter() {
	local set shown
	shown="uids $(field "$1" Uid | tr '\t' ' '), CapEff $(field "$1" CapEff)"
	say "  tidemark-starter: $shown, Seccomp $(field "$1" Seccomp)"
	[[ $(field "$1" NoNewPrivs) == 1 ]] || wrong "the starter may gain privileges"
	[[ $(field "$1" Seccomp) == 2 ]] || wrong "the starter has no filter"
	for set in CapInh CapPrm CapEff CapAmb CapBnd; do
		((($(capabilities_of "$1" $set) & ~STARTER_CAPS) == 0)) ||
			wrong "the starter has more in $set than it needs: $(field "$1" $set)"
	done
}

steady_process() { grep -q '^Seccomp:[[:space:]]*2' "/proc/$(program_pid "$RECORDER" "$1")/status" \
	2>/dev/null; }
PROGRAMS='collector opener symbolizer parser debuginfod exporter spool'
for name in $PROGRAMS; do
	until_true 20 steady_process tidemark-$name ||
		wrong "tidemark-$name has no filter after 20 s"
done

say "the processes in mid-record:"
found=
while read -r pid name; do
	[[ $(<"/proc/$pid/comm") != tidemark-starte ]] || name=tidemark-starter
	case $name in
	tidemark-starter) check_starter "$pid" ;;
	tidemark-collector) check_process "$pid" "$name" $((CAP_BPF | CAP_PERFMON)) $BOUNDING ;;
	tidemark-opener)
		check_process "$pid" "$name" "$OPENER_CAPS" $OPENER_CAPS
		(($(capabilities "$pid") == OPENER_CAPS)) ||
			wrong "the opener lacks a capability: private files stay unnamed"
		;;
	*) check_process "$pid" "$name" 0 0 ;;
	esac
	found+=" $name"
done < <(programs "$RECORDER")
for name in $PROGRAMS starter; do
	[[ $found == *tidemark-$name* ]] || wrong "tidemark-$name does not run"
done

exec 9<&-
[[ $(readlink "/proc/$COMMAND_PID/fd/9") == "$(realpath "$0")" ]] ||
	wrong "COMMAND has not what its caller had open"
while read -r pid name; do
	# The starter may have to open an output such as /dev/fd/9.
	[[ $(<"/proc/$pid/comm") != tidemark-starte ]] || continue
	! find "/proc/$pid/fd" -lname "$(realpath "$0")" | grep . ||
		wrong "$name has what its caller had open for COMMAND"
	stdin=$(readlink "/proc/$pid/fd/0") # the opener has none
	[[ ! $stdin || $stdin == /dev/null ]] || wrong "$name has its caller's stdin"
done < <(programs "$RECORDER")

uid_of() { field "$(program_pid "$RECORDER" "$1")" Uid | cut -d' ' -f1; }
collector=$(uid_of tidemark-collector) symbolizer=$(uid_of tidemark-symbolizer)
debuginfod=$(uid_of tidemark-debuginfod) exporter=$(uid_of tidemark-exporter)
spool=$(uid_of tidemark-spool)
command=$(field "$RECORDER" Uid | cut -d' ' -f1)
accounts="$collector $symbolizer $debuginfod $exporter $spool $command"
(($(printf '%s\n' $accounts | sort -u | wc -l) == 6)) ||
	wrong "two of $accounts are one account"
[[ $(uid_of tidemark-opener) == "$collector" ]] || wrong "the opener is not the collector's account"
[[ $(uid_of tidemark-parser) == "$symbolizer" ]] ||
	wrong "the parser is not the symbolizer's account"
for uid in $accounts; do
	if getent passwd "$uid" >/dev/null; then
		[[ $(getent passwd "$uid") == tidemark-* ]] ||
			wrong "$uid is somebody's: $(getent passwd "$uid")"
	else
		((uid >= 60578 && uid <= 61183)) ||
			wrong "$uid is outside the range that systemd leaves unused"
	fi
done

say "what the symbolizer can see of the ring:"
python '
import os, re, struct
pid = int(sys.argv[1])
scanned = hits = rings = 0
with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb", 0) as memory:
    for line in maps:
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)", line)
        start, end = int(found.group(1), 16), int(found.group(2), 16)
        if "memfd:" not in found.group(4) and "/dev/zero" not in found.group(4):
            continue
        rings += 1
        memory.seek(start)
        data = b""
        while len(data) < end - start:
            part = memory.read(end - start - len(data))
            if not part:
                break
            data += part
        words = struct.unpack("<%dQ" % (len(data) // 8), data[:len(data) // 8 * 8])
        # above: small negative numbers, which are no addresses
        bad = [word for word in words if 0xffff800000000000 <= word < 0xfffffffffffff000]
        used = sum(1 for word in words if word)
        print("  %s %s %d KiB, %d words in use, %d kernel addresses" %
              (found.group(4), found.group(3), (end - start) >> 10, used, len(bad)))
        scanned += used
        hits += len(bad)
        check(not bad, "kernel addresses in the shared memory: %s" % [hex(w) for w in bad[:4]])
check(rings >= 2, "only %d shared regions are mapped" % rings)
check(scanned > 1000, "only %d words are in use: nothing was seen" % scanned)
' "$(program_pid "$RECORDER" tidemark-symbolizer)"

stop_recording privileges 30
python '
kernel = sum(count for _, frames, count in folded(sys.argv[1]) if frames[-1].endswith("_[k]"))
print("  %d samples have kernel frames" % kernel)
check(kernel > 100, "hardly a kernel frame was recorded: nothing was to be seen")
' "$WORK/x.folded"
nothing_left

say "the accounts of tidemark.sysusers are used where they exist; the command's own is borrowed:"
cp /etc/passwd "$WORK/passwd"
cp /etc/group "$WORK/group"
id=64000
declare -A ACCOUNTS=()
for account in $(awk '$1 == "u" { print $2 }' "$TM_SOURCE/systemd/tidemark.sysusers"); do
	echo "$account:x:$id:$id::/:/usr/sbin/nologin" >>"$WORK/passwd"
	echo "$account:x:$id:" >>"$WORK/group"
	ACCOUNTS[$account]=$((id++))
done
for account in collector symbolizer debuginfod exporter spool; do
	[[ ${ACCOUNTS[tidemark-$account]:-} ]] ||
		wrong "tidemark.sysusers does not name tidemark-$account"
done
cat >"$WORK/with-accounts" <<WITH
#!/bin/sh
exec unshare --mount sh -c 'mount --bind $WORK/passwd /etc/passwd &&
	mount --bind $WORK/group /etc/group &&
	exec $TM_TIDEMARK "\$@"' sh "\$@"
WITH
chmod 755 "$WORK/with-accounts"
TM_TIDEMARK=$WORK/with-accounts
if begin_recording accounts "${CHILDREN[@]}" -o "$WORK/y.folded"; then
	for name in $PROGRAMS; do
		until_true 20 steady_process tidemark-$name ||
			wrong "tidemark-$name has no filter after 20 s"
		# The command's opener and parser share the accounts of those they work for.
		account=$name
		[[ $name != opener ]] || account=collector
		[[ $name != parser ]] || account=symbolizer
		uid=$(uid_of tidemark-$name) want=${ACCOUNTS[tidemark-$account]:-}
		say "  tidemark-$name: uid $uid"
		[[ $uid == "$want" ]] || wrong "tidemark-$name runs as $uid instead of $want"
	done
	((${#REMEMBERED_LOCKS[@]} == 1)) || wrong "borrowed are: ${REMEMBERED_LOCKS[*]}"
	stop_recording accounts 30
	nothing_left
fi

say "with --public-files the opener has CAP_SYS_PTRACE alone:"
if begin_recording public --public-files -o "$WORK/z.folded"; then
	until_true 20 steady_process tidemark-opener ||
		wrong "tidemark-opener has no filter after 20 s"
	opener=$(program_pid "$RECORDER" tidemark-opener)
	check_process "$opener" tidemark-opener "$CAP_SYS_PTRACE" \
		"$CAP_SYS_PTRACE"
	(($(capabilities "$opener") == CAP_SYS_PTRACE)) || wrong "the opener lacks CAP_SYS_PTRACE"
	kill -INT "$RECORDER"
	end_recording 30
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/public.err")"
	nothing_left
fi
finish
