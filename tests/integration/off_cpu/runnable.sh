#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# runnable - threads that could run but do not are preempted or yielded; stopped ones are stopped
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/waits.bash"

record_waits runnable "${EVERY_WAIT[@]}" -- "${SETTLE[@]}" preempted 2 1000000000 \
	yielding 500 500000 stopped 100 8000000 &&
	judge runnable spin_on_cpu run_and_yield give_up_cpu stop_here
finish
