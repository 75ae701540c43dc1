#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shares - a program of known shares, on one and on eight threads, at 99 Hz for 10 s
. "$(dirname "$0")/../../lib/integration.bash"

SECONDS_RUN=10

# Within the first interval of so many seconds the program is opened and its table is made.
EVERY=2

check_shares() { # NAME THREADS ROOT
	python '
import glob
name, threads, root = sys.argv[1:]
reports = [folded(path) for path in sorted(glob.glob(name + ".*.folded"))]
stacks = [(number, *s) for number, report in enumerate(reports) for s in report if s[0] == "hot"]
others = sum(s[2] for report in reports for s in report if s[0] != "hot")
total = sum(s[3] for s in stacks)
by = collections.Counter()
whole = excused = early = 0
broken = []
for number, comm, frames, count in stacks:
    by[user_leaf(frames)] += count
    if truncation(frames) in ("exec", "exiting"):
        excused += count
    elif truncation(frames) == "no_table" and number == 0: # in later reports it is an error
        early += count
    elif frames[0] in (root, "_start") and truncation(frames) is None:
        whole += count
    else:
        broken.append((number + 1, frames, count))
    at = [i for i, frame in enumerate(frames) if frame.startswith("hot_")]
    if at and frames[0] == root:
        chain = frames[:at[0]]
        bare = ["bare_entry", "bare_run"] if root == "_start" else []
        if chain != [root] + bare + ["work", "one_round"]:
            broken.append((number + 1, frames, count))
print("  %d samples of %s thread(s), %d of others (COMMAND before its exec); %d reports" %
      (total, threads, others, len(reports)))
check(len(reports) >= 5, "only %d reports" % len(reports))
check(total > 0, "no sample of the program")
for function, share in (("hot_60", 60), ("hot_30", 30), ("hot_10", 10)):
    seen = 100.0 * by[function] / total
    print("  %-8s %6.2f %%   (known: %d)" % (function, seen, share))
    # Where other programs keep the CPUs busy there are few samples, and their shares stray by
    # more than 3 points; three standard deviations are allowed then.
    spare = max(3.0, 300 * (share * (100 - share) / 1e4 / total) ** 0.5)
    check(abs(seen - share) <= spare, "%s has %.2f %% instead of %d" % (function, seen, share))
print("  whole from %s to the leaf: %d of %d; %d in exec or exit; "
      "%d before the table, all in the first report" % (root, whole, total, excused, early))
check(early <= 2 * int(threads) + total / 20, "%d samples without a table" % early)
check(not broken, "%d stacks do not reach their root, first (report, frames, count): %s" %
      (len(broken), broken[:1]))
check(excused <= 2 * int(threads), "%d samples in exec or exit" % excused)
' "$WORK/$1" "$2" "$3"
	python '
import glob
reads = [summary(path) for path in sorted(glob.glob(sys.argv[1] + ".*.json"))]
for read in reads:
    balance(read, True)
threads = min(int(sys.argv[2]), os_cpus())
owed = threads * float(sys.argv[3]) * reads[-1]["hz"]
print("  %.1f %% of the %d hits that %d busy CPU(s) owe in %s s" %
      (100.0 * reads[-1]["recording"]["taken"] / owed, owed, threads, sys.argv[3]))
' "$WORK/$1" "$2" "$SECONDS_RUN"
}

for threads in 1 8; do
	say "$threads thread(s), 99 Hz, $SECONDS_RUN s:"
	name=shares$threads
	record_ok $name -F 99 --every $EVERY -o "$WORK/$name.folded" -- "$TM_WORKLOADS/hot" \
		"$threads" "$SECONDS_RUN" ||
		continue
	root=_start
	((threads > 1)) && root=thread_start
	check_shares $name "$threads" $root
done

say "whole host, both CPUs busy, 99 Hz, 6 s:"
cpus=$(nproc)
"$TM_WORKLOADS/hot" $((cpus + 1)) 60 &
busy=$!
STARTED+=("$busy")
if record_ok host -d 6 -o "$WORK/host.folded"; then
	balance host zero-drops
	python '
read = summary(sys.argv[1] + ".json")
owed = read["cpus"] * read["hz"] * read["seconds"]
print("  taken %d of %d owed by %d CPUs: %.2f %%" %
      (read["taken"], owed, read["cpus"], 100.0 * read["taken"] / owed))
check(read["cpus"] == os_cpus(), "%d CPUs were sampled" % read["cpus"])
total = folded_total(sys.argv[1] + ".folded")
check(total == read["exported"], "the folded file holds %d samples, exported are %d" %
      (total, read["exported"]))
' "$WORK/host"
fi
finish
