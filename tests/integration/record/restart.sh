#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# restart - with --restart, a new symbolizer follows one that is killed in mid-record, and all that
# it writes is right
#
# The samples taken are compared with the hits of the kernel's timers, which are counted from
# outside.
. "$(dirname "$0")/../../lib/integration.bash"

HZ=499
OUT=$WORK/out

# Two programs of one name and two paths are sampled long before a symbolizer is killed.
mkdir "$OUT" "$WORK/a" "$WORK/b"
for place in a b; do
	cp "$TM_WORKLOADS/hot" "$WORK/$place/same"
	"$WORK/$place/same" 1 600 &
	STARTED+=($!)
	declare "$place=$!"
done

begin() { # NAME ARGUMENT...
	local name=$1 from=${EPOCHREALTIME/./}
	shift
	start_attached_recording "$name" -F $HZ --restart -o "$OUT/$name.folded" \
		-o "$OUT/$name.html" -o "$OUT/$name.pb.gz" "$@"
	count_hits "$name"
	# During these microseconds the hits were not counted yet.
	BEGUN_LATER=$((${EPOCHREALTIME/./} - from))
}

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# work TICKS - waits until each of the programs has run for so many hundredths of a second more
work() {
	local a_end=$(($(ticks "$a") + $1)) b_end=$(($(ticks "$b") + $1))
	until_true 30 ran "$a" $a_end
	until_true 30 ran "$b" $b_end
}

restarted() { (($(grep -c 'restarted tidemark-symbolizer' "$WORK/$1.err") >= $2)); }

# kill_symbolizer NAME N - kills the symbolizer for the Nth time and waits for the next one; KILLED
# is the time of the kill in nanoseconds since 1970
kill_symbolizer() {
	local pid
	pid=$(program_pid "$RECORDER" tidemark-symbolizer)
	[[ -n $pid ]] || wrong "no symbolizer runs"
	KILLED=$(date +%s%N)
	kill -KILL "$pid"
	until_true 20 restarted "$1" "$2" ||
		wrong "the symbolizer was not restarted: $(tail -n 3 "$WORK/$1.err")"
	until_true 20 another_symbolizer "$pid"
	remember "$RECORDER"
}
another_symbolizer() {
	local pid
	pid=$(program_pid "$RECORDER" tidemark-symbolizer)
	[[ -n $pid && $pid != "$1" ]]
}

# check_hits NAME - checks that all hits were taken while they were counted
check_hits() {
	python '
from hits import *
read, hits = summary(sys.argv[1] + ".json"), Hits(sys.argv[1] + ".hits")
check_taken("whole host", read["recording"]["taken"], hits.hits[-1], hits.skipped,
            int(sys.argv[2]) / 1e6 * read["hz"] * read["cpus"])
' "$WORK/$1" "$BEGUN_LATER"
}

# check_names(STEM, WORK) checks that the page shows both programs by their paths, with whole
# stacks.
CHECK_NAMES='
def check_names(stem, work):
    found = collections.Counter()
    for comm, path, frames, count in Page(stem + ".html").samples:
        if comm != "same" or truncation(frames) in ("exec", "exiting", "no_table"):
            continue
        found[path] += count
        check(frames[:3] == ["_start", "bare_entry", "bare_run"] and user_leaf(frames) in
              ("hot_60", "hot_30", "hot_10", "one_round", "work", "bare_clock_ns"),
              "%s stands as %s" % (path, frames))
    check(set(found) == {work + "/a/same", work + "/b/same"}, "paths: %s" % dict(found))
    return found
'

say "two deaths in one recording:"
begin twice
first=("${REMEMBERED_PIDS[@]}")
work 40
kill_symbolizer twice 1
work 20
kill_symbolizer twice 2
work 60
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/twice.err")"
REMEMBERED_PIDS+=("${first[@]}")
nothing_left
balance twice
check_hits twice
grep 'samples: ' "$WORK/twice.out" | grep -q 'symbolizer_died .*, 2 symbolizers died' ||
	wrong "the deaths are not reported: $(grep samples: "$WORK/twice.out")"
