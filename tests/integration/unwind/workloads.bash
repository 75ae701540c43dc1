# SPDX-License-Identifier: Apache-2.0
# workloads - the ordinary and odd programs whose stacks are judged; sourced after unwind.bash
#
# run_NAME SECONDS runs in a shell of its own, which is given WORK (a folder) and TM_WORKLOADS (the
# folder of our own programs). prepare_NAME does what is not to be recorded; it fails with a message
# if this machine lacks something.

# The workloads of every test run, and those with TM_FULL; tests/run installs what they need. The
# others need more packages.
SHORT=(signals contexts odd_stacks pool namespace pgbench node go)
FULL=("${SHORT[@]}" deleted gcc exec_stacks reload replaced python openssl redis rust stacker
	fibers qemu)
WORKLOADS=("${FULL[@]}" work static static_pie perl ripgrep musl nginx)
PG=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | tail -n 1)
export PG

# prepare_workload NAME - prepares the workload; it is a failure if something is missing for it
prepare_workload() {
	local reason
	declare -F "run_$1" >/dev/null || { wrong "no workload is called $1"; return 1; }
	declare -F "prepare_$1" >/dev/null || return 0
	reason=$("prepare_$1" 2>&1) && return
	wrong "$1: $(tail -n 1 <<<"$reason")"
	return 1
}

needs() { command -v "$1" >/dev/null || { echo "$1 is not installed"; return 1; }; }
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups -- "$@"; }
workloads_clean_up() {
	[[ -d $WORK/pg ]] && as_postgres "$PG/pg_ctl" -D "$WORK/pg" -m immediate stop >/dev/null \
		2>&1
	true
}

run_work() { "$TM_WORKLOADS/work" "$1"; }
run_static() { "$TM_WORKLOADS/work-static" "$1"; }
run_static_pie() { "$TM_WORKLOADS/work-static-pie" "$1"; }
run_signals() { "$TM_WORKLOADS/signals" "$1"; }
run_contexts() { "$TM_WORKLOADS/contexts" "$1"; }
run_odd_stacks() { "$TM_WORKLOADS/odd_stacks" "$1"; }
run_exec_stacks() { "$TM_WORKLOADS/odd_stacks-exec" "$1"; }
run_pool() { "$TM_WORKLOADS/pool" "$1" /bin/true; }

prepare_reload() {
	local i
	for i in 1 2 3 4 5 6; do
		cp "$TM_WORKLOADS/libplug.so" "$WORK/plug-$i.so"
	done
}
run_reload() { "$TM_WORKLOADS/reload" "$1" "$WORK"/plug-?.so; }

# The program is deleted soon after its start, before its unwind table can have been made, and stays
# mapped until it ends.
prepare_deleted() {
	cp "$TM_WORKLOADS/work" "$WORK/deleted"
	printf '%s\t%s\n' "$WORK/deleted" "$TM_WORKLOADS/work" "$WORK/deleted (deleted)" \
		"$TM_WORKLOADS/work" >>"$WORK/aliases"
}
run_deleted() {
	"$WORK/deleted" "$1" &
	sleep 0.1
	rm "$WORK/deleted"
	wait
}

# An upgrade as package managers do it: while program and library are in use, new files are renamed
# to their names.
prepare_replaced() {
	cp "$TM_WORKLOADS/reload" "$WORK/replaced"
	cp "$TM_WORKLOADS/libplug.so" "$WORK/replaced.so"
	printf '%s\t%s\n' "$WORK/replaced" "$TM_WORKLOADS/reload" "$WORK/replaced.so" \
		"$TM_WORKLOADS/libplug.so" >>"$WORK/aliases"
}
run_replaced() {
	"$WORK/replaced" "$1" "$WORK/replaced.so" &
	sleep 0.3
	cp "$TM_WORKLOADS/libplug.so" "$WORK/new.so" && mv "$WORK/new.so" "$WORK/replaced.so"
	cp "$TM_WORKLOADS/reload" "$WORK/new" && mv "$WORK/new" "$WORK/replaced"
	wait
}

prepare_namespace() {
	mkdir -p "$WORK/hidden"
	printf '%s\t%s\n' "$WORK/hidden/work" "$TM_WORKLOADS/work" >>"$WORK/aliases"
}
run_namespace() {
	unshare --mount --propagation private sh -c '
		mount -t tmpfs none "$1/hidden" && cp "$2/work" "$1/hidden" &&
			exec "$1/hidden/work" "$3"
	' sh "$WORK" "$TM_WORKLOADS" "$1"
}

