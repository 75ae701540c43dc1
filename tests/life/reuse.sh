#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# reuse - a PID given to one process after the other: no sample goes to the wrong one, none is lost
. "$(dirname "$0")/../lib/system.bash"
. "$(dirname "$0")/life.bash"

COUNT=${TM_LIFE_N:-400} # children per case, at most 10000
((COUNT > 10000)) && COUNT=10000
MICROSECONDS=3000
HZ=1999
PID=$(($(</proc/sys/kernel/pid_max) - 5))

mkdir "$WORK/lives"
clone_lives "$COUNT"
must cp "$TM_LIFE/reuse" "$TM_LIFE/reuse-pie" "$WORK"

# judge CASE - reads $WORK/CASE.lived, .json, .html
judge() {
	balance "$1" || return
	python '
from lives import *
case, work = sys.argv[1:]
read = summary("%s/%s.json" % (work, case))
lives = Lives("%s/%s.html" % (work, case))
lived = [tuple(map(int, line.split())) for line in open("%s/%s.lived" % (work, case))]
reuses = sum(a[1] == b[1] for a, b in zip(lived, lived[1:]))
exe = work + ("/reuse-pie" if case == "aslr" else "/reuse")
function, name, expected = r"spin_(\d+)", "g%d", lambda n: (exe, None)
if case == "cgroup":
    expected = lambda n: (exe, ("tidemark-life-a", "tidemark-life-b")[n & 1])
if case in ("other", "queued"):
    # not all of thousands of files are opened: the others show file name and offset
    function, name = r"own_function_(\d+)|life-(\d+)\+0x.*", "life-%06d"
    expected = lambda n: ("%s/lives/life-%06d" % (work, n), None)
found, wrong = generations(lives, re.compile(function), lambda n: name % n, expected)
print("  %d children, %d took the PID of the one before; %d were hit in their own function" %
      (len(lived), reuses, len(found)))
for what, hit in wrong[:3]:
    print("    %s: %s" % (what, hit))
check(not wrong, "%d samples with a wrong %s" % (sum(w[1].count for w in wrong), wrong and wrong[0][0]))
check(reuses >= 0.95 * len(lived), "only %d reuses of %d" % (reuses, len(lived)))
check(len(found) >= 0.95 * len(lived), "only %d of %d children were hit" % (len(found), len(lived)))
pids = {pid for _, pid, _ in lived}
mine = sum(hit.count for hit in lives.hits if hit.life.ns_tgid in pids)
half_way = sum(hit.count for hit in lives.hits if hit.life.ns_tgid in pids and in_kernel_half_way(hit))
print("  half-way, in exec or without an mm: %d of %d samples" % (half_way, mine))
delivered(read, mine, sum(cpu for _, _, cpu in lived), len(lived))
' "$1" "$WORK"
}

# lives_of CASE ARGUMENT... - records `reuse` with these arguments
lives_of() {
	local case=$1
	shift
	say "$case:"
	record_ok "$case" -F $HZ -o "$WORK/$case.html" -- sh -c 'out=$1; shift; exec "$@" >"$out"' sh \
		"$WORK/$case.lived" "$WORK/reuse" $PID "$COUNT" $MICROSECONDS "$@" && judge "$case"
}

lives_of same fork
lives_of other clones "$WORK/lives/life-"
lives_of aslr exec "$WORK/reuse-pie"

if cgroup_make; then
	exec {a}<"$CGROUP/tidemark-life-a" {b}<"$CGROUP/tidemark-life-b"
	lives_of cgroup cgroup $a $b
	exec {a}<&- {b}<&-
else
	say "cgroup: left out: no cgroup2 to write to"
fi

# Readers stopped, so that every predecessor has samples that nobody has read yet.
say "queued: both programs are stopped while the PID goes round"
rm -f "$WORK/started" "$WORK/go"
mkfifo "$WORK/started" "$WORK/go"
queued=$((COUNT < 300 ? COUNT : 300))
"$TM_TIDEMARK" record --summary "$WORK/queued.json" -F $HZ -o "$WORK/queued.html" -- \
	sh -c 'echo >"$1"; read go <"$2"; out=$3; shift 3; exec "$@" >"$out"' sh \
	"$WORK/started" "$WORK/go" "$WORK/queued.lived" \
	"$WORK/reuse" $PID $queued $MICROSECONDS clones "$WORK/lives/life-" \
	>"$WORK/queued.out" 2>"$WORK/queued.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
timeout 30 head -n 1 "$WORK/started" >/dev/null || wrong "COMMAND did not start"
readers=("$(program_pid $RECORDER tidemark-collector)" "$(program_pid $RECORDER tidemark-symbolizer)")
all_lived() { (($(wc -l <"$WORK/queued.lived") == queued)); }
kill -STOP "${readers[@]}"
echo go >"$WORK/go"
until_true 60 all_lived || wrong "the children did not come to an end"
kill -CONT "${readers[@]}"
end_recording 60
((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 300 "$WORK/queued.err")"
judge queued
finish
