#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# doctor - what a host lacks is said line by line, as record finds it: in text, JSON and exit code
. "$(dirname "$0")/../../lib/integration.bash"

T=$TM_TIDEMARK

# shows CODE LINE WHAT COMMAND... - tidemark doctor behind COMMAND exits with CODE and has a line
# that matches LINE
shows() {
	local code=$1 line=$2 what=$3
	shift 3
	"$@" "$T" doctor >"$WORK/said" 2>"$WORK/said.err" </dev/null
	STATUS=$?
	say "$what: exit $STATUS: $(grep -Em 1 -- "$line" "$WORK/said")"
	((STATUS == code)) || wrong "exit code $STATUS instead of $code: $(<"$WORK/said")"
	grep -Eq -- "$line" "$WORK/said" || wrong "no line matches /$line/: $(<"$WORK/said")"
	"$@" "$T" doctor --json >"$WORK/said.json" </dev/null
	python '
import json
with open(sys.argv[1], encoding="utf-8") as file:
    found = json.load(file)
verdicts = {each["verdict"] for each in found["checks"]}
check(found["recording_possible"] == (sys.argv[2] == "0") == ("fail" not in verdicts),
      "recording_possible is %s with %s" % (found["recording_possible"], verdicts))
check(len({each["check"] for each in found["checks"]}) == len(found["checks"]) >= 5,
      "checks are missing, or there twice")
' "$WORK/said.json" "$code"
}

# finds CODE LINE WHAT COMMAND... - the same, and record, where it cannot record, has that exit code
finds() {
	local recorded
	shows "$@"
	"${@:4}" "$T" record -d 0.2 -o "$WORK/x.folded" >/dev/null 2>&1 </dev/null
	recorded=$?
	((recorded == $1)) || wrong "record exits with $recorded"
}

# with_text TEXT FILE COMMAND... - in a mount namespace where FILE has this text. Most settings
# cannot be changed while anybody on this host uses them.
with_text() {
	echo "$1" >"$WORK/text"
	unshare --mount --propagation private sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' \
		"$WORK/text" "${@:2}"
}

finds 0 '^ok +kernel +Linux' "this host" env
finds 0 '^note +processes .*PID namespace' "a PID namespace" unshare --pid --fork --mount-proc
finds 0 '^note +cache .*cannot be written' "a read-only /var" unshare --mount \
	--propagation private sh -c 'mount --bind /var /var && mount -o remount,bind,ro /var &&
	exec "$@"' sh
finds 0 '^note +capabilities .*CAP_SYSLOG, CAP_DAC_READ_SEARCH' "no private files" \
	setpriv --bounding-set -syslog,-dac_read_search
finds 3 '^FAIL +capabilities .*CAP_BPF, CAP_PERFMON' "no BPF" \
	setpriv --bounding-set -cap_39,-cap_38
finds 3 '^FAIL +bpf .*Operation not permitted' "bpf(2) refused" "$TM_WORKLOADS/deny_syscall" bpf
finds 3 '^FAIL +types .*No such file' "no BTF" unshare --mount sh -c \
	'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh
finds 3 '^FAIL +descriptors .*hard limit is 64' "few descriptors" \
	bash -c 'ulimit -n 64 && exec "$@"' bash
finds 3 '^FAIL +clock ' "a clock of its own" unshare --time --fork --monotonic 3600
finds 0 '^note +depth .*max_stack is 64' "kernel stacks of 64 frames" \
	with_text 64 /proc/sys/kernel/perf_event_max_stack
finds 0 '^note +rate .*max_sample_rate is 50, less than the 99' "50 samples a second" \
	with_text 50 /proc/sys/kernel/perf_event_max_sample_rate
finds 0 '^note +jit .*interpreted' "no JIT compiler for BPF" \
	with_text 0 /proc/sys/net/core/bpf_jit_enable
# What this kernel lacks: it only looks as if.
mkdir -p "$WORK/security" "$WORK/nodes/node1"
echo 'none integrity [confidentiality]' >"$WORK/security/lockdown"
[[ ! -d /sys/kernel/security ]] ||
	shows 3 '^FAIL +lockdown .*confidentiality' "a kernel that is locked down" unshare \
		--mount --propagation private sh -c \
		'mount --bind "$0" /sys/kernel/security && exec "$@"' "$WORK/security"
[[ ! -e /proc/sys/kernel/numa_balancing ]] ||
	shows 0 '^note +numa .*numa_balancing' "two nodes with NUMA balancing" with_text 1 \
		/proc/sys/kernel/numa_balancing unshare --mount --propagation private sh -c \
		'mount --bind "$0" /sys/devices/system/node && exec "$@"' "$WORK/nodes"

# Another account need not reach the build tree.
cp "$T" "$WORK/copy"
chmod 755 "$WORK/copy"
T=$WORK/copy
setpriv --reuid 65534 --regid 65534 --clear-groups "$T" doctor >"$WORK/said" 2>&1
STATUS=$?
say "not root: exit $STATUS: $(grep account "$WORK/said")"
((STATUS == 3)) || wrong "exit code $STATUS"
grep -q '^FAIL *account .*uid 65534' "$WORK/said" || wrong "$(<"$WORK/said")"
"$T" doctor x >"$WORK/said" 2>&1
(($? == 2)) || wrong "an argument is accepted: $(<"$WORK/said")"
finish
