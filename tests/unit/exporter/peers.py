# SPDX-License-Identifier: Apache-2.0
"""peers - tidemark-exporter with its two peers: a scripted receiver, and the symbolizer's socket"""
import contextlib
import fcntl
import http.server
import os
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import types

PROGRAM = sys.argv[1]
FORM = "=IIQQQQQIIII"  # struct exporter_message
SEND, OUTCOME = 1, 2
GZIP = 1
(DELIVERED, REJECTED_IN_PART, REFUSED, UNTRUSTED, FAILED, EXPIRED, QUEUE_FULL, TOO_LARGE,
 LEFT) = range(9)
BODY_MAX = 16 << 20
UNCOMPRESSED_MAX = 64 << 20
BODIES_MAX = 256
HANG_SECONDS = 30  # for a program that does not answer at all
PATH = "/v1development/profiles"
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def log_message(self, *_):
        pass

    def address_string(self):
        return "peer"

    def do_POST(self):
        server = self.server
        request = types.SimpleNamespace(path=self.path, headers=self.headers, body=None)
        with server.lock:
            server.seen.append(request)
            at = len(server.seen) - 1
            fn = server.answers[min(at, len(server.answers) - 1)]
        if not getattr(fn, "before_the_body", False):
            request.body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            fn(self)
        except OSError:
            self.close_connection = True


class Receiver(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Answers the first POST with answers[0], the second with answers[1], ..., then with the last.

    tls: an ssl.SSLContext; path: listens on a unix socket instead."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, *answers, tls=None, path=None):
        self.answers = answers
        self.seen = []
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.connections = 0
        self.tls = tls
        self.address_family = socket.AF_UNIX if path else socket.AF_INET
        super().__init__(path or ("127.0.0.1", 0), Handler)
        scheme = "https" if tls else "http"
        port = 1 if path else self.server_address[1]
        self.url = "%s://127.0.0.1:%d%s" % (scheme, port, PATH)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)

    def get_request(self):
        connection, address = super().get_request()
        self.connections += 1
        if connection.family == socket.AF_INET:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, address or ("unix", 0)

    def finish_request(self, request, client_address):
        if self.tls:
            request = self.tls.wrap_socket(request, server_side=True)
        self.RequestHandlerClass(request, client_address, self)

    def handle_error(self, request, client_address):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        self.server_close()

    def bodies(self):
        return [request.body for request in self.seen]


def answer(status, body=b"", **headers):
    """Headers: their names with _ for -."""

    def fn(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return fn


def before_the_body(fn):
    """Runs it when the request's headers were read."""
    fn.before_the_body = True
    return fn


def disconnect(handler):
    """Ends the connection without an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


@before_the_body
def reset(handler):
    """Resets the connection while the body is being sent."""
    handler.rfile.read(1)
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.close_connection = True
    handler.connection.close()
    raise OSError


OK = answer(200, b"\n\0", Content_Type="application/x-protobuf")


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, data):
    """A protobuf field: of bytes, or an integer."""
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def memfd(content, seals=SEALS):
    fd = os.memfd_create("body", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, content) if content else None
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


def pipe_of(content):
    """A descriptor from which this can be read, then the end."""
    fd = os.memfd_create("secret", os.MFD_CLOEXEC)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


class Exporter:
    """The program. fds: {option: content} of --NAME-fd; options: {option: value}, _ for -."""

    def __init__(self, url, fds=None, environment=None, **options):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(HANG_SECONDS)
        values = {"retry_initial_ms": 50, "retry_cap_ms": 200}
        values.update(options)
        arguments = ["--socket-fd=%d" % theirs.fileno(), "--url=" + url]
        arguments += ["--%s=%s" % (name.replace("_", "-"), value)
                      for name, value in values.items() if value is not None]
        passed = [theirs.fileno()]
        for name, content in (fds or {}).items():
            passed.append(pipe_of(content))
            arguments.append("--%s-fd=%d" % (name, passed[-1]))
        self.process = subprocess.Popen([PROGRAM] + arguments, pass_fds=passed,
                                        env=environment or {}, stderr=subprocess.PIPE)
        theirs.close()
        for fd in passed[1:]:
            os.close(fd)
        self.next = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def send(self, body=b"report", flags=0, uncompressed=None, samples=3, bytes=None):
        """Return: its id."""
        self.next += 1
        message = struct.pack(FORM, SEND, flags, self.next, len(body) if bytes is None else bytes,
                              len(body) if uncompressed is None else uncompressed, samples,
                              0, 0, 0, 0, 0)
        fd = memfd(body)
        socket.send_fds(self.socket, [message], [fd])
        os.close(fd)
        return self.next

    def take(self):
        """The next outcome: its id, status, status of HTTP, attempts, rejected."""
        data, control, _, _ = self.socket.recvmsg(4096, socket.CMSG_SPACE(64))
        assert len(data) == struct.calcsize(FORM), "the connection has ended"
        kind, flags, id, bytes, plain, samples, rejected, status, http, attempts, reserved = (
            struct.unpack(FORM, data))
        assert kind == OUTCOME and not control, (kind, control)
        assert (flags, bytes, plain, samples, reserved) == (0, 0, 0, 0, 0)
        return id, status, http, attempts, rejected

    def export(self, body=b"report", **send):
        """Status, status of HTTP, attempts and rejected of what became of one body."""
        sent = self.send(body, **send)
        outcome = self.take()
        assert outcome[0] == sent, (outcome, sent)
        return outcome[1:]

    def end(self):
        """Shuts down the symbolizer's side."""
        self.socket.shutdown(socket.SHUT_WR)

    def finish(self):
        """Its exit code and what it printed."""
        with contextlib.suppress(OSError):
            self.end()
        code = self.process.wait(HANG_SECONDS)
        return code, self.process.stderr.read().decode()


def expect(got, *wanted):
    assert got == wanted, (got, wanted)
