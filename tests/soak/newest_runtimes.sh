#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# newest_runtimes - the interpreters of CPython and the Javas of a newer Debian than this host's, in
# a folder of their own, under the tests of those of this host
#
# usage: TM_BUILD=... TM_SOURCE=... newest_runtimes.sh [SUITE], as root; SUITE: sid.
# TM_ROOT: a folder for that Debian which is kept, and used again. TM_ONLY: a pattern of packages.
set -u -o pipefail
export TM_WORKLOADS=${TM_WORKLOADS:-$TM_BUILD/tests/integration/programs}
. "$TM_SOURCE/tests/lib/debian.bash"
SUITE=${1:-sid}
PACKAGES="^(python3\.[0-9]+|openjdk-[0-9]+-jre-headless)\$"
FAILED=0

WORK=$(mktemp -d /tmp/tidemark-runtimes.XXXXXX)
ROOT=${TM_ROOT:-$WORK/root}
clean() {
	local folder
	for folder in proc dev tmp "$TM_SOURCE"; do
		umount -R "$ROOT/$folder" 2>/dev/null
	done
	# What is mounted there is on the same file system.
	if grep -qF " $WORK/" /proc/self/mountinfo; then
		echo "newest_runtimes: not removed, since in use: $WORK"
	else
		rm -rf "$WORK"
	fi
}
trap clean EXIT
trap 'exit 1' INT TERM
chmod 755 "$WORK"

inside() { env DEBIAN_FRONTEND=noninteractive "${DEBIAN_ENVIRONMENT[@]}" chroot "$ROOT" "$@"; }

# What ends in it must not end on the host.
join() {
	local folder
	mkdir -p "$ROOT/$TM_SOURCE" || return
	for folder in proc dev tmp "${TM_SOURCE#/}"; do
		mount --rbind "/$folder" "$ROOT/$folder" &&
			mount --make-rslave "$ROOT/$folder" || return
	done
}

install() {
	local names
	[[ -d $ROOT/usr ]] || debian_make "$SUITE" "$ROOT" >"$WORK/log" || return
	debian_join_network "$ROOT" && join && inside apt-get -q update >>"$WORK/log" 2>&1 || return
	names=$(inside apt-cache pkgnames | grep -E "$PACKAGES" | grep -E "${TM_ONLY:-.}") || return
	# shellcheck disable=SC2086 # names of packages
	inside apt-get -qy install --no-install-recommends $names >>"$WORK/log" 2>&1
}

# command_for FILE COMMAND - FILE runs that command of the other Debian
command_for() {
	mkdir -p "$(dirname "$1")"
	printf '#!/bin/sh\nexec chroot "%s" "%s" "$@"\n' "$ROOT" "$2" >"$1"
	chmod 755 "$1"
}

# check VARIABLE=VALUE TEST - one of the tests
check() {
	echo "$1, ${2##*/}:"
	env "$1" "$TM_SOURCE/tests/integration/$2.sh" || FAILED=$((FAILED + 1))
}

check_pythons() {
	local python
	for python in "$ROOT"/usr/bin/python3.*; do
		[[ $python =~ /python3\.[0-9]+$ ]] || continue
		command_for "$WORK/${python##*/}/python3" "${python#"$ROOT"}"
		check TM_INTERPRETERS="$WORK/${python##*/}/python3" python/truth
	done
}

check_javas() {
	local jvm java name folder
	for jvm in "$ROOT"/usr/lib/jvm/java-*-openjdk-*; do
		[[ -L $jvm ]] && continue
		java=$jvm/bin/java
		[[ -d $jvm/jre ]] && java=$jvm/jre/bin/java
		folder=$WORK/${jvm##*/}
		command_for "$folder/bin/java" "${java#"$ROOT"}"
		for name in lib jre; do
			[[ -d $jvm/$name ]] && ln -s "$jvm/$name" "$folder/$name"
		done
		for name in truth short unloading; do # attacks finds no programs behind chroot
			check TM_JDKS="$folder" "java/$name"
		done
	done
}

install || {
	tail -n 5 "$WORK/log"
	echo "newest_runtimes: no $SUITE with its runtimes in $ROOT"
	exit 1
}
check_pythons
check_javas
echo "$FAILED failed"
((FAILED == 0))
