#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# owner_time - where samples cost more than --cpu-max, whose cost most are thinned, nobody else's
#
# The attacker's stacks are a thousand frames deep. Once he is a user beside the victim, root, in
# the same cgroup; once root in a cgroup of his own, as containers are.
. "$(dirname "$0")/../../lib/integration.bash"

HZ=1999
TIME=20 # seconds of CPU time of the attacker

test_clean_up() { attackers_clean_up; }

# attack NAME COMMAND... - the attacker is started by COMMAND; the victim works a twentieth of the
# time, and says in the end how much CPU time it had while the limit applied
attack() {
	local name=$1 pid
	shift
	say "$name:"
	start_attached_recording "$name" -F $HZ --cpu-max 2 -o "$WORK/$name.html"
	"$@" "$TM_WORKLOADS/deep" 1000 0 $TIME &
	pid=$!
	STARTED+=($pid)
	until_true 60 ran $pid 100 || wrong "the attacker does not run"
	victim 12 "$WORK/$name.cpu"
	wait $pid
	stop_recording "$name" 60
	judge "$name"
}

judge() {
	python '
name = sys.argv[1]
read, page = summary(name + ".json"), Page(name + ".html")
cpu, hz = float(open(name + ".cpu").read()), read["hz"]
values = page.data["kinds"][0]["values"]
check(len(values) == len(page.samples), "the page has no values: nothing was thinned")
count, seconds = collections.Counter(), collections.Counter()
for (comm, _, _, hits), ns in zip(page.samples, values):
    count[comm] += hits
    seconds[comm] += ns / 1e9
weights = {int(weight): seconds for weight, seconds in read["weight_seconds"].items() if seconds}
print("  the victim: %d samples of %.0f, for %.3f s of %.3f; the attacker: %d samples for %.3f s "
      "of %s; %d thinned; rate %s" %
      (count["victim"], cpu * hz, seconds["victim"], cpu, count["deep"], seconds["deep"],
       sys.argv[2], read["thinned"], weights))
# Where a quarter of --cpu-max is too much for a slow host, the rate of all is lowered in the end.
share = sum(s / weight for weight, s in weights.items()) / sum(weights.values())
check(count["victim"] > 0.9 * cpu * hz * share, "the victim lost samples")
check(count["deep"] < 0.5 * float(sys.argv[2]) * hz, "the attacker lost none")
check(read["thinned"] > 0.5 * float(sys.argv[2]) * hz, "that is not what was thinned")
# Independent choices, of one hit in 64 at most; and what the kernel did not run.
spare = 0.03 * float(sys.argv[2]) + 5 * (64 * float(sys.argv[2]) / hz) ** 0.5
check(abs(seconds["deep"] - float(sys.argv[2])) < spare,
      "the samples of the attacker stand for %.3f s" % seconds["deep"])
check("hits thinned" in open(name + ".out").read(), "the statement does not say so")
' "$WORK/$1" $TIME
}

attack_as_user_and_root
finish
