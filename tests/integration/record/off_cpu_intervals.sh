#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# off_cpu_intervals - a sleep over several reports is in each with its part, and all states of each
# thread add up to wall time
. "$(dirname "$0")/../../lib/integration.bash"

say "six seconds of sleep, a report every second:"
record_ok sleep --off-cpu --every 1 --no-lines -o "$WORK/x.folded" -o "$WORK/x.html" -- \
	"$TM_WORKLOADS/sleeper" 6 || finish
grep 'did not say in time' "$WORK/sleep.err" && wrong "the collector did not say what threads do"
python '
work = sys.argv[1]
with open(work + "/sleep.out", encoding="utf-8") as file:
    slept, lived = map(int, re.search(r"^(\d+) (\d+)$", file.read(), re.M).groups())
names = sorted(n for n in os.listdir(work) if re.match(r"x\.\d+\.folded$", n))
check(len(names) >= 6, "only %d reports" % len(names))
asleep, states, seconds, stacks = [], collections.Counter(), [], []
lifetimes, rows = collections.Counter(), []
for at in names:
    found, kept = collections.Counter(), collections.defaultdict(set)
    for comm, frames, ns in folded(work + "/" + at):
        if comm in ("sleeper", "dozer") and frames[-1] == "[interruptible]":
            found[comm] += ns
            kept[comm].update(frames)
        if comm == "sleeper" and "__x64_sys_clock_nanosleep_[k]" in frames:
            states[frames[-1]] += ns
    data = Page("%s/%s.html" % (work, at[:-len(".folded")])).data
    asleep.append(found)
    stacks.append(kept)
    seconds.append(data["seconds"])
    times = data["thread_times"]
    check(not times["missing"], "%s: what the threads did is missing" % at)
    of = {}
    for _, _, comm, count, lifetime, *ns in times["rows"]:
        name = data["strings"][comm]
        check(count == 1, "%s: a row is of %d threads" % (at, count))
        check(abs(sum(ns) - lifetime) <= lifetime / 100 + 5e6,
              "%s: the states of %s add up to %d ns of %d" % (at, name, sum(ns), lifetime))
        of[name] = lifetime
        lifetimes[name] += lifetime
    rows.append(of)
    print("  %.3f s: asleep %s ms; rows %s ms" %
          (data["seconds"], {k: v // 10**6 for k, v in found.items()},
           {k: v // 10**6 for k, v in of.items()}))
total = states["[interruptible]"] + states["[runnable]"]
print("  slept %d ns by the program, %s by the reports" % (slept, dict(states)))
check(abs(total - slept) <= max(slept / 50, 50e6),
      "the reports have %d ns, the program slept %d" % (total, slept))
# The second report has the last of the short sleeps before: one that ends right behind an interval,
# before the collector has asked what the threads do, is as a whole in the next.
within = [n for n in range(2, len(names) - 1)
          if all(asleep[m]["sleeper"] and asleep[m]["dozer"] for m in (n - 1, n, n + 1))]
check(len(within) >= 3, "only the reports %s lie within the sleep" % within)
for n in within:
    for comm, frame in (("sleeper", "take_nap"), ("dozer", "[in progress]")):
        ns = asleep[n][comm]
        # A sleep whose thread waits for a CPU across the end of an interval is in the next one.
        check(abs(ns / 1e9 - seconds[n]) <= seconds[n] / 100 + 0.005 + states["[runnable]"] / 1e9,
              "report %d of %.3f s has %d ns of the sleep of %s" % (n + 1, seconds[n], ns, comm))
        check(frame in stacks[n][comm],
              "report %d: %s stands as %s" % (n + 1, comm, stacks[n][comm]))
    check(set(rows[n]) == {"sleeper", "dozer", "spinner"}, "report %d has %s" % (n + 1, rows[n]))
    # Threads are read shortly after the time at which an interval ends.
    for comm, lifetime in rows[n].items():
        check(abs(lifetime / 1e9 - seconds[n]) <= seconds[n] / 100 + 0.25,
              "report %d of %.3f s has %d ns of %s" % (n + 1, seconds[n], lifetime, comm))
check("doze" in set().union(*(kept["dozer"] for kept in stacks)),
      "the end of the doze has no stack")
for comm in ("dozer", "spinner"):
    check(abs(lifetimes[comm] - lived) <= lived / 100 + 5e7,
          "%s lived %d ns, the reports have %d" % (comm, lived, lifetimes[comm]))
' "$WORK"

say "a thread that slept before the recording, and sleeps on:"
"$TM_WORKLOADS/sleeper" 600 >/dev/null &
old=$!
STARTED+=("$old")
until_true 30 grep -qs dozer -r "/proc/$old/task" --include=comm ||
	wrong "the sleeper has not started"
record_ok old --off-cpu -p "$old" -d 2 --no-lines -o "$WORK/old.html" || finish
python '
data = Page(sys.argv[1]).data
states = ["lifetime"] + data["thread_times"]["states"]
rows = {data["strings"][comm]: dict(zip(states, times))
        for _, _, comm, _, *times in data["thread_times"]["rows"]}
for name, state in (("dozer", "interruptible"), ("spinner", "on_cpu")):
    print("  %s: %s" % (name, rows[name]))
    check(rows[name][state] > 0, "%s was never %s" % (name, state))
dozer = rows["dozer"]
check(dozer["interruptible"] >= 0.99 * dozer["lifetime"] > 1e9, "the sleep is not seen as one")
' "$WORK/old.html"
finish
