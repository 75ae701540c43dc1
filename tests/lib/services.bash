# SPDX-License-Identifier: Apache-2.0
# services - tidemark's units in a booted Debian, and a receiver of their reports; sourced after
# booted.bash
#
# The root is in ROOT, the receiver's requests are in the folder RECEIVED, by default
# $WORK/received; its socket is $WORK/receiver.sock, and /var/receiver/receiver.sock inside.

SERVICES='collector opener symbolizer parser exporter spool'
ROOT=
RECEIVED=$WORK/received
RECEIVER=

test_clean_up() {
	booted_stop
	[[ -z $ROOT ]] || rm -rf --one-file-system "$ROOT"
}

unit_pid() { inside systemctl show -P MainPID "tidemark-$1"; }
# host_pid PID - of a process inside
host_pid() {
	local status pid here
	here=$(readlink "/proc/$BOOTED_INIT/ns/pid")
	for status in /proc/[0-9]*/status; do
		awk -v pid="$1" '$1 == "NSpid:" && NF == 3 && $3 == pid { print $2 }' \
			"$status" 2>/dev/null
	done | while read -r pid; do
		[[ $(readlink "/proc/$pid/ns/pid") == "$here" ]] && echo "$pid"
	done | head -n 1
}
is_active() { [[ $(inside systemctl is-active "tidemark-$1") == active ]]; }
requests() { find "$RECEIVED" -name '*.json' | wc -l; }
has_requests() { (($(requests) >= $1)); }

# services_install SUITE - a Debian with tidemark installed, in ROOT
services_install() {
	local program
	for program in debootstrap systemd-nspawn meson; do
		command -v $program >/dev/null || skip "no $program"
	done
	ROOT=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-root.XXXXXX")
	booted_tar "$1" >"$WORK/debian.log" || {
		tail -n 5 "$WORK/debian.log"
		skip "there is no Debian; is a mirror in reach?"
	}
	must tar -C "$ROOT" -xf "$BOOTED_TAR"
	must booted_install "$ROOT"
	must mkdir -p "$ROOT/etc/tidemark"
}

# services_receive [FOLDER] - starts a receiver, whose requests begin at 1 in RECEIVED
services_receive() {
	RECEIVED=${1:-$RECEIVED}
	rm -f "$WORK/receiver.sock"
	must mkdir "$RECEIVED"
	python3 "$TM_LIB/otlp_receiver.py" "$RECEIVED" "$WORK/receiver.sock" \
		>"$WORK/receiver" 2>&1 &
	RECEIVER=$!
	STARTED+=("$RECEIVER")
	until_true 20 grep -qs ready "$WORK/receiver" || wrong "no receiver"
}

# services_boot - boots ROOT
services_boot() {
	booted_start "$ROOT" --bind="$WORK:/var/receiver" || {
		tail -n 20 "$WORK/console"
		wrong "it does not boot"
		finish
	}
	say "  systemd $(inside systemctl --version | awk 'NR == 1 { print $2 }')"
}

# services_start - starts tidemark.target, and waits for all services
services_start() {
	local name
	must inside systemctl enable --now tidemark.target
	for name in $SERVICES; do
		until_true 30 is_active "$name" || wrong "tidemark-$name is not active"
	done
}
