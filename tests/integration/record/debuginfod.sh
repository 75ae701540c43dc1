#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debuginfod - debug files come from a server; one that lies, hangs or is gone costs only its names
. "$(dirname "$0")/../../lib/integration.bash"

command -v debuginfod >/dev/null || skip 'there is no debuginfod'
FUNCTION=known_to_the_server_alone
mkdir "$WORK/served"

# make_program NAME - a stripped program, and its debug file in $WORK/NAME.debug
make_program() {
	cat >"$WORK/$1.c" <<-PROGRAM
		#include <time.h>
		/* $1, so that each has its own build id */
		__attribute__((noinline)) static unsigned $FUNCTION(unsigned n)
		{
			for (unsigned i = 0; i < 1000000; i++)
				__asm__ volatile("" : "+r"(n));
			return n;
		}
		int main(void)
		{
			time_t end = time(NULL) + 4;
			while (time(NULL) < end)
				$FUNCTION(1);
			return sizeof("$1") == 0;
		}
	PROGRAM
	must gcc -O1 -g -Wl,--build-id -o "$WORK/$1.full" "$WORK/$1.c"
	must objcopy --only-keep-debug "$WORK/$1.full" "$WORK/$1.debug"
	must strip -s -o "$WORK/$1" "$WORK/$1.full"
	rm "$WORK/$1.full"
}
build_id() { readelf -n "$1" | awk '/Build ID:/ { print $3 }'; }

for program in served-program tls-program other-program; do
	make_program $program
done
mv "$WORK/served-program.debug" "$WORK/served"
SERVED=$(build_id "$WORK/served-program") TLS=$(build_id "$WORK/tls-program")
[[ -n $SERVED && -n $TLS && $SERVED != "$TLS" ]] || wrong "the build ids: $SERVED, $TLS"

PORT=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
HOME=$WORK debuginfod -d :memory: -p "$PORT" -F "$WORK/served" >"$WORK/debuginfod.log" 2>&1 &
STARTED+=($!)
has_file() {
	python3 -c 'import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=5)' \
		"http://127.0.0.1:$PORT/buildid/$SERVED/debuginfo" 2>/dev/null
}
until_true 20 has_file || wrong "debuginfod does not serve: $(tail -n 3 "$WORK/debuginfod.log")"

# A server that has the debug file of another program for each build id, one that never answers, and
# one with TLS. The certificate of the last is the only one that the recordings know.
must openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
	-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout "$WORK/key" \
	-out "$WORK/certificate" 2>/dev/null
chmod 644 "$WORK/certificate"
cat >"$WORK/with-certificate" <<WITH
#!/bin/sh
exec unshare --mount sh -c 'mount --bind $WORK/certificate /etc/ssl/certs/ca-certificates.crt &&
	exec $TM_TIDEMARK "\$@"' sh "\$@"
WITH
chmod 755 "$WORK/with-certificate"
cat >"$WORK/servers.py" <<'SERVERS'
import http.server, ssl, sys, threading

lie = open(sys.argv[1], "rb").read()
build_id, certificate, key = sys.argv[3:]
truth = open(sys.argv[2], "rb").read()

class Lying(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(lie)

class Silent(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("asked", file=sys.stderr, flush=True)
        threading.Event().wait()

class Telling(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if build_id in self.path else 404)
        self.end_headers()
        self.wfile.write(truth)

servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
           for kind in (Lying, Silent, Telling)]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
servers[2].socket = context.wrap_socket(servers[2].socket, server_side=True)
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(*(server.server_address[1] for server in servers), flush=True)
threading.Event().wait()
SERVERS
python3 "$WORK/servers.py" "$WORK/served/served-program.debug" "$WORK/tls-program.debug" "$TLS" \
	"$WORK/certificate" "$WORK/key" >"$WORK/ports" 2>"$WORK/servers.log" &
STARTED+=($!)
until_true 20 test -s "$WORK/ports"
read -r LYING SILENT TELLING <"$WORK/ports"

say 'two servers have the debug file of one program each, one lies about the third:'
TM_TIDEMARK=$WORK/with-certificate record_ok fetched -d 2 -F 499 -o "$WORK/fetched.folded" \
	--debuginfod "http://127.0.0.1:$PORT" --debuginfod "https://localhost:$TELLING" \
	--debuginfod "http://127.0.0.1:$LYING" -- sh -c '"$0" & "$1" & "$2"; wait' \
	"$WORK/served-program" "$WORK/tls-program" "$WORK/other-program"
balance fetched zero-drops
python '
for program in "served-program", "tls-program", "other-program":
    stacks = [(frames, count) for comm, frames, count in folded(sys.argv[1] + "/fetched.folded")
              if comm == program[:15]]
    taken = sum(count for _, count in stacks)
    seen = sum(count for frames, count in stacks if "known_to_the_server_alone" in frames)
    print("  %s: %d of %d samples have the name" % (program, seen, taken))
    check(taken > 20, "%s was hardly sampled" % program)
    check(seen == 0 if program == "other-program" else seen > 0.9 * taken, "that is wrong")
' "$WORK"
python '
counts = summary(sys.argv[1])["debuginfod"]
print("  requests: %s" % counts)
check(counts["found"] >= 2 and counts["refused"] >= 1, "that is wrong")
' "$WORK/fetched.json"
grep -q "GET /buildid/$SERVED/debuginfo 200" "$WORK/debuginfod.log" || wrong 'nobody asked'

say 'a server that never answers, with DEBUGINFOD_URLS, and tidemark-debuginfod is killed:'
start_victim() { program_pid "$RECORDER" tidemark-debuginfod | grep -q .; }
DEBUGINFOD_URLS="http://127.0.0.1:$SILENT" start_recording silent -d 1 -F 199 \
	-o "$WORK/silent.folded" -- "$WORK/other-program"
until_true 20 start_victim || wrong 'tidemark-debuginfod does not run'
VICTIM=$(program_pid "$RECORDER" tidemark-debuginfod)
remember "$RECORDER"
until_true 25 grep -qs asked "$WORK/servers.log" || wrong 'the server is not asked'
kill -KILL "$VICTIM"
wait "$RECORDER"
STATUS=$?
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/silent.err")"
grep -q 'tidemark-debuginfod ended early' "$WORK/silent.err" ||
	wrong "its end is not printed: $(head -c 600 "$WORK/silent.err")"
balance silent zero-drops
nothing_left
finish
