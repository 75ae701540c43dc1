#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# merged_stacks - where the profile is too large for its memory, whose stacks fill it lose frames
#
# The attacker's stacks differ from sample to sample. Once he is a user beside the victim, root, in
# the same cgroup; once root in a cgroup of his own, as containers are.
. "$(dirname "$0")/../../lib/integration.bash"

HZ=1999
TIME=12 # seconds of CPU time of the attacker

test_clean_up() { attackers_clean_up; }

attack() {
	local name=$1 attacker
	shift
	say "$name:"
	start_attached_recording "$name" -F $HZ --memory-max 64 --cache "$WORK/cache" \
		-o "$WORK/$name.folded"
	start_victim
	"$@" "$TM_WORKLOADS/random_stacks" 500 $TIME &
	attacker=$!
	STARTED+=($attacker)
	wait $attacker
	stop $VICTIM
	stop_recording "$name" 60
	judge "$name"
}

judge() {
	python '
name = sys.argv[1]
read = summary(name + ".json")
all_of_them, merged, whole = collections.Counter(), collections.Counter(), 0
for comm, frames, samples in folded(name + ".folded"):
    all_of_them[comm] += samples
    whole += samples * (comm == "victim" and truncation(frames) is None)
    if any(frame.startswith("[merged]") for frame in frames):
        merged[comm] += samples
attacker, victim = "random_stacks", "victim"
print("  %s: %d samples, %d merged; %s: %d samples, %d merged; others: %d, %d merged" % (
    attacker, all_of_them[attacker], merged[attacker], victim, all_of_them[victim], merged[victim],
    sum(all_of_them.values()) - all_of_them[attacker] - all_of_them[victim],
    sum(merged.values()) - merged[attacker] - merged[victim]))
check(read["merged"] == sum(merged.values()), "the summary has another number")
check(merged[attacker] > 1000, "the attacker has not filled the profile")
check(all_of_them[victim] > 500 and merged[victim] == 0, "the victim lost frames")
check(whole > 0.9 * all_of_them[victim], "%d stacks of the victim are whole" % whole)
' "$WORK/$1"
}

# So little memory makes no unwind table of Python's library; with it the victim's stacks are whole,
# and as many bytes as they are in practice.
record_ok first --cache "$WORK/cache" -o "$WORK/first.folded" -- \
	python3 -c 'for i in range(200): sorted(range(100000))'
attack_as_user_and_root
finish
