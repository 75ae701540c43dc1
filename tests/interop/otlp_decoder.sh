#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# otlp_decoder - gets the decoder that requirements.txt pins, once, and runs otlp_decoder.py with it
#
# Usage: otlp_decoder.sh MAKE_REPORT | --requests FILE...
# 77: a tool that the test needs is not there.
set -eu

here=$(dirname "$(readlink -f "$0")")
for tool in python3 flock sha256sum; do
	if ! command -v "$tool" >/dev/null; then
		echo "needs $tool, which is not installed"
		exit 77
	fi
done
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
	echo "needs python3-venv, which is not installed"
	exit 77
fi

# Keyed by the digest of what is wanted, as the packages of run.sh are.
cache=${TM_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark-tests}
decoder=$cache/decoder-$(sha256sum <"$here/requirements.txt" | cut -c 1-16)
mkdir -p "$decoder"
exec 9>"$decoder/.lock"
flock 9
if ! [ -e "$decoder/.complete" ]; then
	python3 -m venv --clear "$decoder/venv"
	"$decoder/venv/bin/pip" install --quiet --require-hashes --no-deps --only-binary :all: \
		--disable-pip-version-check -r "$here/requirements.txt"
	touch "$decoder/.complete"
fi
exec 9>&-
exec "$decoder/venv/bin/python" "$here/otlp_decoder.py" "$@"
