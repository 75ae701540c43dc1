# SPDX-License-Identifier: Apache-2.0
# life - what the proofs of process life share; sourced after system.bash

TM_LIFE=${TM_LIFE:-$TM_BUILD/tests/life}
PYTHONPATH=$PYTHONPATH:$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CGROUP=

# must COMMAND... - what a test cannot go on without
must() {
	"$@" && return
	wrong "failed: $*"
	finish
}

# clone_lives COUNT - $WORK/lives/life-000001 ..., each with its own function name
clone_lives() {
	must strip --strip-debug -o "$WORK/life" "$TM_WORKLOADS/life"
	must python3 "$TM_LIB/clones.py" "$WORK/life" "$WORK/lives" "$1"
}

# cgroup_make - two cgroups in the unified hierarchy CGROUP
cgroup_make() {
	CGROUP=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[[ $CGROUP ]] && mkdir "$CGROUP/tidemark-life-a" "$CGROUP/tidemark-life-b" 2>/dev/null
}

test_clean_up() {
	[[ $CGROUP ]] && rmdir "$CGROUP"/tidemark-life-{a,b} 2>/dev/null
	declare -F life_clean_up >/dev/null && life_clean_up
}
