#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# view - a picture of several reports is their sum, sample for sample, and diff tells two apart
. "$(dirname "$0")/../../lib/integration.bash"

# shown NAME ARGUMENT... - runs `tidemark view`, which must exit 0
shown() {
	local name=$1
	shift
	"$TM_TIDEMARK" view "$@" >"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null ||
		wrong "view $* exited with $?: $(head -c 600 "$WORK/$name.err")"
}

cat >"$WORK/load" <<EOF2
#!/bin/bash
"$TM_WORKLOADS/waits" 2 500 &
"$TM_WORKLOADS/hot" 3 1
wait
until [[ -e "$WORK/all.0002.otlp" ]] || ((SECONDS > 60)); do # and the last one makes three
	read -r -t 0.1 <> <(:)
done
EOF2
chmod +x "$WORK/load"

say 'the reports of a recording, in every format, and the picture of all of them:'
record_ok all -F 499 --every 1 --off-cpu --off-cpu-rate 100000 --wakers --spool "$WORK/spool" \
	-o "$WORK/all.otlp" \
	-o "$WORK/all.folded" -o "$WORK/all.pb.gz" -- "$WORK/load" || exit 1
reports=("$WORK"/all.0*.otlp)
shown all "${reports[@]}" -o "$WORK/view.folded" -o "$WORK/view.pb.gz" -o "$WORK/view.html" \
	-o "$WORK/view.otlp"
python '
import collections
work, count = sys.argv[1], int(sys.argv[2])
check(count >= 3, "only %d reports" % count)
parts = ["%s/all.%04d" % (work, number + 1) for number in range(count)]

def folded_sum(paths):
    sums = collections.Counter()
    for path in paths:
        for comm, stack, value in folded(path):
            sums[comm, tuple(stack)] += value
    return sums

# What is known of a process may be in one report and not in another: the picture has all of it.
KNOWN = ("cgroup", "container_id", "pod_uid")

def pprof_sum(paths):
    sums = collections.Counter()
    for path in paths:
        for values, labels, stack in Pprof(path).samples:
            key = (tuple(sorted((name, label) for name, label in labels.items()
                                if name not in KNOWN)), tuple(stack))
            for column, value in enumerate(values):
                sums[key, column] += value
    return +sums

for name, sums in (("folded", folded_sum), ("pb.gz", pprof_sum)):
    wanted = sums(["%s.%s" % (part, name) for part in parts])
    found = sums(["%s/view.%s" % (work, name)])
    check(wanted == found, "%s: missing %s, beyond %s" % (
        name, list((wanted - found).items())[:2], list((found - wanted).items())[:2]))
    print("  %s: %d rows of %d reports" % (name, len(found), count))
page = Page(work + "/view.html")
summaries = [summary(part + ".json") for part in parts]
for name, where in (("taken", "taken"), ("exported", "exported"), ("not_run", "not_run")):
    wanted = sum(one[name] for one in summaries)
    check(page.data[where] == wanted, "%s is %d, not %d" % (name, page.data[where], wanted))
wanted = sum(one["off_cpu"]["taken_ns"] for one in summaries)
check(page.data["off_cpu"]["taken_ns"] == wanted, "off-CPU: taken %d ns, not %d" % (
    page.data["off_cpu"]["taken_ns"], wanted))
check(page.total() == page.data["exported"], "the page shows %d samples" % page.total())
' "$WORK" "${#reports[@]}"
grep -q "${#reports[@]} reports from" "$WORK/all.out" || wrong "it does not say what it spans"

say 'a picture of that picture is the same once more:'
shown again "$WORK/view.otlp" -o "$WORK/again.folded"
cmp "$WORK/view.folded" "$WORK/again.folded" || wrong "it is another one"

say 'the spool of that recording has the same picture, as a window of time:'
shown spool --spool "$WORK/spool" --since 10m -o "$WORK/spool.folded"
cmp "$WORK/view.folded" "$WORK/spool.folded" || wrong "it is another one: $(cat "$WORK/spool.err")"
[[ ! -s $WORK/spool.err ]] || wrong "it says: $(cat "$WORK/spool.err")"
"$TM_TIDEMARK" view --spool "$WORK/spool" --from 2026-01-01T00:00:00Z --to 2026-01-01T00:01:00Z \
	-o "$WORK/none.folded" 2>"$WORK/none.err" && wrong "an empty window exits with 0"
grep -q 'the spool reaches from' "$WORK/none.err" || wrong "it says: $(cat "$WORK/none.err")"

say 'what is selected is shown, and what is not, is not:'
shown hot "${reports[@]}" --comm hot -o "$WORK/hot.folded"
grep '^hot;' "$WORK/view.folded" >"$WORK/hot.wanted"
[[ -s $WORK/hot.wanted ]] || wrong "hot was not sampled"
cmp "$WORK/hot.wanted" "$WORK/hot.folded" || wrong "other samples than those of hot"

say 'the difference of a profile with itself is none, and of two has the numbers of both:'
first=${reports[0]} second=${reports[1]}
for pair in "$first $first" "$first $second"; do
	read -r a b <<<"$pair"
	"$TM_TIDEMARK" diff "$a" "$b" -o "$WORK/diff.folded" -o "$WORK/diff.html" \
		>"$WORK/diff.out" 2>"$WORK/diff.err" || wrong "diff failed: $(cat "$WORK/diff.err")"
	python '
import collections
def values(path):
    return collections.Counter({(comm, tuple(stack)): value
                                for comm, stack, value in folded(path) if value})
a, b = (values(path.replace(".otlp", ".folded")) for path in sys.argv[1:3])
found = [collections.Counter(), collections.Counter()]
with open(sys.argv[3], encoding="utf-8") as file:
    for line in file:
        text, *numbers = line.rstrip("\n").rsplit(" ", 2)
        names = text.split(";")
        for side, number in enumerate(numbers):
            found[side][names[0], tuple(names[1:])] = int(number)
check(+found[0] == a, "the first numbers are not those of A")
check(+found[1] == b, "the second numbers are not those of B")
print("  %d rows" % len(found[0]))
' "$a" "$b" "$WORK/diff.folded"
done

say 'an account without rights sees what it may read, and no more:'
chmod 644 "${reports[@]}"
mkdir -m 777 "$WORK/out"
setpriv --reuid=65534 --regid=65534 --clear-groups "$TM_TIDEMARK" view "${reports[@]}" \
	-o "$WORK/out/own.folded" >"$WORK/own.out" 2>"$WORK/own.err" ||
	wrong "it exited with $?: $(cat "$WORK/own.err")"
cmp "$WORK/view.folded" "$WORK/out/own.folded" || wrong "it is another picture"
chmod 600 "${reports[0]}"
setpriv --reuid=65534 --regid=65534 --clear-groups "$TM_TIDEMARK" view "${reports[@]}" \
	-o "$WORK/out/none.folded" >"$WORK/own.out" 2>"$WORK/own.err" && wrong "it exited with 0"
grep -q 'cannot be read: Permission denied' "$WORK/own.err" ||
	wrong "it says: $(cat "$WORK/own.err")"
[[ ! -e $WORK/out/none.folded ]] || wrong "something was written"
finish
