#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_program - tidemark-debuginfod with servers that have a file, have none, lie, hang or flood
#
# usage: tests/unit/debuginfod/test_program.py PROGRAM
import contextlib
import fcntl
import http.server
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from own_etc import is_restricted, replace, with_own_etc  # pylint: disable=wrong-import-position

PROGRAM = sys.argv[1]
FORM = "=IIII64s"  # struct debuginfod_message
REQUEST, RESULT = 1, 2
OK, NOT_FOUND, TOO_LARGE, FAILED = range(4)
LIMIT = 1 << 20  # --file-bytes
SEALS = (
    fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
)
HANG_SECONDS = 60  # for a program that does not answer at all
FILE = os.urandom(300000)
BUILD_ID = bytes(range(20))
PATH = "/buildid/" + BUILD_ID.hex() + "/debuginfo"


class Server:
    """A server on loopback; answer(handler) says what it does with a GET."""

    def __init__(self, answer):
        self.answer = answer
        self.seen = []
        self.ended = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(handler):
                self.seen.append(handler)
                with contextlib.suppress(OSError):
                    self.answer(handler)
                handler.close_connection = True

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.http.shutdown()
        self.http.server_close()


def answer(status, body=b"", **headers):
    def fn(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return fn


class Fetcher:
    """The program, with these servers."""

    def __init__(self, *urls, idle=1, environment={}):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(HANG_SECONDS)
        options = ["--socket-fd=%d" % theirs.fileno(), "--file-bytes=%d" % LIMIT]
        options += ["--idle-seconds=%d" % idle] + ["--url=" + url for url in urls]
        self.process = subprocess.Popen(
            [PROGRAM] + options,
            pass_fds=[theirs.fileno()],
            env=environment,
            stderr=subprocess.PIPE,
        )
        theirs.close()
        self.next = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def ask(self, build_id=BUILD_ID):
        self.next += 1
        self.socket.send(struct.pack(FORM, REQUEST, self.next, 0, len(build_id), build_id))
        return self.next

    def take(self):
        """The next answer: its id, its status, its descriptor or None."""
        data, control, _, _ = self.socket.recvmsg(4096, socket.CMSG_SPACE(64))
        assert len(data) == struct.calcsize(FORM), "the connection has ended"
        kind, id, status, bytes, _ = struct.unpack(FORM, data)
        assert kind == RESULT and bytes == 0, (kind, bytes)
        fds = [fd for _, _, d in control for fd in struct.unpack("%di" % (len(d) // 4), d)]
        assert len(fds) == (1 if status == OK else 0), fds
        return id, status, fds[0] if fds else None

    def get(self, build_id=BUILD_ID):
        """Status and content of what one request is answered with."""
        asked = self.ask(build_id)
        id, status, fd = self.take()
        assert id == asked, (id, asked)
        if fd is None:
            return status, None
        with os.fdopen(fd, "rb") as file:
            return status, os.pread(file.fileno(), LIMIT + 1, 0)


def expect(fetcher, status, content=None):
    got = fetcher.get()
    assert got == (status, content), (got[0], status, got[1] == content)


def a_file_comes_whole_and_sealed():
    with Server(answer(200, FILE)) as server, Fetcher(server.url + "/") as fetcher:
        fetcher.ask()
        _, status, fd = fetcher.take()
        assert status == OK
        with os.fdopen(fd, "rb") as file:
            assert file.read() == FILE
            assert fcntl.fcntl(fd, fcntl.F_GET_SEALS) & SEALS == SEALS
        assert [handler.path for handler in server.seen] == [PATH]


def a_file_in_chunks_or_encoded_comes_as_it_was_sent():
    def chunks(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        for part in FILE[:7], FILE[7:]:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        handler.wfile.write(b"0\r\n\r\n")

    with Server(chunks) as server, Fetcher(server.url) as fetcher:
        expect(fetcher, OK, FILE)


def servers_are_asked_in_turn():
    with Server(answer(404, b"no")) as first, Server(answer(500, b"no")) as second:
        with Server(answer(200, FILE)) as third, Server(answer(200, b"other")) as last:
            urls = [server.url for server in (first, second, third, last)]
            with Fetcher(*urls) as fetcher:
                expect(fetcher, OK, FILE)
            assert not last.seen
        with Fetcher(first.url, second.url) as fetcher:
            expect(fetcher, FAILED)
        with Fetcher(first.url, first.url) as fetcher:
            expect(fetcher, NOT_FOUND)


def ten_gigabytes_are_refused():
    vast = 10 << 30
    sent = [0]

    def announced(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(vast))
        handler.end_headers()

    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        block = bytes(1 << 16)
        while sent[0] < vast:
            sent[0] += handler.wfile.write(block)

    for fn in announced, endless:
        with Server(fn) as server, Fetcher(server.url) as fetcher:
            expect(fetcher, TOO_LARGE)
    assert sent[0] < 64 << 20, "%d bytes were taken" % sent[0]


def redirects_lead_to_http_on_known_ports_alone():
    def moved(handler):
        answer(200 if handler.path == "/x" else 404, FILE)(handler)

    with Server(moved) as target:
        for code in 301, 302, 307:
            there = answer(code, b"moved", Location=target.url + "/x")
            with Server(there) as server, Fetcher(server.url, target.url) as fetcher:
                expect(fetcher, OK, FILE)
            assert [handler.path for handler in target.seen] == ["/x"]
            del target.seen[:]
            with Server(there) as server, Fetcher(server.url) as fetcher:
                expect(fetcher, FAILED)
            assert not target.seen
    secret = "file:///etc/passwd", "file://localhost/etc/passwd", "ftp://127.0.0.1/x"
    for location in secret + ("gopher://127.0.0.1:1/", "dict://127.0.0.1:1/d:x", "scp://h/x"):
        with Server(answer(302, b"moved", Location=location)) as server:
            with Fetcher(server.url) as fetcher:
                expect(fetcher, FAILED)


def a_circle_of_redirects_ends():
    with Server(answer(302, Location=PATH)) as server, Fetcher(server.url) as fetcher:
        expect(fetcher, FAILED)
        assert len(server.seen) <= 6, len(server.seen)


def hanging_servers_cost_their_own_answers_alone():
    ended = threading.Event()

    def never(handler):
        ended.wait()

    def slowly(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        while not ended.wait(0.2):
            handler.wfile.write(b"x")

    with Server(never) as hung, Server(slowly) as slow, Server(answer(404)) as last:
        with Fetcher(hung.url, slow.url, last.url) as fetcher:
            expect(fetcher, FAILED)
            expect(fetcher, FAILED)
            seen = [len(server.seen) for server in (hung, slow, last)]
            assert seen == [1, 1, 2], seen  # those that hang are not asked again soon
        ended.set()


def several_requests_are_open_at_once():
    def first_waits(handler):
        if "00" * 8 in handler.path:
            server.ended.wait()
        else:
            answer(200, FILE)(handler)

    with Server(first_waits) as server, Fetcher(server.url, idle=30) as fetcher:
        fetcher.ask(bytes(8))
        second = fetcher.ask()
        id, status, fd = fetcher.take()
        assert (id, status) == (second, OK)
        os.close(fd)


def nonsense_is_no_file():
    def cut(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(FILE)))
        handler.end_headers()
        handler.wfile.write(FILE[:1000])

    def no_http(handler):
        handler.wfile.write(b"\0" * 1000)

    def headers(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            handler.wfile.write(b"X: %s\r\n" % (b"y" * 1000))

    for fn in cut, no_http, headers, answer(200), answer(206, FILE), answer(204):
        with Server(fn) as server, Fetcher(server.url) as fetcher:
            expect(fetcher, FAILED)


def no_proxy_is_asked():
    with Server(answer(200, b"of the proxy")) as proxy, Server(answer(200, FILE)) as server:
        environment = {name: proxy.url for name in ("http_proxy", "all_proxy", "ALL_PROXY")}
        with Fetcher(server.url, environment=environment) as fetcher:
            expect(fetcher, OK, FILE)
        assert not proxy.seen


def failures_are_printed_once_for_each_server():
    with Server(answer(500)) as server, Fetcher(server.url) as fetcher:
        expect(fetcher, FAILED)
        expect(fetcher, FAILED)
        fetcher.socket.close()
        text = fetcher.process.stderr.read().decode()
        assert text.count("\n") == 1 and server.url in text and "500" in text, text
        assert fetcher.process.wait(HANG_SECONDS) == 0


def invalid_requests_end_it():
    bad = [
        struct.pack(FORM, RESULT, 1, 0, 20, BUILD_ID),
        struct.pack(FORM, REQUEST, 1, 0, 65, BUILD_ID),
        struct.pack(FORM, REQUEST, 1, 0, 7, BUILD_ID),
        b"short",
    ]
    for message in bad:
        with Fetcher("http://127.0.0.1:1") as fetcher:
            fetcher.socket.send(message)
            assert fetcher.process.wait(HANG_SECONDS) == 1


def bad_options_do_not_start_it():
    urls = "file:///etc", "ftp://h", "http://" + "x" * 1024, "", "h:1"
    for url in urls:
        with Fetcher(url) as fetcher:
            assert fetcher.process.wait(HANG_SECONDS) == 2, url
    with Fetcher() as fetcher:
        assert fetcher.process.wait(HANG_SECONDS) == 2
    with Fetcher(*["http://h"] * 9) as fetcher:
        assert fetcher.process.wait(HANG_SECONDS) == 2


def a_name_is_looked_up_under_the_filter():
    with Fetcher("http://name.invalid") as fetcher:
        expect(fetcher, FAILED)
        assert fetcher.process.poll() is None
    with Fetcher("https://127.0.0.1:1") as fetcher:
        expect(fetcher, FAILED)
        assert fetcher.process.poll() is None


def fetch_beside_a_changing_etc():
    """The answer comes under the sandbox; a failure then says why it finds no name."""
    with Server(answer(200, FILE)) as server:
        with Fetcher(server.url, "http://server.test:1") as fetcher:
            expect(fetcher, OK, FILE)
            restricted = is_restricted(fetcher.process)
            server.answer = answer(404)
            replace("/etc/hosts", "127.0.0.1 server.test\n")
            expect(fetcher, FAILED)
            fetcher.socket.close()
            text = fetcher.process.stderr.read()
            assert (b"/etc/hosts was replaced" in text) == restricted, text


def a_replaced_file_of_names_is_named():
    with_own_etc("127.0.0.1 nobody.test\n", fetch_beside_a_changing_etc)


def main():
    tests = [
        a_file_comes_whole_and_sealed,
        a_file_in_chunks_or_encoded_comes_as_it_was_sent,
        servers_are_asked_in_turn,
        ten_gigabytes_are_refused,
        redirects_lead_to_http_on_known_ports_alone,
        a_circle_of_redirects_ends,
        hanging_servers_cost_their_own_answers_alone,
        several_requests_are_open_at_once,
        nonsense_is_no_file,
        no_proxy_is_asked,
        failures_are_printed_once_for_each_server,
        invalid_requests_end_it,
        bad_options_do_not_start_it,
        a_name_is_looked_up_under_the_filter,
        a_replaced_file_of_names_is_named,
    ]
    for test in tests:
        before = time.monotonic()
        test()
        print("ok %s (%.1f s)" % (test.__name__, time.monotonic() - before), flush=True)


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
