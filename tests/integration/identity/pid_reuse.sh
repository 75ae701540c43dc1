#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pid_reuse - when a PID is given to one process after the other, no sample is counted for the wrong
# one, and none is lost
#
# pid_reuse.sh [CASE...]: the cases are same other aslr cgroup held waiting; without an argument all
# of them are tested.
# TM_PROCESSES: the number of reuses in each case (10000 for the whole proof). Upstream ignores a
# PID until its last owner is cleaned up (#379), and so loses samples of the next owner; P2 counts
# what is lost.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

processes_of_this_run 400
WANTED=("$@")
wanted() { ((${#WANTED[@]} == 0)) || [[ " ${WANTED[*]} " == *" $1 "* ]]; }
MICROSECONDS=3000
HZ=1999
QUEUED=150 # the number of reuses while nobody reads
PID=$(($(</proc/sys/kernel/pid_max) - 5))

mkdir "$WORK/numbered"
make_numbered_programs "$TM_PROCESSES"
must cp "$TM_WORKLOADS/pid_reuse" "$TM_WORKLOADS/pid_reuse-pie" "$WORK"

# judge CASE - reads $WORK/CASE.lived, .json, .html and what the witness wrote
judge() {
	balance "$1" || return
	python '
from process_page import *
from reference import *
case, work = sys.argv[1:]
read = summary("%s/%s.json" % (work, case))
page = ProcessPage("%s/%s.html" % (work, case))
sideband, records, ran = read_recording(work, case)
judged = Judgement(sideband, records)
lived = [tuple(map(int, line.split())) for line in open("%s/%s.lived" % (work, case))]
reuses = sum(a[1] == b[1] for a, b in zip(lived, lived[1:]))
exe = work + ("/pid_reuse-pie" if case == "aslr" else "/pid_reuse")
function, name, expected = r"spin_(\d+)", "g%d", lambda n: (exe, None)
if case == "cgroup":
    expected = lambda n: (exe, ("tidemark-test-a", "tidemark-test-b")[n & 1])
if case in ("other", "held", "waiting"):
    # Not all of the thousands of files are opened; the others are shown by file name and offset.
    function, name = r"own_function_(\d+)|program-(\d+)\+0x.*", "program-%06d"
    expected = lambda n: ("%s/numbered/program-%06d" % (work, n), None)
found, wrong = generations(page, re.compile(function), lambda n: name % n, expected)
pids = {pid for _, pid, _ in lived}
mine = [hit for hit in page.hits if hit.generation.ns_tgid in pids]
print("  P1: %d children, %d took the PID of the one before; %d were hit in their own function; "
      "of %d samples %d wrong on the page, %d wrong by the sideband, %d not judged" %
      (len(lived), reuses, len(found), sum(h.count for h in mine), len(wrong), len(judged.wrong),
       judged.counts["unjudged"]))
for what in wrong[:3] + judged.wrong[:3]:
    print("    %s" % (what,))
check(not wrong, "%d samples are wrong on the page; the first has: %s" %
      (sum(w[1].count for w in wrong), wrong and wrong[0][0]))
check(not judged.wrong, "%d samples are wrong by the sideband; the first has: %s" %
      (len(judged.wrong), judged.wrong and judged.wrong[0][0]))
n = judged.counts
judgeable = sum(n[key] for key in ("whole", "in_exec", "dying"))
check(n["unjudged"] <= 0.05 * judgeable,
      "%d samples could not be judged, %d could" % (n["unjudged"], judgeable))
check(reuses >= 0.95 * len(lived), "only %d reuses of %d" % (reuses, len(lived)))
check(len(found) >= 0.5 * len(lived),
      "only %d of %d children were hit" % (len(found), len(lived)))
# Only the children are counted here. Their births are reported, so that none is taken for another.
check_delivered(records, ran,
                {s.tgid for s in records.samples if records.own_tgid(s.tgid) in pids})
owed = read["hz"] * sum(cpu for _, _, cpu in lived) / 1e6
half_way = sum(h.count for h in mine if in_kernel_half_way(h))
print("  by their CPU time, %.0f samples would be due; %d samples are in exec or without an mm" %
      (owed, half_way))
' "$1" "$WORK"
}

# begin_lives CASE COUNT ARGUMENT... - begins a recording of `pid_reuse` with these arguments, and
# holds `pid_reuse` back before its first instruction
begin_lives() {
	local case=$1 count=$2
	shift 2
	reference_recording_begin "$case" -F $HZ -o "$WORK/$case.html" -- sh -c \
		'out=$1; shift; exec "$@" >"$out"' sh \
		"$WORK/$case.lived" "$WORK/pid_reuse" $PID "$count" $MICROSECONDS "$@"
}

lives_of() { # CASE ARGUMENT...
	wanted "$1" || return 0
	say "$1:"
	begin_lives "$1" "$TM_PROCESSES" "${@:2}" && reference_recording_end "$1" && judge "$1"
}

lives_of same fork
lives_of other clones "$WORK/numbered/program-"
lives_of aslr exec "$WORK/pid_reuse-pie"

if cgroup_make; then
	exec {a}<"$CGROUP/tidemark-test-a" {b}<"$CGROUP/tidemark-test-b"
	lives_of cgroup cgroup $a $b
	exec {a}<&- {b}<&-
else
	say "cgroup: left out: there is no cgroup2 hierarchy that can be written to"
fi

all_lived() { (($(wc -l <"$WORK/$1.lived") >= $2)); }

# queued CASE COUNT PROGRAM... - COUNT reuses; the programs named are stopped during QUEUED of them,
# run during the next QUEUED, and so on
queued() {
	local case=$1 count=$2 name lived=0 readers=()
	wanted "$case" || return 0
	say "$case: these are stopped while the PID is reused: ${*:3}"
	: >"$WORK/$case.lived"
	begin_lives "$case" "$count" clones "$WORK/numbered/program-" || return
	for name in "${@:3}"; do
		readers+=("$(program_pid "$RECORDER" "$name")")
	done
	kill -STOP "${readers[@]}"
	echo go >"$WORK/$case.go"
	while ((lived < count)); do
		lived=$((lived + QUEUED < count ? lived + QUEUED : count))
		until_true 60 all_lived "$case" $lived ||
			wrong "the children did not come to an end"
		kill -CONT "${readers[@]}"
		((lived == count)) && break
		lived=$((lived + QUEUED < count ? lived + QUEUED : count))
		until_true 60 all_lived "$case" $lived ||
			wrong "the children did not come to an end"
		kill -STOP "${readers[@]}"
	done
	kill -CONT "${readers[@]}"
	reference_recording_wait "$case" && judge "$case"
}
queued held $((TM_PROCESSES < 300 ? TM_PROCESSES : 300)) tidemark-collector tidemark-symbolizer
queued waiting "$TM_PROCESSES" tidemark-symbolizer
finish
