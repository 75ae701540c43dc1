#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# intervals - reports in between: each balances, all add up, names last; a full disk costs one file
#
# The samples that each report took are compared with the hits of the kernel's timers in its
# interval, which are counted from outside.
. "$(dirname "$0")/../../lib/integration.bash"

OUT=$WORK/out
DISK=$WORK/disk

test_clean_up() { mountpoint -q "$DISK" && umount -l "$DISK"; }

# reported NAME N - whether report N was printed
reported() { grep -q "^report $2: " "$WORK/$1.out"; }
await_report() {
	until_true 30 reported "$@" && return
	wrong "no report $2 of $1: $(head -c 600 "$WORK/$1.err")"
	return 1
}
no_hidden_files() {
	local left
	left=$(find "$WORK" -name '.tidemark-*')
	[[ -z $left ]] || wrong "left behind: $left"
}

mkdir "$OUT"
for name in steady resting; do
	cp "$TM_WORKLOADS/hot" "$WORK/$name"
	"$WORK/$name" 1 600 &
	STARTED+=($!)
	declare "$name=$!"
done

say "a report every second; one program rests from the second on:"
"$TM_TIDEMARK" record -F 499 --every 1 --summary "$WORK/sum.json" -o "$OUT/x.folded" \
	-o "$OUT/x.html" -o "$OUT/x.pb.gz" >"$WORK/sum.out" 2>"$WORK/sum.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
await_report sum 1 || finish
kill -STOP "$resting"
rm "$WORK/resting" # The file cannot be opened later by its path.
# What was sampled until now is in the report in the making and in that of the open interval.
at=$(grep -c '^report [0-9]*: ' "$WORK/sum.out")
remember "$RECORDER"
count_hits sum
await_report sum $((at + 3))
kill -CONT "$resting"
await_report sum $((at + 5))
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/sum.err")"
nothing_left
no_hidden_files
stop "$steady" "$resting"
sed -n 's/; written.*//; /^report/p' "$WORK/sum.out" | sed 's/^/  /'
tables=$(grep -c 'self *total *function' "$WORK/sum.out")
((tables == 1)) || wrong "$tables tables, not that of the last report alone"
python '
from hits import *
work, out, at = *sys.argv[1:3], int(sys.argv[3])
names = sorted(n for n in os.listdir(work) if re.match(r"sum\.\d+\.json$", n))
check(len(names) >= at + 5, "only %s" % names)
whole, hits, compared = collections.Counter(), Hits(work + "/sum.hits"), 0
resting = []
for number, name in enumerate(names, 1):
    read = summary(os.path.join(work, name))
    balance(read, True)
    check(name == "sum.%04d.json" % number and read["report"] == number,
          "%s is report %s" % (name, read["report"]))
    stem = os.path.join(out, "x.%04d" % number)
    stacks = folded(stem + ".folded")
    total = sum(count for _, _, count in stacks)
    page, pprof = Page(stem + ".html"), Pprof(stem + ".pb.gz")
    check(total == read["exported"] == pprof.total() == page.total(),
          "report %d: the files hold %d, %d and %d, exported are %d" %
          (number, total, pprof.total(), page.total(), read["exported"]))
    compared += check_interval("report %d" % number, pprof, read["taken"], hits,
                               read["hz"], read["cpus"])
    for key in ("seconds", "taken", "exported"):
        whole[key] += read[key]
        in_summary = read["recording"][key]
        check(abs(whole[key] - in_summary) < 1e-6,
              "report %d: the reports so far add up to %s %s, but the summary has %s" %
              (number, key, whole[key], in_summary))
    found = collections.Counter()
    for comm, frames, count in stacks:
        if comm not in ("steady", "resting"):
            continue
        if truncation(frames) in ("exec", "exiting", "no_table"):
            continue
        found[comm] += count
        check(frames[:3] == ["_start", "bare_entry", "bare_run"] and user_leaf(frames) in
              ("hot_60", "hot_30", "hot_10", "one_round", "work", "bare_clock_ns"),
              "report %d: %s stands as %s" % (number, comm, frames))
    for comm, path, frames, count in page.samples:
        check(comm not in ("steady", "resting") or path == os.path.join(work, comm),
              "report %d: %s is said to run %s" % (number, comm, path))
    print("  report %d: %d samples of the steady one, %d of the resting one, all by name and path" %
          (number, found["steady"], found["resting"]))
    check(found["steady"] > 0, "report %d lacks the steady program" % number)
    resting.append(found["resting"])
