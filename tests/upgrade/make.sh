#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make - writes a folder of tests/upgrade/ with the tidemark of now, for a new version of a format
#
# usage: make.sh VERSION, as root, after a build (TM_BUILD). The first report counts as delivered.
set -eu -o pipefail
HERE=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
TM_BUILD=${TM_BUILD:-$HERE/../../build}
VERSION=$HERE/${1:?"usage: make.sh VERSION"}
export PYTHONPATH=$HERE/../lib PYTHONDONTWRITEBYTECODE=1

mkdir "$VERSION"
"$TM_BUILD/cli/tidemark" record -F 99 --every 1 --off-cpu --service-name upgrade \
	--label team=storage --spool "$VERSION/spool" --otlp-endpoint unix:///nobody/listens \
	-- "$TM_BUILD/tests/integration/programs/hot" 1 4 2>/dev/null
chown -R root:root "$VERSION"
python3 - "$TM_BUILD/symbolizer/spool/tidemark-spool" "$VERSION/spool" <<'PYTHON'
import sys
import spool
with spool.Spool(sys.argv[1], sys.argv[2]) as program:
    assert program.fetch()[0] == 1
    program.delivered(1)
    assert program.fetch(1)[0] > 1 # after what was sent before
PYTHON
"$TM_BUILD/cli/tidemark" view --spool "$VERSION/spool" --since 1m -o "$VERSION/view.folded"
{
	sed -n 's/^#\(TIDEMARK_.*=.\)/\1/p' "$HERE/../../systemd/tidemark.conf"
	echo 'TIDEMARK_OTLP_ENDPOINT=unix:///run/receiver.sock'
	echo 'TIDEMARK_SERVICE_NAME="two words"'
	echo "TIDEMARK_LABELS='deployment.environment.name=production,team=a%2Cb'"
} >"$VERSION/tidemark.conf"
chmod -R a+rX "$VERSION"
