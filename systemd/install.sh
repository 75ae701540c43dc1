#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh - after `meson install`: makes the accounts and folders that the units need
#
# Into a folder of a package (DESTDIR) nothing is made: the package's own scripts do that.
set -eu
[ -z "${DESTDIR:-}" ] || exit 0
[ "$(id -u)" = 0 ] || exit 0
command -v systemd-sysusers >/dev/null || exit 0
systemd-sysusers "$1/lib/sysusers.d/tidemark.conf"
systemd-tmpfiles --create "$1/lib/tmpfiles.d/tidemark.conf"
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
