#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_tables - hostile unwind tables from a symbolizer are refused and counted; none is
# installed, and the collector goes on sampling
. "$(dirname "$0")/../../lib/integration.bash"

[[ -x $TM_BUILD/tests/integration/programs/hostile_symbolizer ]] ||
	skip "no program $TM_BUILD/tests/integration/programs/hostile_symbolizer"
# Both run as in a recording: under an account of no other use, with what they need alone.
must cp "$TM_BUILD"/collector/{tidemark-collector,opener/tidemark-opener} "$WORK"
RIGHTS=-all,+bpf,+perfmon,+syslog,+sys_ptrace,+dac_read_search,+checkpoint_restore
for program in collector opener; do
	cat >"$WORK/$program" <<-PROGRAM
		#!/bin/sh
		exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $RIGHTS \
			--ambient-caps $RIGHTS --bounding-set $RIGHTS \
			"$WORK/tidemark-$program" "\$@"
	PROGRAM
	chmod 755 "$WORK/$program"
done
mkdir "$WORK/code"
timeout -k 10 300 "$TM_BUILD/tests/integration/programs/hostile_symbolizer" \
	"$WORK/collector" "$WORK/opener" "$WORK/code" </dev/null >"$WORK/said" 2>&1
STATUS=$?
cat "$WORK/said"
((STATUS == 0)) || wrong "hostile_symbolizer exited with $STATUS"
finish
