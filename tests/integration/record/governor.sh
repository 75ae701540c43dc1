#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# governor - where tidemark costs more than --cpu-max it takes fewer samples, of the same time
#
# All that it samples has one owner, so first that one is thinned (owner_time.sh), then the rate of
# all is lowered.
. "$(dirname "$0")/../../lib/integration.bash"

SECONDS_RUN=15
HZ=9973 # no multiple of its period is one of the scheduler's tick, which would pick the moments

# spin NAME ARGUMENT... - records a program that says in the end how much CPU time it had
spin() {
	local name=$1
	shift
	record_ok "$name" -F $HZ -o "$WORK/$name.folded" -o "$WORK/$name.pb.gz" \
		-o "$WORK/$name.html" "$@" -- python3 -c '
import sys, time
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    sum(range(10000))
open(sys.argv[1], "w").write("%.9f" % time.process_time())
' "$WORK/$name.cpu" "$SECONDS_RUN" || finish
	balance "$name"
}

# The kernel picks the moments of the samples, and chance those that are thinned: their sum strays,
# the more the fewer they are. Five times the standard deviation of independent moments is allowed,
# and 2 %; and 0.1 s, as the program does not know what came before its exec and will come at its
# exit. What was thinned may stand for up to 64 hits, and few such samples do not show their own
# deviation: then it is that of all of them, three times.
check_total() { # NAME
	python '
name = sys.argv[1]
read = summary(name + ".json")
cpu = float(open(name + ".cpu").read())
hz, sampled = read["hz"], read["on_cpu_seconds"]
page = Page(name + ".html")
values = page.data["kinds"][0]["values"]
weights = {int(weight): seconds for weight, seconds in read["weight_seconds"].items()}
variance = sum((weight / hz) * seconds for weight, seconds in weights.items())
spare = 0.1 + 0.02 * cpu + (3 * (64 * variance) ** 0.5 if read["thinned"] else 5 * variance ** 0.5)
shown = {"folded": folded_total(name + ".folded") / hz,
         "pprof": Pprof(name + ".pb.gz").total() / hz}
print("  %.3f s sampled of %.3f s of CPU time, %.3f s may be missing or too much; %s" %
      (sampled, cpu, spare, shown))
check(abs(sampled - cpu) < spare, "the samples stand for %.3f s, the CPU time is %.3f s" %
      (sampled, cpu))
for format, seconds in shown.items():
    check(abs(seconds - sampled) < 0.01 * sampled, "%s shows %.3f s of %.3f s" %
          (format, seconds, sampled))
if values:
    check(abs(sum(values) / 1e9 - sampled) < 1e-6, "the page shows %.3f s" % (sum(values) / 1e9))
' "$WORK/$1"
}

say "$HZ Hz, at most 0.5 % of the CPUs, for which thinning is enough:"
spin thinned --cpu-max 0.5
check_total thinned

say "$HZ Hz, at most 0.1 % of the CPUs, which is too little for thinning alone:"
spin governed --cpu-max 0.1
check_total governed
python '
read = summary(sys.argv[1] + ".json")
weights = {int(weight): seconds for weight, seconds in read["weight_seconds"].items() if seconds}
print("  seconds by weight: %s; %d hits thinned" % (weights, read["thinned"]))
check(read["thinned"] > 0, "its owner was never thinned")
check(max(weights) > 1, "the rate was never lowered")
# With a weight of 1 there are as many samples as periods: it was lowered in truth.
check(read["taken"] < 0.9 * read["on_cpu_seconds"] * read["hz"], "%d samples of %.3f s" %
      (read["taken"], read["on_cpu_seconds"]))
check(abs(sum(weights.values()) - read["seconds"]) < 0.1 * read["seconds"],
      "the weights cover %.3f s of %.3f s" % (sum(weights.values()), read["seconds"]))
said = "rate lowered for"
check(said in open(sys.argv[1] + ".out").read(), "the statement does not say so")
check(any(said in text for text in Pprof(sys.argv[1] + ".pb.gz").strings), "nor does pprof")
check(read["bpf_seconds"] > 0, "the programs have not measured themselves")
' "$WORK/governed"

say "$HZ Hz, without a limit:"
spin free --cpu-max 0
check_total free
python '
read = summary(sys.argv[1] + ".json")
check(read["weight_seconds"]["1"] > 0, "no time at the full rate")
check(read["thinned"] == 0, "%d hits were thinned" % read["thinned"])
check(not any(seconds for weight, seconds in read["weight_seconds"].items() if weight != "1"),
      "the rate was lowered: %s" % read["weight_seconds"])
check(round(read["on_cpu_seconds"] * 1e9) == read["exported"] * (10**9 // read["hz"]),
      "%d samples stand for %.9f s" % (read["exported"], read["on_cpu_seconds"]))
check(folded_total(sys.argv[1] + ".folded") == read["exported"], "folded text has others")
check(not Page(sys.argv[1] + ".html").data["kinds"][0]["values"], "the page lists values")
check("rate lowered" not in open(sys.argv[1] + ".out").read(), "the statement says lowered")
' "$WORK/free"

say "reports every 3 s, at most 0.5 %:"
if record_ok every -F $HZ --cpu-max 0.5 --every 3 -d 12 -o "$WORK/every.folded"; then
	python '
import glob
reads = [summary(path) for path in sorted(glob.glob(sys.argv[1] + ".*.json"))]
check(len(reads) >= 3, "only %d reports" % len(reads))
for read in reads:
    balance(read)
    covered = sum(read["weight_seconds"].values())
    check(covered < 2 * read["seconds"] + 1, "the weights of a report cover %.3f s of %.3f s" %
          (covered, read["seconds"]))
whole = sum(sum(read["weight_seconds"].values()) for read in reads)
spanned = reads[-1]["recording"]["seconds"]
check(abs(whole - spanned) < 0.1 * spanned, "all weights cover %.3f s of %.3f s" % (whole, spanned))
' "$WORK/every"
fi
finish
