#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cold_start - the first stack of a new process of a known program is whole; a cold start is soon over
#
# TM_STARTS: starts of the known program (200); TM_LOAD: what keeps the host busy at the cold start (workloads
# of workloads.bash, with commas). Bounds are shares of samples by their ktimes, not times that this test took.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"
. "$(dirname "$0")/workloads.bash"

STARTS=${TM_STARTS:-200}
IFS=', ' read -r -a LOAD <<<"${TM_LOAD:-work,pool,python,openssl}"
COLD=6 # seconds
export TM_WORKLOADS WORK STACKS_SOURCE
test_clean_up() { workloads_clean_up; }

say "a program that is known, $STARTS times:"
cp "$TM_WORKLOADS/deep-cfi" "$WORK/warm"
cp "$TM_WORKLOADS/deep-cfi" "$WORK/known"
cat >"$WORK/starts" <<'STARTS'
"$1/known" 20 0 1 # until its rows are there, and its libraries'
for ((i = 0; i < $2; i++)); do
	timeout 0.02 "$1/known" 20 0 1
done
STARTS
if record_with_ring starts -F 1999 -- bash "$WORK/starts" "$WORK" "$STARTS"; then
	python '
from stacks import *
work, starts = sys.argv[1], int(sys.argv[2])
stacks = Stacks(work + "/starts.records")
known = lambda s: stacks.processes[s.generation][-1].path.endswith(b"/known")
user = [s for s in stacks.user if known(s)]
warm = user[0].generation
whole_from = next(s.ktime for s in user if s.stop == "none" and stacks.root(s))
first = {}
for s in user:
    if s.generation != warm:
        first.setdefault(s.generation, s)
tally = Tally(stacks, first.values())
print("  %d first samples of %d starts: %d whole, %d at a root; the warm-up was whole after %.0f ms" %
      (tally.total, starts, tally.whole, tally.rooted, (whole_from - user[0].ktime) / 1e6))
tally.tell()
print("FIGURE first stack of a new process of a known program | %d starts | %d of %d whole | all" %
      (starts, tally.whole, tally.total))
check(tally.total >= 0.9 * starts, "only %d of %d were hit" % (tally.total, starts))
check(tally.whole == tally.total, "%d first stacks are cut" % (tally.total - tally.whole))
check(tally.rooted == tally.total, "%d first stacks have no root" % (tally.total - tally.rooted))
' "$WORK" "$STARTS"
fi

say "a cold start on a host busy with ${LOAD[*]}:"
for name in "${LOAD[@]}"; do
	if declare -F "prepare_$name" >/dev/null && ! reason=$("prepare_$name" 2>&1); then
		say "  without $name: $reason"
		continue
	fi
	bash -c "$(declare -f "run_$name"); run_$name $((COLD + 10))" >/dev/null 2>&1 </dev/null &
	STARTED+=($!)
	LOADS+=($!)
done
busy() { (($(ps --no-headers -o pid --ppid "$(IFS=,; echo "${LOADS[*]}")" | wc -l) >= ${#LOADS[@]})); }
until_true 10 busy
"$TM_TIDEMARK" record -F 499 -d $COLD --summary "$WORK/cold.json" -o "$WORK/cold.folded" \
	>"$WORK/cold.out" 2>"$WORK/cold.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
until_true 20 has_collector
if start_ring_recorder cold && record_with_ring_end cold; then
	python '
from stacks import *
stacks = Stacks(sys.argv[1] + "/cold.records")
begin = stacks.samples[0].ktime
# Code that an emulator or a runtime on this host made, which nobody describes, is another question.
made = [s for s in stacks.user if s.frames and s.frames[-1] >> 60 == ANON]
stacks.user = [s for s in stacks.user if not s.frames or s.frames[-1] >> 60 != ANON]
print("  left out: %d stacks that end in generated code" % len(made))
parts = collections.defaultdict(list)
for s in stacks.user:
    parts[(s.ktime - begin) // 100000000].append(s)
shares = {n: 100.0 * sum(s.stop == "none" for s in part) / len(part) for n, part in parts.items()}
print("  whole of each 100 ms, in percent: " + " ".join("%.0f" % shares[n] if n in shares else "-" for n in range(40)))
late = Tally(stacks, [s for s in stacks.user if s.ktime - begin >= 2000000000])
second = Tally(stacks, [s for n in range(15, 20) for s in parts[n]])
print("  %d user stacks; of those from 1.5 s to 2 s %.2f %% whole; later %.3f %% of %d: %s" %
      (len(stacks.user), second.share(), late.share(), late.total, dict(late.reasons)))
late.tell(most=6)
where = collections.Counter(place and place[0] for place in
                            (stacks.place(s, s.frames[-1]) for s in stacks.user
                             if s.stop == "no_table" and s.frames and s.ktime - begin >= 2000000000))
print("    without a table later: %s" % (dict(where.most_common(6)) or "none"))
soon = next((n for n in sorted(shares) if shares[n] >= 95), None)
print("FIGURE cold start on a busy host | %d user stacks | %.1f %% whole from 1.5 to 2 s, %.3f %% later; 95 %% first at %s ms | 95 %% within 2 s" %
      (len(stacks.user), second.share(), late.share(), soon is not None and 100 * (soon + 1)))
check(late.total > 1000 and second.total > 100, "few samples: %d" % late.total)
check(second.share() >= 95, "only %.1f %% whole 2 s after the start" % second.share())
check(late.share() >= 95, "only %.1f %% whole later" % late.share())
check(not late.silent, "%d stacks are cut without a word" % sum(late.silent.values()))
' "$WORK"
fi
finish
