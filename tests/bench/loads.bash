# SPDX-License-Identifier: Apache-2.0
# loads - the loads that the host runs while it is measured; sourced by run, start, compare, lookups
#
# Needs TM_BUILD. WORK is a folder that is removed, like the load, when the script ends. Each load
# is a process group of its own, so that what it started ends with it.

TM_TIDEMARK=${TM_TIDEMARK:-$TM_BUILD/cli/tidemark}
TM_WORKLOADS=${TM_WORKLOADS:-$TM_BUILD/tests/integration/programs}
[[ $(id -u) == 0 ]] || { echo "bench: root is needed" >&2; exit 77; }
[[ -x $TM_TIDEMARK ]] || { echo "bench: no program $TM_TIDEMARK" >&2; exit 77; }

WORK=$(mktemp -d /tmp/tidemark-bench.XXXXXX)
chmod 755 "$WORK"
# Without private files the opener cannot reach folders that are closed to others, and the tree may
# lie in one.
mkdir "$WORK/workloads"
find "$TM_WORKLOADS" "$TM_BUILD/tests/bench" -maxdepth 1 -type f -perm -u+x ! -name 'collector-*' \
	-exec cp {} "$WORK/workloads" \;
TM_WORKLOADS=$WORK/workloads
LOADS_FOLDER=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
LOAD=()
CPUS=$(nproc)
stop_load() {
	local pid
	for pid in "${LOAD[@]}"; do
		kill -KILL -- "-$pid" 2>/dev/null
	done
	wait "${LOAD[@]}" 2>/dev/null
	LOAD=()
	[[ -d $WORK/pg ]] &&
		as_postgres "$PG/pg_ctl" -D "$WORK/pg" -m immediate stop >/dev/null 2>&1
	rm -rf "$WORK/pg" "$WORK/redis"
}
# What BPF programs cost by the kernel's clock, which taxes all of the host: for benchmarks alone.
STATS=$(</proc/sys/kernel/bpf_stats_enabled)
echo 1 >/proc/sys/kernel/bpf_stats_enabled
restore_stats() { echo "$STATS" >/proc/sys/kernel/bpf_stats_enabled; }
trap 'stop_load; restore_stats; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM

find_postgres() {
	PG=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
}
find_postgres
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups -- "$@"; }

# begin PROGRAM [ARGUMENT...] - starts one process group of the load
begin() {
	setsid "$@" >/dev/null 2>&1 </dev/null &
	LOAD+=($!)
}

# on_each_cpu PROGRAM [ARGUMENT...]
on_each_cpu() {
	local cpu
	for ((cpu = 0; cpu < CPUS; cpu++)); do
		begin "$@"
	done
}

start_postgres() {
	install -d -o postgres -m 700 "$WORK/pg"
	as_postgres "$PG/initdb" -A trust -D "$WORK/pg" >/dev/null 2>&1 || return 1
	as_postgres "$PG/pg_ctl" -w -D "$WORK/pg" -l "$WORK/pg/log" \
		-o "-c listen_addresses= -k $WORK/pg -c fsync=off" start >/dev/null || return 1
	as_postgres "$PG/pgbench" -q -i -s 10 -h "$WORK/pg" postgres >/dev/null 2>&1
}

begin_pgbench() {
	start_postgres || return 1
	begin setpriv --reuid postgres --regid postgres --clear-groups -- \
		"$PG/pgbench" -S -c 8 -T 100000 -h "$WORK/pg" postgres
}

begin_redis() {
	mkdir "$WORK/redis"
	begin redis-server --port 0 --unixsocket "$WORK/redis/socket" --dir "$WORK/redis" \
		--save '' --appendonly no
	# No descriptor tells that it is up.
	until redis-cli -s "$WORK/redis/socket" ping >/dev/null 2>&1; do
		kill -0 "${LOAD[0]}" 2>/dev/null || return 1
		read -r -t 0.1 <> <(:)
	done
	begin redis-benchmark -s "$WORK/redis/socket" -c 50 -n 1000000 -l -q -t get,set
}

