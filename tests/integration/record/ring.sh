#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ring - with the ring forced small and 10 kHz samples are dropped, counted, and the balance holds
. "$(dirname "$0")/../../lib/integration.bash"

# Deep stacks make long records: 500 frames are 4 KiB, 10,000 a second and CPU.
"$TM_WORKLOADS/deep" 500 "$(nproc)" 120 &
STARTED+=($!)

say "ring of 64 KiB, 10 kHz, 500 frames a sample, 5 s:"
if record_ok small -F 10000 --ring-kib 64 -d 5 -o "$WORK/small.folded"; then
	balance small
	python '
read = summary(sys.argv[1] + ".json")
dropped = sum(read["dropped"].values())
check(read["taken"] > 10000, "only %d samples were taken at 10 kHz" % read["taken"])
check(dropped > 0, "nothing was dropped: the ring was not small")
total = folded_total(sys.argv[1] + ".folded")
check(total == read["exported"], "the folded file holds %d samples, exported are %d" %
      (total, read["exported"]))
' "$WORK/small"
fi

say "the ring as sized from the rate, 10 kHz, 500 frames a sample, 5 s:"
if record_ok sized -F 10000 -d 5 -o "$WORK/sized.folded"; then
	balance sized
fi
finish
