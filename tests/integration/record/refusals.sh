#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# refusals - bad input and hosts that cannot: one sentence, the right exit code, nothing left
. "$(dirname "$0")/../../lib/integration.bash"

OUT=$WORK/out # The outputs go here; it must be empty after each refusal.
mkdir -m 777 "$OUT"
test_clean_up() { mountpoint -q "$WORK/small" && umount "$WORK/small"; }

# refused CODE PATTERN WHAT COMMAND... - exits with CODE, says one line that matches PATTERN
refused() {
	local code=$1 pattern=$2 what=$3 lines left
	shift 3
	timeout -k 5 60 "$@" >"$WORK/said.out" 2>"$WORK/said.err" </dev/null
	STATUS=$?
	say "$what: exit $STATUS: $(head -n 1 "$WORK/said.err")"
	((STATUS == code)) || wrong "exit code $STATUS instead of $code"
	lines=$(wc -l <"$WORK/said.err")
	((lines == 1)) || wrong "$lines lines on the error output instead of one sentence:" \
		"$(tail -n +2 "$WORK/said.err" | head -c 400)"
	grep -Eiq -- "$pattern" "$WORK/said.err" || wrong "the sentence does not match /$pattern/"
	left=$(ls -A "$OUT")
	[[ -z $left ]] || wrong "left behind: $left"
	find "$OUT" -mindepth 1 -delete
}

T=$TM_TIDEMARK
F=$OUT/x.folded

refused 2 'frobnicate' "no such command" "$T" frobnicate
refused 2 'wrongflag' "no such option" "$T" record --wrongflag -o "$F"
refused 2 'zero|0|-F' "0 Hz" "$T" record -F 0 -d 1 -o "$F"
refused 2 '20000|-F' "20 kHz" "$T" record -F 20000 -d 1 -o "$F"
refused 2 'abc|-F' "a rate that is no number" "$T" record -F abc -d 1 -o "$F"
refused 2 'abc|-d' "a length that is no number" "$T" record -d abc -o "$F"
refused 2 '-1|-d' "a negative length" "$T" record -d -1 -o "$F"
refused 2 'abc|-p' "a PID that is no number" "$T" record -p abc -d 1 -o "$F"
refused 2 '-d' "an option without its value" "$T" record -o "$F" -d
refused 2 'x\.svg' "an output with an unknown ending" "$T" record -d 1 -o "$OUT/x.svg"
refused 2 '-p|COMMAND' "both -p and COMMAND" "$T" record -p 1 -o "$F" -- true
refused 2 'every' "reports more often than once a second" "$T" record --every 0.5 -d 1 -o "$F"
refused 2 'off-cpu-rate has no meaning without --off-cpu' "a rate of off-CPU without off-CPU" \
	"$T" record --off-cpu-rate 100 -d 1 -o "$F"
refused 2 'off-cpu-min is longer than --off-cpu-max' "no time between least and most" \
	"$T" record --off-cpu --off-cpu-min 2ms --off-cpu-max 1ms -d 1 -o "$F"
mkfifo "$WORK/pipe.0001.folded"
exec {pipe}<>"$WORK/pipe.0001.folded" # a reader that is there before tidemark looks
refused 1 'pipe\.0001\.folded.*--every it must be a regular file' "a report into a pipe" \
	"$T" record --every 1 -d 1 -o "$WORK/pipe.folded"
exec {pipe}>&-
refused 1 "$OUT/no-such-folder/x.folded" "an output in a folder that does not exist" \
	"$T" record -d 1 -o "$OUT/no-such-folder/x.folded"
refused 1 '/proc/x.folded' "an output where nobody can write" "$T" record -d 1 -o /proc/x.folded

true & # a process number that is free again
dead=$!
wait "$dead"
refused 1 "$dead" "no such PID" "$T" record -p "$dead" -d 1 -o "$F"
refused 1 'no-such-program' "a COMMAND that does not exist" "$T" record -o "$F" -- \
	"$WORK/no-such-program"
printf 'not a program\n' >"$WORK/plain"
refused 1 "$WORK/plain" "a COMMAND that cannot be executed" "$T" record -o "$F" -- "$WORK/plain"

# Not root. The command is copied: another account need not reach the build tree, and the test is
# about the account, not about the path.
cp "$T" "$WORK/tidemark-copy"
chmod 755 "$WORK/tidemark-copy"
refused 3 'root' "not root" setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$WORK/tidemark-copy" record -d 1 -o "$F"

refused 3 'BTF' "no BTF" unshare --mount sh -c \
	'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh "$T" record -d 1 -o "$F"
