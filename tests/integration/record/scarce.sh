#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scarce - little memory, few descriptors, no place on a disk: what was taken is written or counted,
# and the reason said
. "$(dirname "$0")/../../lib/integration.bash"

GROUP= # a cgroup whose memory is limited
test_clean_up() { [[ ! $GROUP ]] || rmdir "$GROUP"; }

# recorded NAME WITHIN... - records a busy program behind the command WITHIN, which must go well
recorded() {
	local name=$1
	shift
	"$@" "$TM_TIDEMARK" record -F 499 --memory-max 64 --summary "$WORK/$name.json" \
		-o "$WORK/$name.folded" -- "$TM_WORKLOADS/deep" 50 1 1 \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null
	STATUS=$?
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/$name.err")"
	balance "$name" zero-drops
	python '
read, total = summary(sys.argv[1]), folded_total(sys.argv[2])
check(total == read["exported"] and total > 200, "%d samples are written, %d exported" %
      (total, read["exported"]))
' "$WORK/$name.json" "$WORK/$name.folded"
}

say "256 descriptors:"
recorded few bash -c 'ulimit -n 256 && exec "$@"' bash

say "/var cannot be written:"
recorded var unshare --mount --propagation private sh -c \
	'mount --bind /var /var && mount -o remount,bind,ro /var && exec "$@"' sh

limit_memory() { # MIB
	GROUP=$(memory_hierarchy)/tidemark-test-memory
	mkdir "$GROUP" || return
	{ echo $(($1 << 20)) >"$GROUP/memory.max"; } 2>/dev/null ||
		echo $(($1 << 20)) >"$GROUP/memory.limit_in_bytes"
}
# shellcheck disable=SC2016 # expanded by the inner shell
IN_GROUP='echo $$ >"$0/cgroup.procs" && exec "$@"'

say "a cgroup with as much memory as --memory-max:"
if limit_memory 64; then
	recorded enough sh -c "$IN_GROUP" "$GROUP"
	rmdir "$GROUP" && GROUP=
else
	GROUP=
	wrong "no cgroup can be made"
fi

say "a cgroup with far less, where the kernel kills:"
if limit_memory 12; then
	sh -c "$IN_GROUP" "$GROUP" "$TM_TIDEMARK" record -F 499 --summary "$WORK/killed.json" \
		-o "$WORK/killed.folded" -d 2 >"$WORK/killed.out" 2>"$WORK/killed.err" </dev/null
	STATUS=$?
	say "  exit $STATUS: $(head -n 1 "$WORK/killed.err")"
	((STATUS == 1 || STATUS == 3 || STATUS == 4 || STATUS == 137)) ||
		wrong "exit code $STATUS"
	[[ -s $WORK/killed.err ]] || ((STATUS == 137)) || wrong "no reason is said"
	[[ ! -e $WORK/killed.json ]] || balance killed
	until_true 10 rmdir "$GROUP" && GROUP=
fi
finish
