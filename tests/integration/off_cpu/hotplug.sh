#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hotplug - waits of threads whose CPU goes and comes all the time are right, and none is lost
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/../../lib/cpu_switch.bash"
. "$(dirname "$0")/waits.bash"

LEAST=5 # times that the CPU comes back
# The CPU time by which the program measures itself leaves out what the hypervisor takes of a CPU,
# and of a CPU that comes and goes /proc/stat does not say all of that: up to 1.3 %.
SHARE=0.03

joined_or_gone() { joined "$@" || gone "$RECORDER"; }

start_attached_recording waits "${EVERY_WAIT[@]}" -o "$WORK/waits.folded" -- "$WAITS" \
	"${SETTLE[@]}" futex 300 500000 epoll 50 4000000 asleep 200 20000000 || finish
times=0
until gone "$RECORDER"; do
	switch 0
	switch 1
	times=$((times + 1))
	until_true 20 joined_or_gone waits $times || wrong "CPU $N came online and is not sampled"
done
end_recording 20
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/waits.err")"
say "CPU $N went and came $times times:"
((times >= LEAST)) || wrong "CPU $N came back $times times only"
balance waits zero-drops
judge waits join_convoy serve_epoll sleep_often
finish
