# SPDX-License-Identifier: Apache-2.0
# load - what the host does while it is measured; sourced by run and lookups
#
# Needs TM_BUILD; WORK is a folder that goes when the script ends, with the load.

TM_TIDEMARK=${TM_TIDEMARK:-$TM_BUILD/cli/tidemark}
TM_WORKLOADS=${TM_WORKLOADS:-$TM_BUILD/tests/lib}
[[ $(id -u) == 0 ]] || { echo "bench: root is needed" >&2; exit 77; }
[[ -x $TM_TIDEMARK ]] || { echo "bench: no program $TM_TIDEMARK" >&2; exit 77; }

WORK=$(mktemp -d /tmp/tidemark-bench.XXXXXX)
chmod 755 "$WORK"
LOAD=()
stop_load() {
	((${#LOAD[@]})) && kill -KILL "${LOAD[@]}" 2>/dev/null
	wait "${LOAD[@]}" 2>/dev/null
	LOAD=()
	[[ -d $WORK/pg ]] && as_postgres "$PG/pg_ctl" -D "$WORK/pg" -m immediate stop >/dev/null 2>&1
	rm -rf "$WORK/pg"
}
trap 'stop_load; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM

PG=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups -- "$@"; }

# start_load NAME - in the background; 1: not on this machine
start_load() {
	local cpus
	cpus=$(nproc)
	case $1 in
	idle) ;;
	spin) "$TM_WORKLOADS/hot" "$cpus" 100000 & LOAD+=($!) ;;
	deep) "$TM_WORKLOADS/deep" 65 "$cpus" 100000 & LOAD+=($!) ;;
	forks)
		local i
		for ((i = 0; i < cpus; i++)); do
			"$TM_WORKLOADS/forks" 100000 /bin/true >/dev/null & LOAD+=($!)
		done
		;;
	pgbench)
		[[ -n $PG ]] && command -v pgbench >/dev/null && id postgres >/dev/null 2>&1 || return 1
		install -d -o postgres -m 700 "$WORK/pg"
		as_postgres "$PG/initdb" -A trust -D "$WORK/pg" >/dev/null 2>&1 || return 1
		as_postgres "$PG/pg_ctl" -w -D "$WORK/pg" -l "$WORK/pg/log" \
			-o "-c listen_addresses= -k $WORK/pg -c fsync=off" start >/dev/null || return 1
		as_postgres "$PG/pgbench" -q -i -s 10 -h "$WORK/pg" postgres >/dev/null 2>&1 || return 1
		as_postgres "$PG/pgbench" -S -c 8 -T 100000 -h "$WORK/pg" postgres >/dev/null 2>&1 &
		LOAD+=($!)
		;;
	*) return 1 ;;
	esac
}
