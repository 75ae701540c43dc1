#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_tables - hostile unwind tables from a symbolizer are refused and counted; none is
# installed, and the collector goes on sampling
. "$(dirname "$0")/../../lib/integration.bash"

[[ -x $TM_BUILD/tests/integration/programs/hostile_symbolizer ]] ||
	skip "no program $TM_BUILD/tests/integration/programs/hostile_symbolizer"
# The collector runs as in a recording: under an account of no other use, with what it needs alone.
must cp "$TM_BUILD"/collector/{tidemark-collector,opener/tidemark-opener} "$WORK"
RIGHTS=-all,+bpf,+perfmon,+syslog,+sys_ptrace,+dac_read_search,+checkpoint_restore
cat >"$WORK/collector" <<COLLECTOR
#!/bin/sh
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $RIGHTS --ambient-caps $RIGHTS \
	--bounding-set $RIGHTS "$WORK/tidemark-collector" "\$@"
COLLECTOR
chmod 755 "$WORK/collector"
mkdir "$WORK/code"
timeout -k 10 300 "$TM_BUILD/tests/integration/programs/hostile_symbolizer" \
	"$WORK/collector" "$WORK/tidemark-opener" "$WORK/code" </dev/null >"$WORK/said" 2>&1
STATUS=$?
cat "$WORK/said"
((STATUS == 0)) || wrong "hostile_symbolizer exited with $STATUS"
finish
