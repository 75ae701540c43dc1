#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# selection - what is selected is recorded with all its later descendants, and nothing else is
. "$(dirname "$0")/../../lib/integration.bash"

"$TM_WORKLOADS/hot" 1 600 & # This program is never selected and is busy all the time.
STARTED+=($!)

say "-p PID: threads, later children, orphans; ends when none is left:"
coproc FAMILY { exec "$TM_WORKLOADS/process_tree" 12; }
family=$FAMILY_PID
STARTED+=("$family")
read -r -t 20 ready elder <&"${FAMILY[0]}" || wrong "the family did not start"
[[ ${ready:-} == ready ]] && STARTED+=("$elder")
# The thread spins from the start; the rest of the family begins when sampling has.
start_attached_recording pid -F 199 -p "$family" -o "$WORK/pid.folded" -o "$WORK/pid.pb.gz"
echo go >&"${FAMILY[1]}"
end_recording 120
((STATUS == 0)) || wrong "record -p exited with $STATUS: $(head -c 600 "$WORK/pid.err")"
gone "$family" || wrong "recording ended while the family was alive"
[[ -d /proc/$elder ]] || wrong "the elder is gone: it had to outlive the recording"
for pid in $(pgrep -x fam-last); do
	gone "$pid" || wrong "recording ended while the last orphan was alive"
done
if ((STATUS == 0)); then
	balance pid zero-drops
	python '
read = summary(sys.argv[1] + ".json")
seen = collections.Counter()
comms = collections.Counter()
for comm, frames, count in folded(sys.argv[1] + ".folded"):
    comms[comm] += count
    for frame in frames:
        if frame.startswith("spin_"):
            seen[frame] += count
print("  " + ", ".join("%s %d" % pair for pair in sorted(seen.items())))
print("  by thread name: " + ", ".join("%s %d" % pair for pair in sorted(comms.items())))
for name in ("spin_main", "spin_thread", "spin_child", "spin_orphan", "spin_last"):
    check(seen[name] >= 20, "only %d samples of %s" % (seen[name], name))
check(seen["spin_elder"] == 0, "the elder, born before, was recorded")
check(seen["spin_last"] >= 0.9 * 1.5 * read["hz"],
      "recording did not follow the last orphan, who spun for 1.5 s, to its end")
strange = set(comms) - {"fam-main", "fam-thread", "fam-child", "fam-orphan", "fam-last"}
check(not strange, "others were recorded: %s" % strange)
' "$WORK/pid"
fi
stop "$elder"

say "-p twice: both, nobody else:"
"$TM_WORKLOADS/deep" 5 1 60 & first=$!
"$TM_WORKLOADS/deep" 7 1 60 & second=$!
STARTED+=("$first" "$second")
if record_ok twice -F 199 -d 3 -p "$first" -p "$second" -o "$WORK/twice.folded"; then
	balance twice zero-drops
	python '
depths = collections.Counter()
for comm, frames, count in folded(sys.argv[1]):
    check(comm == "deep", "%s was recorded" % comm)
    depths[frames.count("recurse")] += count
print("  samples by depth: %s" % dict(depths))
check(depths[5] > 10 and depths[7] > 10, "one of the two is missing")
' "$WORK/twice.folded"
fi
stop "$first" "$second"

say "COMMAND: its children too, its status printed, nobody else:"
record_ok command -F 199 -o "$WORK/command.folded" -- \
	sh -c '"$1" 1 1; "$2" 3 1 1 & wait; exit 7' sh "$TM_WORKLOADS/hot" "$TM_WORKLOADS/deep" && {
	balance command zero-drops
	python '
read = summary(sys.argv[1] + ".json")
print("  status of COMMAND: %r" % read["command_status"])
check(read["command_status"] == 7, "the status of COMMAND is %r, not 7" % read["command_status"])
comms = collections.Counter()
for comm, frames, count in folded(sys.argv[1] + ".folded"):
    comms[comm] += count
print("  by thread name: %s" % dict(comms))
check(comms["hot"] > 10 and comms["deep"] > 10, "a child of COMMAND is missing")
# Between exec and the end of ld.so a child still has the name of the process that forked it.
check(set(comms) <= {"hot", "deep", "sh", "tidemark"}, "others were recorded: %s" % comms)
# The hot of this recording ran for one second; another hot, not selected, runs all the time.
check(comms["hot"] <= 1.3 * read["hz"],
      "%d samples of hot are more than its one second owes" % comms["hot"])
' "$WORK/command"
}

say "COMMAND runs as the caller: account, groups, environment, folder, descriptors, signals:"
cat >"$WORK/who.sh" <<'WHO'
exec 9>&-
grep -E '^(Umask|Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|SigBlk|SigIgn|SigQ)' /proc/$$/status |
	grep -v SigQ
cut -d' ' -f6,7,18,19 /proc/$$/stat # session, terminal, priority, nice
env | LC_ALL=C sort | grep -v '^_='
pwd
cat /proc/$$/limits /proc/$$/oom_score_adj /proc/$$/timerslack_ns
readlink /proc/$$/root /proc/$$/ns/* 
for fd in /proc/$$/fd/*; do # the pipe is that of the substitution itself
	printf '%s -> %s\n' "${fd##*/}" "$(readlink "$fd" | sed 's/pipe:.*/pipe/')"
done
echo "to the error output" >&2
read -r line && echo "read: $line"
WHO
mkdir -m 755 "$WORK/here"
as_caller() { # OUT COMMAND...
	local out=$1
	shift
	(
		cd "$WORK/here" && umask 027 && ulimit -S -n 777 && trap '' USR2 &&
			printf 'one line\n' >"$WORK/stdin" &&
			exec env TIDEMARK_TEST='a b' setpriv --groups 7,1234 --regid 77 \
				"$@" <"$WORK/stdin" >"$WORK/stdout" 2>"$WORK/stderr"
	)
	STATUS=$?
	mv "$WORK/stdout" "$WORK/$out.stdout"
	mv "$WORK/stderr" "$WORK/$out.stderr"
}
as_caller direct sh "$WORK/who.sh"
as_caller recorded "$TM_TIDEMARK" record -o "$WORK/who.folded" -- sh "$WORK/who.sh"
((STATUS == 0)) || wrong "record as another group exited with $STATUS:" \
	"$(head -c 400 "$WORK/recorded.stderr")"
grep -q '^to the error output$' "$WORK/recorded.stderr" || wrong "COMMAND's error output is lost"
head -n "$(wc -l <"$WORK/direct.stdout")" "$WORK/recorded.stdout" >"$WORK/recorded.head"
if diff "$WORK/direct.stdout" "$WORK/recorded.head" >"$WORK/diff"; then
	say "  $(wc -l <"$WORK/direct.stdout") lines about itself are the same as without tidemark"
else
	wrong "COMMAND sees itself otherwise than when run directly:"
	sed 's/^/    /' "$WORK/diff"
fi
finish
