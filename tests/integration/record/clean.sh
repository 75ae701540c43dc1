#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clean - both commands of the README, as written, in a Debian with nothing else installed
#
# usage: clean.sh [SUITE [PHASE...]]   SUITE: bookworm, the default, or trixie; PHASE: of tests/run,
#        which is the second command; `none`: only the first one
# debootstrap makes the system (kept as a tarball under TM_CACHE), systemd-nspawn runs it: so this
# also is the test of tidemark inside a PID namespace. The tree is a fresh clone of HEAD.
TM_NEEDS_BUILD=no # it makes its own
. "$(dirname "$0")/../../lib/integration.bash"
. "$TM_LIB/debian.bash"

SUITE=${1:-bookworm}
PHASES=("${@:2}")

TM_CACHE=${TM_CACHE:-/var/cache/tidemark-tests}
[[ -n ${TM_INNER:-} ]] && skip "this is the inside of this very test"
for program in debootstrap systemd-nspawn git; do
	command -v $program >/dev/null || skip "no $program"
done
ARCHIVES=$TM_CACHE/archives/$SUITE
mkdir -p "$ARCHIVES"
ROOT=$(mktemp -d "$TM_CACHE/root.XXXXXX")
test_clean_up() { rm -rf --one-file-system "$ROOT"; }

make_base() {
	local from=$SECONDS
	debian_tar "$SUITE" "$TM_CACHE" >"$WORK/debootstrap.log" || {
		tail -n 5 "$WORK/debootstrap.log"
		skip "debootstrap failed; is there a Debian mirror in reach?"
	}
	say "debootstrap: $((SECONDS - from)) s"
}

inside() { # COMMAND... in the tree
	local unit=()
	if [[ -d /run/systemd/system ]]; then
		unit=("--property=DeviceAllow=/dev/fuse rw")
	else
		unit=(--keep-unit)
	fi
	[[ -e /dev/fuse ]] && unit+=(--bind=/dev/fuse) # a test has a file system of its own
	# tests/run holds this lock while recordings would be disturbed.
	[[ -n ${TM_QUIET_LOCK:-} ]] &&
		unit+=(--bind="$TM_QUIET_LOCK:/run/quiet" --setenv=TM_QUIET_LOCK=/run/quiet)
	# The run-time right to trace that an ordinary root has on a host, and no more.
	systemd-nspawn --quiet --pipe --register=no "${unit[@]}" -D "$ROOT" \
		--resolv-conf=copy-host \
		--capability=CAP_BPF,CAP_PERFMON,CAP_SYSLOG,CAP_CHECKPOINT_RESTORE \
		--system-call-filter='bpf perf_event_open' \
		"${DEBIAN_ENVIRONMENT[@]/#/--setenv=}" --setenv=DEBIAN_FRONTEND=noninteractive \
		--chdir=/root/tidemark \
		"$@" </dev/null 2>&1
}

# Packages that an earlier run downloaded need not come again; they are not installed by that.
lend_archives() {
	find "$ARCHIVES" -name '*.deb' -exec cp -lt "$ROOT/var/cache/apt/archives" {} +
}
keep_archives() {
	find "$ROOT/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp -nlt "$ARCHIVES" {} +
}

make_base
tar -C "$ROOT" -xf "$TM_CACHE/$SUITE.tar"
debian_join_network "$ROOT"
echo force-unsafe-io >"$ROOT/etc/dpkg/dpkg.cfg.d/thrown-away" # no package need reach the disk
lend_archives
git -c safe.directory='*' clone -q --no-hardlinks "file://$TM_SOURCE" "$ROOT/root/tidemark" ||
	wrong "git clone failed"
packages=("$ROOT"/var/lib/dpkg/info/*.list)
commit=$(git -c safe.directory='*' -C "$ROOT/root/tidemark" rev-parse --short HEAD)
say "Debian $(cat "$ROOT/etc/debian_version"), ${#packages[@]} packages, commit $commit"

from=$SECONDS
inside ./quickstart >"$WORK/quickstart.log"
status=$?
say "./quickstart: exit $status, $((SECONDS - from)) s"
tail -n 16 "$WORK/quickstart.log" | sed 's/^/  | /'
((status == 0)) || wrong "./quickstart failed: the last lines stand above"
picture=$(grep -Eo '[^ ]*tidemark\.html' "$WORK/quickstart.log" | tail -n 1)
case $picture in
/*) picture=$ROOT$picture ;;
?*) picture=$ROOT/root/tidemark/$picture ;;
esac
[[ -n $picture && -s $picture ]] ||
	wrong "quickstart does not say where the flame graph is, or it is not there"
grep -Eq 'samples: taken [1-9]' "$WORK/quickstart.log" || wrong "quickstart tells of no samples"

keep_archives
[[ ${PHASES[*]} != none ]] || finish
from=$SECONDS
inside env TM_INNER=1 ./tests/run "${PHASES[@]}" >"$WORK/run.log"
status=$?
say "TM_INNER=1 ./tests/run ${PHASES[*]}: exit $status, $((SECONDS - from)) s"
keep_archives
grep -v '^  left out:' "$WORK/run.log" | sed 's/^/  | /' # a line a phase, and what failed
((status == 0)) || wrong "./tests/run failed inside"
grep -Eq '^[1-9][0-9]* passed, 0 failed, [0-9]+ skipped$' "$WORK/run.log" ||
	wrong "the run does not say that all passed"
finish
