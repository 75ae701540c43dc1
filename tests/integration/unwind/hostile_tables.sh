#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_tables - hostile unwind tables from a symbolizer are refused and counted; none is
# installed, and the collector goes on sampling
. "$(dirname "$0")/../../lib/integration.bash"

[[ -x $TM_BUILD/tests/integration/programs/hostile_symbolizer ]] ||
	skip "no program $TM_BUILD/tests/integration/programs/hostile_symbolizer"
mkdir "$WORK/code"
timeout -k 10 300 "$TM_BUILD/tests/integration/programs/hostile_symbolizer" \
	"$TM_BUILD/collector/tidemark-collector" "$TM_BUILD/collector/opener/tidemark-opener" \
	"$WORK/code" </dev/null >"$WORK/said" 2>&1
STATUS=$?
cat "$WORK/said"
((STATUS == 0)) || wrong "hostile_symbolizer exited with $STATUS"
finish
