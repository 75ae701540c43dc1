#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# recycled_files - a file that is opened where the kernel had one that was mapped is never taken for
# that mapping's
#
# The programs of the recording wait between a lookup and what they read from its file, so that the
# race is met often.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

HZ=4999
MS=5000
DELAY=200 # readings of the clock

must cp "$TM_WORKLOADS/hot" "$WORK/mapped-code"
must head -c 10000 /dev/zero >"$WORK/never-mapped"

start_attached_recording race -F $HZ --cpu-max 0 -o "$WORK/race.folded"
"$TM_BUILD/tests/soak/bpf_state" "$(program_pid "$RECORDER" tidemark-collector)" \
	set delay_reads $DELAY || wrong "delay_reads cannot be set"
rounds=$("$TM_WORKLOADS/recycled_files" "$WORK/mapped-code" "$WORK/never-mapped" $MS) ||
	wrong "recycled_files failed"
stop_recording race 60
python '
found = collections.Counter()
for comm, stack, count in folded(sys.argv[1]):
    if comm == "recycled_files" and len(stack) > 1 and not stack[-1].endswith("_[k]"):
        found["never" if any("never-mapped" in f for f in stack) else
              "mapped" if any("mapped-code" in f for f in stack) else "no mapping"] += count
print("  %s rounds; the caller: %s" % (sys.argv[2], dict(found)))
check(found["never"] == 0, "%d samples have a file that was never mapped" % found["never"])
check(found["mapped"] > 0, "no sample met the mapping")
' "$WORK/race.folded" "$rounds"
finish
