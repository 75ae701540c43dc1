#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bpf_time - what the BPF programs cost is known without the kernel's statistics, which would slow
# all BPF programs of the host, and agrees with them
. "$(dirname "$0")/../../lib/integration.bash"

HZ=997
SWITCH=/proc/sys/kernel/bpf_stats_enabled
was=$(<$SWITCH)
test_clean_up() { echo "$was" >$SWITCH; }

# run NAME - records two programs; $WORK/NAME.programs: runs and ns of its BPF programs, if the
# kernel counts
run() {
	local name=$1
	start_attached_recording "$name" -F $HZ --off-cpu --wakers -o "$WORK/$name.folded"
	must "$TM_WORKLOADS/waits" 4 500 >/dev/null
	must "$TM_WORKLOADS/deep" 100 1 2
	must "$TM_BUILD/tests/soak/bpf_state" \
		"$(program_pid "$RECORDER" tidemark-collector)" programs >"$WORK/$name.programs"
	kill -INT "$RECORDER"
	end_recording 60
	((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 600 "$WORK/$name.err")"
	balance "$name"
}

say "the kernel does not count:"
echo 0 >$SWITCH
run uncounted
say "it does:"
echo 1 >$SWITCH
run counted
python '
HOOKS = ("sample", "on_")
def hooks(name):
    lines = (line.split() for line in open("%s/%s.programs" % (sys.argv[1], name)))
    return {name: (int(runs), int(ns) / 1e9) for name, runs, ns in lines if name.startswith(HOOKS)}
uncounted, counted = hooks("uncounted"), hooks("counted")
for name, (runs, seconds) in sorted(counted.items()):
    print("  %s: %d runs, %.0f ns each" % (name, runs, seconds * 1e9 / max(1, runs)))
kernel = sum(seconds for _, seconds in counted.values())
own = {name: summary("%s/%s.json" % (sys.argv[1], name))["bpf_seconds"]
       for name in ("uncounted", "counted")}
print("  by their own clock %.4f s, by the kernel %.4f s; uncounted %.4f s" %
      (own["counted"], kernel, own["uncounted"]))
check(not any(runs for runs, _ in uncounted.values()), "the kernel counted all the same")
check(own["uncounted"] > 0, "the programs have not measured themselves")
check(0.6 * kernel < own["counted"] < 1.2 * kernel,
      "own clock %.4f s, kernel %.4f s" % (own["counted"], kernel))
' "$WORK"
finish
