#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cost - what an exec storm of 1,000 a second costs, and what the exit hook costs; printed, not asserted
#
# cost.sh [SECONDS]: of each segment
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

PYTHONPATH=$PYTHONPATH:$TM_SOURCE/tests/bench \
	python3 "$(dirname "$0")/cost.py" "$TM_TIDEMARK" "$TM_SOAK" "$WORK" "${1:-1}" $((${1:-1} > 5 ? 5 : 2)) ||
	wrong "the cost could not be measured"
finish
