#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# spool_shares - who fills the reports shortens his own history in the spool, and nobody else's
#
# The attacker's stacks differ from sample to sample. Once he is a user beside the victim, root, in
# the same cgroup; once root in a cgroup of his own, as containers are.
. "$(dirname "$0")/../../lib/integration.bash"

HZ=499
TIME=26 # seconds of CPU time of the attacker: more reports than the spool can hold
SPOOL_BYTES=$((2 << 20))

test_clean_up() { attackers_clean_up; }

# shown NAME ARGUMENT... - runs `tidemark view` on the spool of recording NAME
shown() {
	local name=$1
	shift
	"$TM_TIDEMARK" view --spool "$WORK/$name.spool" --from "$FROM" --to "$TO" "$@" \
		-o "$WORK/$name.view.folded" >"$WORK/$name.view" 2>&1 ||
		wrong "view exited with $?: $(head -c 600 "$WORK/$name.view")"
}

attack() {
	local name=$1 attacker
	shift
	say "$name:"
	FROM=$(date -u +%FT%TZ)
	start_attached_recording "$name" -F $HZ --every 1 --spool "$WORK/$name.spool" \
		--spool-max 2M -o "$WORK/$name.folded"
	start_victim
	"$@" "$TM_WORKLOADS/random_stacks" 500 $TIME &
	attacker=$!
	STARTED+=($attacker)
	wait $attacker
	kill -INT "$RECORDER"
	end_recording 60
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/$name.err")"
	stop $VICTIM
	TO=$(date -u -d '1 minute' +%FT%TZ)
	shown "$name"
	grep -q 'or was removed when the spool was full' "$WORK/$name.view" ||
		wrong "view does not say that something is missing: $(<"$WORK/$name.view")"
	[[ $(stat -c %a "$WORK/$name.0001.folded" "$WORK/$name.view.folded" | sort -u) == 600 ]] ||
		wrong 'others may read what shows the whole host'
	judge "$name"
}

judge() {
	python '
import glob, segments
name, limit = sys.argv[1], int(sys.argv[2])
kept = segments.reports(name + ".spool")
size = sum(os.stat(path).st_size for path in segments.paths(name + ".spool"))
def sums(paths):
    found = collections.Counter()
    for path in paths:
        for comm, _, samples in folded(path):
            # Of his class, users in this cgroup: tidemark, and the threads of its io_uring.
            if not comm.startswith(("tidemark", "iou-wrk-")):
                found[comm] += samples
    return found
all_of_them = sums(glob.glob(name + ".[0-9]*.folded"))
shown = sums([name + ".view.folded"])
attacker = "random_stacks"[:15]
others = sum(all_of_them.values()) - all_of_them[attacker]
left = sum(shown.values()) - shown[attacker]
shares = collections.Counter(report.share for report in kept)
print("  taken: %d samples of the attacker, %d of others; shown: %d and %d; %d bytes; reports by "
      "share: %s" % (all_of_them[attacker], others, shown[attacker], left, size, dict(shares)))
check(size <= limit, "the spool is too large")
check(all_of_them[attacker] > 5000 and shown[attacker] < 0.8 * all_of_them[attacker],
      "the attacker has not filled the spool")
victim = all_of_them["victim"]
check(victim > 200 and shown["victim"] == victim and left > 0.99 * others,
      "he shortened the history of others")
check(shares[0] >= 20 and len(shares) > 1, "they have one share")
' "$WORK/$1" $SPOOL_BYTES
}

attack_as_user_and_root
finish
