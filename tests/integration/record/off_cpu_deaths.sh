#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# off_cpu_deaths - waiting times add up in stacks and in ns, in reports in between and whichever
# program is killed
. "$(dirname "$0")/../../lib/integration.bash"

# begin NAME ARGUMENT... - records a shell whose every line in $WORK/NAME.waits is a wait, and
# returns after twenty waits, two more reports and twenty more waits
begin() {
	local name=$1
	shift
	: >"$WORK/$name.waits"
	# shellcheck disable=SC2016 # expanded by the inner shell
	start_attached_recording "$name" --off-cpu --off-cpu-rate 100000 --every 1 --no-lines \
		-o "$WORK/$name.folded" "$@" -- \
		sh -c 'while sleep 0.01; do echo >>"$1"; done' sh "$WORK/$name.waits"
	more_waits "$name"
	more_reports "$name"
	more_waits "$name"
}

reports() { grep -c '^report ' "$WORK/$1.out"; }
reported() { (($(reports "$1") >= $2)); }
more_reports() {
	until_true 30 reported "$1" $(($(reports "$1") + 2)) || wrong "no more reports"
}

waits() { wc -l <"$WORK/$1.waits"; }
waited() { (($(waits "$1") >= $2)); }
more_waits() {
	until_true 30 waited "$1" $(($(waits "$1") + 20)) || wrong "the workload does not wait"
}

kill_program() { # NAME PROGRAM
	local pid
	pid=$(program_pid "$RECORDER" "$2")
	[[ -n $pid ]] || wrong "no $2 runs"
	kill -KILL "$pid"
	say "  $(waits "$1") waits until $2 was killed"
}

# check_reports NAME REASON - checks each report, and that REASON took some, in one report alone
check_reports() {
	python '
work, name, reason = sys.argv[1:]
names = sorted(n for n in os.listdir(work) if re.match(name + r"\.\d+\.json$", n))
check(len(names) >= 3, "only %d reports" % len(names))
whole, lost = collections.Counter(), []
for at in names:
    read = summary(os.path.join(work, at))
    balance(read)
    waits = read["off_cpu"]
    for unit in ("", "_ns"):
        whole["taken" + unit] += waits["taken" + unit]
        whole["exported" + unit] += waits["exported" + unit]
        whole["dropped" + unit] += sum(waits["dropped" + unit].values())
    lost.append((waits["dropped"][reason], waits["dropped_ns"][reason]))
for key, sum_of_all in whole.items():
    check(sum_of_all == waits["recording"][key],
          "%s: the reports add up to %d, the last says %d" %
          (key, sum_of_all, waits["recording"][key]))
print("  lost as %s, by report: %s" % (reason, lost))
check(all((n > 0) == (ns > 0) for n, ns in lost), "stacks without ns, or ns without stacks")
check(sum(n > 0 for n, _ in lost) <= 1, "lost in several reports")
check(whole["exported"] > 20, "only %d waits were exported" % whole["exported"])
if reason == "symbolizer_died":
    check(sum(n for n, _ in lost) >= 10, "what was waited before the kill is not lost")
' "$WORK" "$1" "$2"
}

say "a new symbolizer after a dead one:"
begin restarted --restart
kill_program restarted tidemark-symbolizer
until_true 20 grep -q 'restarted tidemark-symbolizer' "$WORK/restarted.err" ||
	wrong "the symbolizer was not restarted: $(tail -n 3 "$WORK/restarted.err")"
more_reports restarted
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/restarted.err")"
check_reports restarted symbolizer_died

for victim in symbolizer collector; do
	say "kill -9 of the $victim:"
	begin $victim
	kill_program $victim tidemark-$victim
	end_recording 60
	((STATUS == 1 || STATUS == 4)) || wrong "exit code $STATUS"
	check_reports $victim ${victim}_died
	grep -q '^off-CPU: taken ' "$WORK/$victim.out" || wrong "no line about off-CPU at the end"
done
finish