refused 1 'uid cannot be locked in /run/tidemark: No space left' "a full /run" \
	unshare --mount sh -c 'mount -t tmpfs -o nr_inodes=1 none /run && exec "$@"' sh \
	"$T" record -d 1 -o "$F"
refused 3 'BPF' "bpf(2) refused" "$TM_WORKLOADS/deny_syscall" bpf "$T" record -d 1 -o "$F"
refused 3 'needs [0-9]+ descriptors here, and the hard limit is 64' "few descriptors" \
	bash -c 'ulimit -n 64 && exec "$@"' bash "$T" record -d 1 -o "$F"
refused 3 'time namespace.* another clock' "a clock of its own" unshare --time --fork \
	--monotonic 3600 "$T" record -d 1 -o "$F"
refused 1 'time namespace.* another clock' "a service with a clock of its own" unshare --time \
	--fork --monotonic 3600 "$TM_BUILD/service/tidemark-service" collector 99 \
	"$TM_BUILD/collector/tidemark-collector"
refused 3 'so at least [0-9]+ MiB are needed' "memory for less than the programs" "$T" record \
	-d 1 --memory-max 16 -o "$F"
least=$(grep -o 'at least [0-9]*' "$WORK/said.err" | grep -o '[0-9]*')
say "the least memory that it said, $least MiB, is enough, and one MiB less is not:"
record_ok least -d 1 --memory-max "$least" -o "$WORK/least.folded" && balance least
refused 3 "at least $least MiB are needed" "$((least - 1)) MiB" "$T" record -d 1 \
	--memory-max $((least - 1)) -o "$F"
refused 3 'perf' "perf_event_open(2) refused" "$TM_WORKLOADS/deny_syscall" perf_event_open \
	"$T" record -d 1 -o "$F"
refused 3 'BPF|CAP_|capab|perf' "root without CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN" \
	setpriv --bounding-set -bpf,-perfmon,-sys_admin "$T" record -d 1 -o "$F"
for lost in kill setuid setgid setpcap sys_ptrace; do
	refused 3 "CAP_${lost^^}" "root without CAP_${lost^^}" \
		setpriv --bounding-set -$lost "$T" record -d 1 -o "$F"
done

say "no messages from the kernel about CPUs:"
timeout 60 "$TM_WORKLOADS/deny_syscall" socket "$T" record -d 1 -o "$F" >"$WORK/deaf.out" \
	2>"$WORK/deaf.err"
STATUS=$?
say "  exit $STATUS: $(grep -m 1 'CPUs' "$WORK/deaf.err")"
# An idle second has no stacks: the file may be empty.
((STATUS == 0)) && [[ -e $F ]] || wrong "exit code $STATUS: $(head -c 400 "$WORK/deaf.err")"
grep -q 'CPUs that come later are not sampled' "$WORK/deaf.err" || wrong "it does not say so"
rm -f "$F"

mkdir "$WORK/small"
mount -t tmpfs -o size=16k none "$WORK/small"
full() { # NAME - its files, apart from the filler
	find "$WORK/small" -mindepth 1 ! -name filler
}
head -c 12288 /dev/zero >"$WORK/small/filler"
"$TM_WORKLOADS/hot" 2 60 &
busy=$!
STARTED+=("$busy")
refused 1 'small/x.html.*([Nn]o space|full)' "a full disk" "$T" record -d 1 -o "$WORK/small/x.html"
[[ -z $(full) ]] || wrong "left behind on the full disk: $(full)"

say "a full disk and a second output elsewhere:"
record two -d 2 -o "$WORK/small/x.html" -o "$OUT/whole.folded"
say "  exit $STATUS: $(grep -m 1 small "$WORK/two.err")"
((STATUS == 4)) || wrong "exit code $STATUS instead of 4"
[[ -z $(full) ]] || wrong "left behind on the full disk: $(full)"
[[ $(ls -A "$OUT") == whole.folded ]] || wrong "beside the whole output: $(ls -A "$OUT")"
grep -Eq 'small/x.html.*([Nn]o space|full)' "$WORK/two.err" ||
	wrong "the sentence does not name the file and the reason"
if balance two; then
	python 'total, read = folded_total(sys.argv[1]), summary(sys.argv[2])
check(total == read["exported"], "the other output holds %d of %d samples" %
      (total, read["exported"]))' \
		"$OUT/whole.folded" "$WORK/two.json"
fi
rm -f "$OUT/whole.folded"

say "an output that exists stays as it was when the new one cannot be written:"
echo old >"$WORK/small/y.html"
record old -d 1 -o "$WORK/small/y.html"
say "  exit $STATUS"
((STATUS == 1)) || wrong "exit code $STATUS instead of 1"
[[ $(cat "$WORK/small/y.html") == old ]] || wrong "the old file was lost"
stop "$busy"
finish
