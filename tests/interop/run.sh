#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run - gets the readers that package-lock.json pins, once, and runs one of the tests here
#
# Usage: run.sh TEST.mjs MAKE_REPORT. 77: a tool that the test needs is not there.
set -eu

here=$(dirname "$(readlink -f "$0")")
test=$1
make_report=$2

for tool in node npm chromium go flock sha256sum; do
	if ! command -v "$tool" >/dev/null; then
		echo "needs $tool, which is not installed"
		exit 77
	fi
done

# Keyed by the lock file's digest, so that an upgrade never meets an older tree.
cache=${TM_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark-tests}
modules=$cache/interop-$(sha256sum <"$here/package-lock.json" | cut -c 1-16)
mkdir -p "$modules"
exec 9>"$modules/.lock"
flock 9
if ! [ -e "$modules/.complete" ]; then
	cp "$here/package.json" "$here/package-lock.json" "$modules/"
	(cd "$modules" && npm ci --omit=optional --ignore-scripts --no-audit --no-fund \
		--loglevel=error)
	touch "$modules/.complete"
fi
exec 9>&-

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TM_MODULES=$modules TM_MAKE_REPORT=$make_report TM_WORK=$work
node "$test"
