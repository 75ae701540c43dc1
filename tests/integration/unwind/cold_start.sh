#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cold_start - a known program's first stack is whole; a cold start beside starting servers is
# soon over
#
# TM_STARTS: how often the known program is started (200). TM_LOAD: the workloads that start
# together with the recording, as named in workloads.bash, separated by commas. The cold start has
# no cache of unwind tables. Each bound is a few times what a quiet machine of two CPUs needs, so
# that the test fails when an order of magnitude is lost.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"
. "$(dirname "$0")/workloads.bash"

STARTS=${TM_STARTS:-200}
IFS=', ' read -r -a LOAD <<<"${TM_LOAD:-pgbench,gcc,redis}"
COLD=6 # seconds
export TM_WORKLOADS WORK UNWIND_SOURCE PG
test_clean_up() { workloads_clean_up; }

say "a known program, started $STARTS times:"
cp "$TM_WORKLOADS/deep-cfi" "$WORK/warm"
cp "$TM_WORKLOADS/deep-cfi" "$WORK/known"
cat >"$WORK/starts" <<'STARTS'
"$1/known" 20 0 1 # long enough for the tables of the program and its libraries to be installed
for ((i = 0; i < $2; i++)); do
	timeout 0.02 "$1/known" 20 0 1
done
STARTS
if record_with_ring starts -F 1999 --no-cache -- bash "$WORK/starts" "$WORK" "$STARTS"; then
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
print("  %d first samples of %d starts: %d whole, %d at a root; "
      "the warm-up was whole after %.0f ms" %
      (tally.total, starts, tally.whole, tally.rooted, (whole_from - user[0].ktime) / 1e6))
tally.print()
print("FIGURE first stack of a new process of a known program | %d starts | %d of %d whole | all" %
      (starts, tally.whole, tally.total))
check(tally.total >= 0.9 * starts, "only %d of %d starts were sampled" % (tally.total, starts))
check(tally.whole == tally.total, "%d first stacks are cut" % (tally.total - tally.whole))
check(tally.rooted == tally.total, "%d first stacks have no root" % (tally.total - tally.rooted))
' "$WORK" "$STARTS"
fi

say "a cold start together with ${LOAD[*]}:"
for name in "${LOAD[@]}"; do
	prepare_workload "$name" || finish
done
"$TM_TIDEMARK" record -v -F 499 -d $COLD --no-cache --summary "$WORK/cold.json" \
	-o "$WORK/cold.folded" >"$WORK/cold.out" 2>"$WORK/cold.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
LOADS=()
for name in "${LOAD[@]}"; do
	bash -c "$(declare -f "run_$name"); run_$name $((COLD + 4))" >/dev/null 2>&1 </dev/null &
	STARTED+=($!)
	LOADS+=($!)
done
until_true 20 has_collector
if start_ring_recorder cold && record_with_ring_end cold; then
	grep -h 'attached after' "$WORK/cold.err" | sed 's/^/  /'
	python '
from stacks import *
work, loads = sys.argv[1], sys.argv[2]
stacks, read = Stacks(work + "/cold.records"), summary(work + "/cold.json")
messages = open(work + "/cold.err").read()
attached = float(re.search(r"attached after ([0-9.]+)", messages).group(1)) / 1000
begin = stacks.samples[0].ktime
# Stacks that end in code which an emulator or a runtime on this host generated are not judged:
# no file describes that code.
made = [s for s in stacks.user if s.frames and s.frames[-1] >> 60 == ANON]
stacks.user = [s for s in stacks.user if not s.frames or s.frames[-1] >> 60 != ANON]
print("  left out: %d stacks that end in generated code" % len(made))
parts = collections.defaultdict(list)
for s in stacks.user:
    parts[(s.ktime - begin) // 100000000].append(s)
shares = {n: 100.0 * sum(s.stop == "none" for s in part) / len(part) for n, part in parts.items()}
print("  whole stacks in each 100 ms, in percent: " +
      " ".join("%.0f" % shares[n] if n in shares else "-" for n in range(40)))
first = next((s.ktime - begin) / 1e6 for s in stacks.user if s.stop == "none" and stacks.root(s))
late = Tally(stacks, [s for s in stacks.user if s.ktime - begin >= 2000000000])
second = Tally(stacks, [s for n in range(15, 20) for s in parts[n]])
print("  first whole stack after %.0f ms; from 1.5 s to 2 s %.2f %% of %d whole; "
      "later %.3f %% of %d: %s" %
      (first, second.share(), second.total, late.share(), late.total, dict(late.reasons)))
late.print(most=6)
where = collections.Counter(
    place and place[0] for place in
    (stacks.place(s, s.frames[-1]) for s in stacks.user
     if s.stop == "no_table" and s.frames and s.ktime - begin >= 2000000000))
print("    still without a table after 2 s: %s" % (dict(where.most_common(6)) or "none"))
for comm in ("postgres", "pgbench", "cc1", "redis-server"):
    mine = Tally(stacks, [s for s in stacks.user if s.comm.decode() == comm])
    print("  %-14s %6d stacks, %7.3f %% whole" % (comm, mine.total, mine.share()))
soon = next((100 * (n + 1) for n in sorted(shares) if shares[n] >= 95), None)
cpu = sum(read["cpu_seconds"].values())
print("FIGURE cold start beside %s | %d user stacks | attached after %.2f s, "
      "first whole stack %.0f ms later, 95 %% first at %s ms; "
      "%.1f %% whole from 1.5 to 2 s, %.3f %% later; CPU %.2f s | 95 %% within 2 s" %
      (loads, len(stacks.user), attached, first, soon, second.share(), late.share(), cpu))
for sentence, holds in (
    ("there are only %d stacks to judge" % late.total, late.total > 1000 and second.total > 100),
    ("the recording attached only after %.2f s" % attached, attached <= 5),
    ("the first whole stack came only after %.0f ms" % first, first <= 1000),
    ("95 %% of the stacks were whole only after %s ms" % soon, soon is not None and soon <= 4000),
    ("only %.1f %% of the stacks from 1.5 s to 2 s are whole" % second.share(),
     second.share() >= 90),
    ("only %.2f %% of the stacks after 2 s are whole" % late.share(), late.share() >= 98),
    ("%d stacks are cut without a reason" % sum(late.silent.values()), not late.silent),
    ("tidemark used %.2f s of CPU time in %d s" % (cpu, read["seconds"]), cpu <= 3.5),
):
    check(holds, sentence)
' "$WORK" "${LOAD[*]}"
fi
finish
