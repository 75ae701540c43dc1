#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# walk_cost - D5: what a user frame costs on a warm stack, by unwind table and by frame pointer
#
# walk_cost.sh [ROUNDS]. The bounds are in walk_cost.py.
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

PYTHONPATH=$PYTHONPATH:$TM_SOURCE/tests/bench \
	python3 "$(dirname "$0")/walk_cost.py" "$TM_TIDEMARK" "$TM_SOAK/bpf_state" "$TM_WORKLOADS" \
	"$WORK" "${1:-2}" 2>"$WORK/wrong" || wrong "$(tr '\n' ';' <"$WORK/wrong")"
finish