# A source file as large as those of a database: 2,500 functions, each with a loop, a switch and
# calls.
prepare_gcc() {
	awk 'BEGIN {
		print "#include <stdio.h>\n#include <string.h>"
		print "struct row { int kind; long value; char name[16]; };"
		for (i = 0; i < 2500; i++) {
			printf "static long step_%d(struct row *r, int n)\n", i
			printf "{\n\tlong sum = %d;\n", i
			printf "\tfor (int i = 0; i < n; i++) {\n\t\tswitch (r[i].kind %% 7) {\n"
			for (k = 0; k < 6; k++) {
				printf "\t\tcase %d: sum += r[i].value * %d + ", k, i + k
				printf "(r[i].name[%d] ^ sum %% %d); break;\n", k, k + 3
			}
			printf "\t\tdefault: sum -= (long)strlen(r[i].name) << %d;\n", i % 9
			printf "\t\t}\n\t}\n"
			if (i) {
				printf "\tif (sum > %d && n > 1)\n", i * 31
				printf "\t\tsum += step_%d(r + 1, n - 1);\n", int(i * 0.7)
			}
			printf "\treturn sum;\n}\n"
		}
		print "int main(void)\n{\n\tstruct row r[8] = {{0}};"
		print "\treturn (int)step_2499(r, 8);\n}"
	}' >"$WORK/large.c"
}
run_gcc() {
	local end=$((SECONDS + $1)) i
	# Assembler and linker run first for small files: otherwise they would be sampled for the
	# first time while stacks are already judged.
	for i in {1..12}; do
		awk '{ print } /^}/ && ++functions == 20 { exit }' "$WORK/large.c" |
			gcc -O2 -x c -S -o - - | gcc -x assembler -shared -o "$WORK/small" -
	done
	while ((SECONDS < end)); do
		timeout "$1" gcc -O2 -o "$WORK/large" "$WORK/large.c"
	done
}

prepare_python() { [[ -x /usr/bin/python3 ]] || { echo 'no /usr/bin/python3'; return 1; }; }
run_python() {
	/usr/bin/python3 -c '
import collections, json, re, sys, time
end = time.time() + float(sys.argv[1])
class Node:
    def __init__(self, depth):
        self.below = [Node(depth - 1) for _ in range(3)] if depth else []
    def __lt__(self, other):
        return len(self.below) < len(other.below)
def total(node):
    return 1 + sum(total(n) for n in node.below)
while time.time() < end:
    total(Node(6))
    words = ["word%d" % (i * 7919 % 997) for i in range(3000)]
    counted = collections.Counter(words)
    sorted(words, key=lambda w: (counted[w], w))
    json.loads(json.dumps([dict(counted), words]))
    re.findall(r"(\w)o(r)d(\d+)", " ".join(words))
    sorted(Node(1) for _ in range(200))
' "$1"
}
run_perl() { /usr/bin/perl "$UNWIND_SOURCE/../../lib/busy.pl" "$1"; }

prepare_openssl() { needs openssl; }
# Four at once, because each of them uses other assembly.
run_openssl() {
	local end=$((SECONDS + $1)) what
	for what in '-bytes 8192 -evp aes-256-gcm' '-bytes 8192 -evp chacha20-poly1305' \
		'-bytes 8192 sha256 sha512 md5' 'rsa2048 ecdsap256 ecdhx25519'; do
		while ((SECONDS < end)); do
			# shellcheck disable=SC2086 # several words
			timeout "$((end - SECONDS))" openssl speed -seconds 1 $what ||
				(($? == 124)) || { kill "$$"; exit; }
		done 2>/dev/null &
	done
	wait
}

prepare_node() { needs node; }
run_node() {
	node -e '
const crypto = require("crypto"), zlib = require("zlib");
const end = Date.now() + 1000 * Number(process.argv[1]);
function tree(depth) { return depth ? [tree(depth - 1), tree(depth - 1), { depth }] : []; }
while (Date.now() < end) {
	const text = JSON.stringify(tree(11));
	JSON.parse(text);
	crypto.createHash("sha256").update(text).digest("hex");
	zlib.gunzipSync(zlib.deflateSync ? zlib.gzipSync(text) : text);
	text.replace(/\d+/g, (d) => d + 1).split(",").sort().length;
}
' "$1"
}

prepare_go() {
	needs go || return
	cp "$TM_SOURCE/tests/integration/programs/busy.go" "$WORK"
	(cd "$WORK" && GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0 HOME=${HOME:-/root} go build \
		-o "$WORK/busy-go" busy.go) || { echo 'go cannot build'; return 1; }
}
run_go() { "$WORK/busy-go" "$1"; }

prepare_rust() {
	needs rustc || return
	rustc -O -o "$WORK/busy-rust" "$TM_SOURCE/tests/integration/programs/busy.rs" ||
		{ echo 'rustc cannot build'; return 1; }
}
run_rust() { "$WORK/busy-rust" "$1"; }

# Its assembly is built as its build.rs does it.
prepare_stacker() {
	local psm
	needs rustc || return
	psm=$(find /usr/share/cargo/registry -maxdepth 1 -name 'psm-*' 2>/dev/null | head -n 1)
	[[ $psm ]] || { echo 'there is no librust-psm-dev'; return 1; }
	cc -xassembler-with-cpp -DCFG_TARGET_OS_linux -DCFG_TARGET_ARCH_x86_64 \
		-DCFG_TARGET_ENV_gnu -c -o "$WORK/psm.o" "$psm/src/arch/x86_64.s" &&
		ar rcs "$WORK/libpsm_s.a" "$WORK/psm.o" &&
		rustc --cap-lints allow --crate-type rlib --crate-name psm --cfg asm \
			--cfg switchable_stack -L "$WORK" -l static=psm_s -o "$WORK/libpsm.rlib" \
			"$psm/src/lib.rs" &&
		rustc -O --extern "psm=$WORK/libpsm.rlib" -L "$WORK" -o "$WORK/grown_stacks" \
			"$TM_SOURCE/tests/integration/programs/grown_stacks.rs" ||
		{ echo 'rustc cannot build psm'; return 1; }
}
run_stacker() { "$WORK/grown_stacks" "$1"; }