check(compared >= 3, "only %d reports could be held against the timers" % compared)
check(resting[0] > 0 and resting[at + 2] == 0 and sum(resting[at + 3:]) > 0,
      "the resting program was hit %s times" % resting)
left = set(os.listdir(out)) - {"x.%04d.%s" % (n, e) for n in range(1, len(names) + 1)
                               for e in ("folded", "html", "pb.gz")}
check(not left, "these files should not be there: %s" % sorted(left))
' "$WORK" "$OUT" "$at"

say "a disk that is full in the second interval:"
mkdir "$DISK"
mount -t tmpfs -o size=512k tidemark "$DISK" || skip "no tmpfs can be mounted"
begin_recording full -F 199 --every 1 -o "$DISK/x.html" -o "$OUT/full.folded" || finish
await_report full 1
dd if=/dev/zero of="$DISK/filler" bs=4096 status=none 2>/dev/null
until_true 30 grep -q 'x\.[0-9]*\.html: cannot be written' "$WORK/full.err" ||
	wrong "a full disk is not reported"
rm "$DISK/filler"
full=$(grep -o 'x\.[0-9]*\.html: cannot' "$WORK/full.err" | tail -n 1 | tr -dc 0-9)
await_report full $((10#$full + 2))
kill -INT "$RECORDER"
end_recording 60
grep 'cannot be written' "$WORK/full.err" | head -n 2 | sed "s|$WORK/||; s/^/  /"
((STATUS == 4)) || wrong "exit code $STATUS, not 4: $(head -c 600 "$WORK/full.err")"
nothing_left
no_hidden_files
python '
work, disk, out = sys.argv[1:]
messages = open(work + "/full.err", encoding="utf-8").read()
lost = {int(n) for n in re.findall(r"x\.(\d+)\.html: cannot be written: No space left", messages)}
exported = 0
numbers = sorted(int(n.split(".")[1]) for n in os.listdir(work)
                 if re.match(r"full\.\d+\.json$", n))
for number in numbers:
    read = summary("%s/full.%04d.json" % (work, number))
    balance(read, True)
    exported += read["exported"]
    page = "%s/x.%04d.html" % (disk, number)
    check(os.path.exists(page) == (number not in lost),
          "%s exists: %s" % (page, os.path.exists(page)))
    if number not in lost:
        check(Page(page).total() == read["exported"], "%s is not whole" % page)
    check(folded_total("%s/full.%04d.folded" % (out, number)) == read["exported"],
          "the folded file of report %d is not whole" % number)
check(read["recording"]["exported"] == exported,
      "the reports add up to %d exported samples, the summary has %s" %
      (exported, read["recording"]))
check(lost and 1 not in lost and len(numbers) not in lost,
      "the pages of reports %s of %d were lost" % (lost, len(numbers)))
print("  %d reports, page %s left out, the rest whole" % (len(numbers), sorted(lost)))
' "$WORK" "$DISK" "$OUT"
umount "$DISK"

for victim in tidemark-symbolizer tidemark-collector tidemark; do
	say "kill -9 of $victim after the first report:"
	rm -f "$OUT"/*
	begin_recording "dead-$victim" -F 199 --every 1 -o "$OUT/x.folded" || continue
	await_report "dead-$victim" 1
	pid=$(program_pid "$RECORDER" "$victim")
	kill -KILL "$pid"
	if [[ $victim == tidemark ]]; then
		wait "$RECORDER" 2>/dev/null
	else
		end_recording 30
		((STATUS == 1 || STATUS == 4)) || wrong "exit code $STATUS"
	fi
	nothing_left
	no_hidden_files
	stop "$COMMAND_PID"
	python '
work, out, name, victim = sys.argv[1:]
names = sorted(n for n in os.listdir(work) if n.startswith(name + ".") and n.endswith(".json"))
for number, file in enumerate(names, 1):
    read = summary(os.path.join(work, file))
    balance(read)
    path = "%s/x.%04d.folded" % (out, number)
    if os.path.exists(path):
        check(folded_total(path) == read["exported"], "%s is not whole" % path)
    else:
        check(read["exported"] == 0, "%s is missing" % path)
check(len(names) >= 1, "no summary")
check(len(os.listdir(out)) in (len(names), len(names) - 1),
      "the outputs are %s, the summaries %s" % (os.listdir(out), names))
if victim == "tidemark-symbolizer":
    check(read["dropped"]["symbolizer_died"] > 0, "nothing died with it")
' "$WORK" "$OUT" "dead-$victim" "$victim"
done
finish
