#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kernel_symbols - BPF programs that are loaded and unloaded while a recording runs bear their names
. "$(dirname "$0")/../../lib/integration.bash"

# Symbols are read again at most once in so many seconds; the second program is loaded after the
# first reading, and runs until after the second one.
AGAIN=10
FIRST=8
SECOND=$((AGAIN + 4))

[[ $(cat /proc/sys/net/core/bpf_jit_enable 2>&1) == [1-9] ]] ||
	skip "BPF programs are not compiled here (net.core.bpf_jit_enable)"

say "two BPF programs, $FIRST and $SECOND s, recorded from before the first is loaded:"
record_ok bpf -F 199 -o "$WORK/bpf.folded" -- "$TM_WORKLOADS/bpf_hot" $FIRST $SECOND || finish
balance bpf zero-drops
python '
read = summary(sys.argv[1] + ".json")
calls = {"run_first": collections.Counter(), "run_second": collections.Counter()}
for comm, frames, count in folded(sys.argv[1] + ".folded"):
    for caller, leaves in calls.items():
        if caller in frames:
            leaves[re.sub("bpf_prog_[0-9a-f]*_", "bpf:", frames[-1].removesuffix("_[k]"))] += count
for caller, leaves in calls.items():
    print("  %-10s %d samples: %s" % (caller, sum(leaves.values()), leaves.most_common(4)))
print("  %d readings while recording, %d kernel frames outside of what was known" %
      (read["kernel_readings"], read["kernel_unknown"]))
first, second = calls["run_first"], calls["run_second"]
check(first["bpf:hot_first"] > 0, "the first program is never named")
check(second["bpf:hot_second"] > 0, "the second program is never named")
check(first["bpf:hot_second"] == 0, "the first program has the name of the second")
check(second["bpf:hot_first"] == 0, "the second program has the name of the first")
check(1 <= read["kernel_readings"] <= 1 + read["seconds"] / float(sys.argv[2]),
      "%d readings of the symbols" % read["kernel_readings"])
' "$WORK/bpf" "$AGAIN"
finish