prepare_fibers() {
	g++ -O2 -o "$WORK/fibers" "$TM_SOURCE/tests/integration/programs/fibers.cpp" \
		-lboost_context
}
run_fibers() { "$WORK/fibers" "$1"; }

# Its block layer is coroutines: sigsetjmp on stacks that makecontext began.
prepare_qemu() {
	needs qemu-img && qemu-img create -q -f qcow2 "$WORK/disk.qcow2" 64M
}
run_qemu() {
	timeout "$1" qemu-img bench -f qcow2 -t unsafe -w -c 1000000000 -d 16 -s 4096 \
		"$WORK/disk.qcow2"
}

# A Rust program as Debian ships it, which is stripped.
prepare_ripgrep() { needs rg; }
run_ripgrep() {
	local end=$((SECONDS + $1))
	while ((SECONDS < end)); do
		timeout "$1" rg -c --no-ignore '(\w+)_(frame|table)[^;]*;$' /usr/include \
			/usr/share/doc >/dev/null
	done
}

prepare_musl() {
	needs musl-gcc || return
	musl-gcc -O2 -Wno-vla -o "$WORK/work-musl" "$TM_SOURCE/tests/integration/programs/work.c" &&
		musl-gcc -O2 -static -o "$WORK/work-musl-static" \
			"$TM_SOURCE/tests/integration/programs/work.c"
}
run_musl() {
	"$WORK/work-musl" "$1" &
	"$WORK/work-musl-static" "$1"
	wait
}

prepare_redis() { needs redis-server && needs redis-benchmark; }
run_redis() {
	redis-server --save '' --appendonly no --port 0 --unixsocket "$WORK/redis.sock" --dir \
		"$WORK" &
	local server=$!
	until [[ -S $WORK/redis.sock ]]; do sleep 0.05; done
	timeout "$1" redis-benchmark -s "$WORK/redis.sock" -l -q -t \
		set,get,lpush,lrange_100,zadd,incr
	kill "$server"
	wait
}

prepare_nginx() {
	needs nginx && needs wrk || return
	mkdir -p "$WORK/nginx" && echo 'a page of some bytes' >"$WORK/nginx/index.html"
	chmod -R a+rX "$WORK/nginx"
	cat >"$WORK/nginx.conf" <<NGINX
worker_processes 2;
pid $WORK/nginx/pid;
error_log $WORK/nginx/error.log;
daemon off;
events { worker_connections 512; }
http {
	access_log $WORK/nginx/access.log;
	gzip on;
	gzip_types *;
	gzip_min_length 1;
	server { listen 127.0.0.1:18080; root $WORK/nginx; }
}
NGINX
}
run_nginx() {
	nginx -c "$WORK/nginx.conf" &
	local server=$!
	until [[ -s $WORK/nginx/pid ]]; do sleep 0.05; done
	wrk -t 2 -c 32 -d "$1" -H 'Accept-Encoding: gzip' http://127.0.0.1:18080/
	kill -QUIT "$server"
	wait
}

prepare_pgbench() {
	[[ $PG ]] && needs pgbench && id postgres >/dev/null || { echo 'no PostgreSQL'; return 1; }
	install -d -o postgres -m 700 "$WORK/pg"
	as_postgres "$PG/initdb" -A trust -D "$WORK/pg" >/dev/null ||
		{ echo 'initdb failed'; return 1; }
	as_postgres "$PG/pg_ctl" -w -D "$WORK/pg" -l "$WORK/pg/log" -o \
		"-c listen_addresses= -k $WORK/pg" start >/dev/null &&
		as_postgres "$PG/pgbench" -q -i -s 5 -h "$WORK/pg" postgres >/dev/null &&
		as_postgres "$PG/pg_ctl" -w -D "$WORK/pg" stop >/dev/null
}
run_pgbench() {
	local as=(setpriv --reuid postgres --regid postgres --clear-groups --)
	"${as[@]}" "$PG/pg_ctl" -w -D "$WORK/pg" -l "$WORK/pg/log" -o \
		"-c listen_addresses= -k $WORK/pg -c fsync=off" start
	"${as[@]}" "$PG/pgbench" -c 4 -j 2 -T "$1" -h "$WORK/pg" postgres
	"${as[@]}" "$PG/pgbench" -S -c 4 -T 1 -h "$WORK/pg" postgres
	"${as[@]}" "$PG/pg_ctl" -w -D "$WORK/pg" -m fast stop
}