# write_large COUNT - a C file that takes the compiler some seconds: functions with loops and calls
write_large() {
	awk -v functions="$1" 'BEGIN {
		print "#include <stdio.h>\n#include <string.h>"
		print "struct part { int kind; double weight; struct part *next; char name[24]; };"
		for (i = 0; i < functions; i++) {
			printf "double work_%d(struct part *list, const char *text,", i
			print " unsigned long seed)"
			printf "{\n\tdouble sum = %d.5;\n", i
			print "\tfor (struct part *at = list; at; at = at->next) {"
			print "\t\tswitch ((at->kind + seed) % 7) {"
			for (k = 0; k < 7; k++) {
				printf "\t\tcase %d: sum += at->weight * %d", k, i + k
				printf " + (double)strlen(text + (seed & 3));"
				printf " seed = seed * %d + %d; break;\n", i + 3, k
			}
			print "\t\t}"
			print "\t\tif (sum > 1e9)"
			print "\t\t\tsnprintf(at->name, sizeof(at->name), \"%lu\", seed);\n\t}"
			printf "\tfor (unsigned j = 0; j < %d; j++)", i % 50 + 8
			print " sum += (double)((seed >> (j & 31)) ^ j) / (j + 1);"
			if (i)
				printf "\tif (seed & 1) sum += work_%d(list, text, seed);\n", i - 1
			print "\treturn sum;\n}"
		}
	}' >"$WORK/large.c"
}

# Programs for python3 and node: calls, objects, strings, sorting.
PYTHON_LOAD='
import json, random, re
class Node:
    def __init__(self, key): self.key, self.left, self.right = key, None, None
def insert(node, key):
    if node is None: return Node(key)
    if key < node.key: node.left = insert(node.left, key)
    else: node.right = insert(node.right, key)
    return node
def total(node): return 0 if node is None else total(node.left) + node.key + total(node.right)
while True:
    root = None
    for key in random.sample(range(100000), 500): root = insert(root, key)
    text = json.dumps(sorted({str(key): total(root) for key in range(200)}.items()))
    re.findall(r"\d+3", text)'
NODE_LOAD='
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
for (;;) {
	const rows = Array.from({length: 2000},
		(_, i) => ({key: "k" + (i * 7919) % 2003, value: fib(i % 18)}));
	rows.sort((a, b) => a.key < b.key ? -1 : 1);
	JSON.parse(JSON.stringify(rows)).filter((row) => /3$/.test(row.key))
		.map((row) => row.value);
}'
SYSTEM_PYTHON=$([[ -x /usr/bin/python3 ]] && echo /usr/bin/python3 || echo python3)

ALL_LOADS=(idle spin deep pgbench redis gcc python java node forks)

# missing_for NAME - the packages that the load needs and this machine lacks, one per line
missing_for() {
	case $1 in
	pgbench) [[ -x $PG/postgres && -x $PG/pgbench ]] && id postgres >/dev/null 2>&1 ||
		echo postgresql ;;
	redis) { command -v redis-server && command -v redis-benchmark; } >/dev/null ||
		echo redis-server ;;
	gcc) command -v gcc >/dev/null || echo gcc ;;
	java) command -v javac >/dev/null || echo default-jdk-headless ;;
	node) command -v node >/dev/null || echo nodejs ;;
	perf) command -v perf >/dev/null || echo linux-perf ;;
	esac
}

# start_load NAME - in the background; 1: not on this machine
start_load() {
	[[ -z $(missing_for "$1") ]] || return 1
	case $1 in
	idle) ;;
	spin) begin "$TM_WORKLOADS/hot" "$CPUS" 100000 ;;
	deep) on_each_cpu "$TM_WORKLOADS/recurse-cfi" 65 m ;;
	pgbench) begin_pgbench ;;
	redis) begin_redis ;;
	gcc)
		write_large 3000
		on_each_cpu bash -c "while gcc -O2 -c -o /dev/null '$WORK/large.c'; do :; done"
		;;
	python) on_each_cpu "$SYSTEM_PYTHON" -c "$PYTHON_LOAD" ;;
	java)
		javac -d "$WORK/java" "$LOADS_FOLDER/JavaLoad.java" || return 1
		on_each_cpu java -cp "$WORK/java" JavaLoad
		;;
	node) on_each_cpu node -e "$NODE_LOAD" ;;
	forks) on_each_cpu "$TM_WORKLOADS/spawn_loop" 100000 /bin/true ;;
	*) return 1 ;;
	esac
}