python "$CHECK_NAMES"'
work, out, killed = sys.argv[1:]
read = summary(work + "/twice.json")
stem = out + "/twice"
found = check_names(stem, work)
pprof = Pprof(stem + ".pb.gz")
check(folded_total(stem + ".folded") == pprof.total() == read["exported"],
      "the files do not hold what is exported")
check(read["attached"] == 3, "%d symbolizers are said to have attached" % read["attached"])
check(read["dropped"]["symbolizer_died"] > 0, "nothing was lost with the dead")
check(sum(read["dropped"].values()) == read["dropped"]["symbolizer_died"],
      "samples were dropped for other reasons too: %s" % read["dropped"])
with gzip.open(stem + ".pb.gz") as file:
    begun = [value for number, value in fields(file.read()) if number == 9][0]
print("  first sample exported %.0f ms after the second death; "
      "lost with the dead: %d of %d; by path: %s" %
      ((begun - int(killed)) / 1e6, read["dropped"]["symbolizer_died"], read["taken"],
       ", ".join("%s %d" % (path[len(work) + 1:], n) for path, n in sorted(found.items()))))
' "$WORK" "$OUT" "$KILLED"

say "a death among reports in between:"
begin among --every 1
until_true 30 grep -q '^report 2: ' "$WORK/among.out"
work 20
kill_symbolizer among 1
from=$(grep -c '^report ' "$WORK/among.out")
until_true 30 grep -q "^report $((from + 2)): " "$WORK/among.out" ||
	wrong "no report after the death"
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/among.err")"
nothing_left
cp "$WORK/$(cd "$WORK" && ls among.*.json | tail -n 1)" "$WORK/among.json"
check_hits among
python "$CHECK_NAMES"'
from hits import *
work, out = sys.argv[1:]
whole, died = collections.Counter(), []
hits, compared = Hits(work + "/among.hits"), 0
names = sorted(n for n in os.listdir(work) if re.match(r"among\.\d+\.json$", n))
for number, name in enumerate(names, 1):
    read = summary(os.path.join(work, name))
    balance(read)
    stem = "%s/among.%04d" % (out, number)
    check(folded_total(stem + ".folded") == read["exported"], "report %d is not whole" % number)
    if not read["dropped"]["symbolizer_died"]: # that interval is shared by two symbolizers
        compared += check_interval("report %d" % number, Pprof(stem + ".pb.gz"), read["taken"],
                                   hits, read["hz"], read["cpus"])
    page = Page(stem + ".html").data
    dropped = {k: n for k, n in read["dropped"].items() if n}
    check(page["taken"] == read["taken"] and page["dropped"] == dropped,
          "report %d: the page says that %d were taken and %s dropped" %
          (number, page["taken"], page["dropped"]))
    if number < len(names): # the last one may be too short to have met both
        check_names(stem, work)
    whole["taken"] += read["taken"]
    whole["exported"] += read["exported"]
    died.append(read["dropped"]["symbolizer_died"])
for key in whole:
    check(whole[key] == read["recording"][key],
          "%s: the reports add up to %d, the summary has %s" %
          (key, whole[key], read["recording"]))
check(compared >= 2, "only %d reports could be held against the timers" % compared)
print("  lost with the dead one, by report: %s" % died)
check(sum(1 for n in died if n) == 1, "lost in reports: %s" % died)
check(sum(died) < whole["exported"] / 2, "what had been reported counts as lost: %s" % died)
' "$WORK" "$OUT"

say "six deaths are one too many:"
begin six
for n in 1 2 3 4 5; do
	kill_symbolizer six $n
done
work 10
kill -KILL "$(program_pid "$RECORDER" tidemark-symbolizer)"
end_recording 60
((STATUS == 1)) || wrong "exit code $STATUS, not 1"
nothing_left
balance six
check_hits six
[[ ! -e $OUT/six.folded ]] || wrong "outputs without a symbolizer"
stop "$a" "$b"
finish
