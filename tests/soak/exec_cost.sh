#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# exec_cost - E5: what 1,000 execs a second cost tidemark, and what the exit hook costs
#
# exec_cost.sh [SECONDS]: of each segment. The bounds are in exec_cost.py.
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

SECONDS_EACH=${1:-1}
SWITCH=/proc/sys/kernel/bpf_stats_enabled # of what each BPF program costs
was=$(<$SWITCH)
identity_clean_up() { echo "$was" >$SWITCH; }
echo 1 >$SWITCH
PYTHONPATH=$PYTHONPATH:$TM_SOURCE/tests/bench \
	python3 "$(dirname "$0")/exec_cost.py" "$TM_TIDEMARK" "$TM_SOAK" "$WORK" \
	"$SECONDS_EACH" $((SECONDS_EACH > 5 ? 5 : 3)) 2>"$WORK/wrong" ||
	wrong "$(tr '\n' ';' <"$WORK/wrong")"
finish
