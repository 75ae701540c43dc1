#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_program - tidemark-exporter with receivers that accept, refuse, hang, lie or flood, and with
# a symbolizer that is hostile
#
# usage: tests/unit/exporter/test_program.py PROGRAM
import contextlib
import email.utils
import gzip
import os
import resource
import signal
import socket
import struct
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from own_etc import is_restricted, replace, with_own_etc  # pylint: disable=wrong-import-position
from peers import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position

SOON = 5  # seconds that are less than every default wait and timeout


def a_body_is_delivered_as_it_is():
    body = gzip.compress(os.urandom(3 << 20))
    with Receiver(OK) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(body, flags=GZIP, uncompressed=3 << 20), DELIVERED, 200, 1, 0)
        expect(exporter.export(b"plain"), DELIVERED, 200, 1, 0)
        assert receiver.bodies() == [body, b"plain"]
        first, second = [request.headers for request in receiver.seen]
        for headers in first, second:
            assert headers.get_all("Content-Type") == ["application/x-protobuf"]
            assert headers.get_all("OTLP-Profiles-Development-Version") == ["1"]
            assert headers.get_all("User-Agent")[0].startswith("tidemark/")
            assert headers.get_all("Expect") is None and headers.get_all("Authorization") is None
        assert first.get_all("Content-Encoding") == ["gzip"]
        assert second.get_all("Content-Encoding") is None
        assert [request.path for request in receiver.seen] == [PATH] * 2
        assert receiver.connections == 1, receiver.connections
        expect(exporter.finish(), 0, "")


def headers_are_sent_and_in_no_argument():
    lines = b"Authorization: Bearer s3cret\r\n\nX-Scope-OrgID:  tenant \nX-Empty:\n"
    with Receiver(OK) as receiver, Exporter(receiver.url, {"headers": lines}) as exporter:
        expect(exporter.export(), DELIVERED, 200, 1, 0)
        headers = receiver.seen[0].headers
        assert headers.get_all("Authorization") == ["Bearer s3cret"]
        assert headers.get_all("X-Scope-OrgID") == ["tenant"]
        assert headers.get_all("X-Empty") == [""]
        with open("/proc/%d/cmdline" % exporter.process.pid, "rb") as file:
            assert b"s3cret" not in file.read()


def invalid_headers_do_not_start_it():
    bad = (b"no colon", b"A b: c", b": v", b"A: b\0c", b"A: \x01", b"content-type: text/plain",
           b"Host: other", b"OTLP-Profiles-Development-Version: 2", b"A: b\n" * 65,
           b"A: " + b"b" * (64 << 10))
    for lines in bad:
        with Exporter("http://127.0.0.1:1", {"headers": lines}) as exporter:
            assert exporter.process.wait(HANG_SECONDS) == 1, lines[:40]


def a_partial_success_is_not_sent_again():
    partial = field(1, field(1, 5) + field(2, b"bad \x1b[31mthing\xff"))
    warning = field(1, field(2, b"please do not"))
    with Receiver(answer(200, partial), answer(200, warning)) as receiver:
        with Exporter(receiver.url) as exporter:
            expect(exporter.export(), REJECTED_IN_PART, 200, 1, 5)
            expect(exporter.export(), DELIVERED, 200, 1, 0)
            code, text = exporter.finish()
            assert code == 0 and len(receiver.seen) == 2
            assert text.count("\n") == 1 and "5 of its profiles: bad _[31mthing\ufffd" in text, text


def what_may_pass_is_tried_again_with_the_same_bytes():
    refusals = [answer(status) for status in (429, 502, 503, 504)]
    body = os.urandom(100000)
    for failure in refusals + [disconnect, reset]:
        with Receiver(failure, failure, OK) as receiver, Exporter(receiver.url) as exporter:
            expect(exporter.export(body), DELIVERED, 200, 3, 0)
            assert all(seen in (body, None) for seen in receiver.bodies()), failure
            assert len(receiver.seen) == 3


def everything_else_is_final():
    for status in 300, 302, 304, 400, 401, 404, 408, 413, 415, 500, 501, 505, 599:
        with Receiver(answer(status), OK) as receiver, Exporter(receiver.url) as exporter:
            expect(exporter.export(), REFUSED, status, 1, 0)
            assert len(receiver.seen) == 1


def an_error_is_printed_cleanly_and_once():
    said = field(1, 3) + field(2, b"no\nsuch\x07 tenant \xe2\x80\xae" + b"x" * 5000)
    refused = answer(400, said, Content_Type="application/x-protobuf; x=y")
    with Receiver(refused) as receiver, Exporter(receiver.url) as exporter:
        for _ in range(20):
            expect(exporter.export(), REFUSED, 400, 1, 0)
        code, text = exporter.finish()
        assert code == 0 and text.count("\n") == 1 and len(text) < 400, text
        assert "400: no_such_ tenant _xxx" in text, text
    page = answer(503, b"<html>down</html>", Content_Type="text/html")
    with Receiver(page, OK) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), DELIVERED, 200, 2, 0)
        assert "503: <html>down</html>" in exporter.finish()[1]


def retry_after_is_followed():
    before = time.monotonic()
    asks = answer(429, Retry_After="1")
    with Receiver(asks, OK) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), DELIVERED, 200, 2, 0)
    assert time.monotonic() - before >= 1
    past = email.utils.formatdate(0, usegmt=True)
    for value in "0", past:
        asks = answer(503, Retry_After=value)
        with Receiver(asks, OK) as receiver:
            with Exporter(receiver.url, retry_initial_ms=60000, retry_cap_ms=60000) as exporter:
                before = time.monotonic()
                expect(exporter.export(), DELIVERED, 200, 2, 0)
                assert time.monotonic() - before < SOON, value


def an_absurd_retry_after_is_cut():
    future = email.utils.formatdate(time.time() + 10**9, usegmt=True)
    for value in "9" * 30, "4294967296", "18446744073709551616", future:
        asks = answer(503, Retry_After=value)
        with Receiver(asks, OK) as receiver:
            with Exporter(receiver.url, retry_after_cap_ms=300) as exporter:
                before = time.monotonic()
                expect(exporter.export(), DELIVERED, 200, 2, 0)
                assert 0.3 <= time.monotonic() - before < SOON, value
    for value in "-5", "soon", "1.5", "", "9" * 100, "\xff\xfe":
        asks = answer(503, Retry_After=value)
        with Receiver(asks, OK) as receiver, Exporter(receiver.url) as exporter:
            expect(exporter.export(), DELIVERED, 200, 2, 0)


def a_receiver_that_stays_away_is_given_up():
    with Receiver(answer(503)) as receiver:
        with Exporter(receiver.url, retry_give_up_ms=400) as exporter:
            before = time.monotonic()
            status, http, attempts, _ = exporter.export()
            assert (status, http) == (EXPIRED, 503) and 2 <= attempts <= 12, (status, attempts)
            assert time.monotonic() - before < SOON
    with Exporter("http://127.0.0.1:1", retry_give_up_ms=300) as exporter:
        status, http, attempts, _ = exporter.export()
        assert (status, http) == (EXPIRED, 0) and attempts >= 2
        assert "did not answer" in exporter.finish()[1]


def no_redirect_is_followed():
    with Receiver(OK) as target:
        there = ("file:///etc/passwd", target.url, "gopher://127.0.0.1:1/", "/elsewhere")
        for location in there:
            for status in 301, 302, 307, 308:
                moved = answer(status, b"moved", Location=location)
                with Receiver(moved) as receiver, Exporter(receiver.url) as exporter:
                    expect(exporter.export(), REFUSED, status, 1, 0)
                    assert len(receiver.seen) == 1
        assert not target.seen


def a_flood_of_answer_is_bounded():
    sent = [0]

    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        block = bytes(1 << 16)
        while sent[0] < 10 << 30:
            sent[0] += handler.wfile.write(block)

    def announced(handler):
        handler.send_response(400)
        handler.send_header("Content-Length", str(10 << 30))
        handler.end_headers()
        handler.connection.settimeout(5)
        with contextlib.suppress(OSError):
            while True:
                handler.wfile.write(bytes(1 << 16))

    def headers(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            handler.wfile.write(b"X: %s\r\n" % (b"y" * 1000))

    with Receiver(endless) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), DELIVERED, 200, 1, 0)
        assert "too large" in exporter.finish()[1]
        assert sent[0] < 32 << 20, sent
    with Receiver(announced) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), REFUSED, 400, 1, 0)
    with Receiver(headers) as receiver, Exporter(receiver.url) as exporter:
        status, http, attempts, _ = exporter.export()
        assert (status, http, attempts) == (FAILED, 0, 1), (status, http, attempts)


def a_compressed_answer_is_not_unpacked():
    bomb = gzip.compress(bytes(1 << 30), 1)
    assert len(bomb) > 4 << 20
    for content in bomb, bomb[:3 << 20]:
        packed = answer(200, content, Content_Encoding="gzip",
                        Content_Type="application/x-protobuf")
        with Receiver(packed) as receiver, Exporter(receiver.url) as exporter:
            expect(exporter.export(), DELIVERED, 200, 1, 0)
            assert "Accept-Encoding" not in receiver.seen[0].headers
            assert peak_mib(exporter) < 64, peak_mib(exporter)
            assert "its answer" in exporter.finish()[1]


def peak_mib(exporter):
    with open("/proc/%d/status" % exporter.process.pid, encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) >> 10
    return 0


def slow_receivers_cost_a_timeout():
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        while not handler.server.ended.wait(0.1):
            handler.wfile.write(b"x")

    def drip_headers(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not handler.server.ended.wait(0.1):
            handler.wfile.write(b"x")

    def never(handler):
        handler.server.ended.wait()

    @before_the_body
    def never_reads(handler):
        handler.server.ended.wait()

    with Receiver(drip) as receiver, Exporter(receiver.url, timeout_ms=500) as exporter:
        expect(exporter.export(), DELIVERED, 200, 1, 0)  # its status says so
    for fn in drip_headers, never, never_reads:
        with Receiver(fn, OK) as receiver, Exporter(receiver.url, timeout_ms=500) as exporter:
            expect(exporter.export(bytes(8 << 20)), DELIVERED, 200, 2, 0)


def nonsense_is_no_answer():
    def no_http(handler):
        handler.wfile.write(b"\0" * 1000)
        handler.close_connection = True

    def cut(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"\n")
        handler.close_connection = True

    with Receiver(no_http) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), FAILED, 0, 1, 0)
    with Receiver(cut) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), DELIVERED, 200, 1, 0)
        assert "cut short" in exporter.finish()[1]
    for garbage in b"\xff" * 1000, b"\n\xff\xff\xff\xff\x0f", b"<html>":
        with Receiver(answer(200, garbage)) as receiver, Exporter(receiver.url) as exporter:
            expect(exporter.export(), DELIVERED, 200, 1, 0)
            assert "cannot be read" in exporter.finish()[1]
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"

    def continued(handler):
        handler.wfile.write(interim * 3)
        OK(handler)

    def only_interim(handler):
        handler.wfile.write(interim)
        disconnect(handler)

    with Receiver(only_interim, continued) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(), DELIVERED, 200, 2, 0)


def a_full_queue_drops_the_oldest():
    def hold(handler):
        handler.server.ended.wait(2)
        OK(handler)

    body = bytes(1000)
    with Receiver(hold, OK) as receiver:
        with Exporter(receiver.url, queue_bytes=3000) as exporter:
            ids = [exporter.send(body) for _ in range(2)]
            while not receiver.seen:
                time.sleep(0.01)
            ids += [exporter.send(body) for _ in range(3)]
            got = [exporter.take()[:2] for _ in ids]
            assert sorted(got) == list(zip(ids, (DELIVERED, QUEUE_FULL, QUEUE_FULL, DELIVERED,
                                                 DELIVERED))), got
            expect(exporter.export(bytes(3001)), TOO_LARGE, 0, 0, 0)
            assert "3 samples were dropped" in exporter.finish()[1]


def every_body_has_an_outcome_whatever_their_number():
    with Exporter("http://127.0.0.1:1", retry_give_up_ms=86400000, retry_initial_ms=60000,
                  retry_cap_ms=60000, flush_seconds=1) as exporter:
        got = {}

        def take_all():
            while len(got) < 2 * BODIES_MAX:
                id, status, _, _, _ = exporter.take()
                assert id not in got
                got[id] = status

        reader = threading.Thread(target=take_all)
        reader.start()
        for _ in range(2 * BODIES_MAX):
            exporter.send(bytes(100))
        exporter.end()
        reader.join()
        states = [got[id] for id in sorted(got)]
        assert states[1:BODIES_MAX] == [QUEUE_FULL] * (BODIES_MAX - 1), states
        assert states[BODIES_MAX + 1:] == [LEFT] * (BODIES_MAX - 1), states
        expect(exporter.finish()[:1], 0)


def what_is_queued_is_flushed_at_the_end():
    with Receiver(answer(503), OK) as receiver:
        with Exporter(receiver.url, retry_initial_ms=60000, retry_cap_ms=60000) as exporter:
            ids = [exporter.send(b"%d" % i) for i in range(10)]
            while not receiver.seen:
                time.sleep(0.01)
            before = time.monotonic()
            exporter.end()
            got = sorted(exporter.take() for _ in ids)
            assert time.monotonic() - before < SOON
            assert [outcome[:3] for outcome in got] == [(id, DELIVERED, 200) for id in ids], got
            assert exporter.socket.recv(1) == b""
            expect(exporter.finish()[:1], 0)


def the_flush_has_a_deadline():
    def never(handler):
        handler.server.ended.wait()

    with Receiver(never) as receiver, Exporter(receiver.url, flush_seconds=1) as exporter:
        ids = [exporter.send() for _ in range(3)]
        before = time.monotonic()
        exporter.end()
        assert [exporter.take()[:2] for _ in ids] == [(id, LEFT) for id in ids]
        assert 1 <= time.monotonic() - before < SOON
        expect(exporter.finish()[:1], 0)
    # Each body is tried at once, and again while there is time.
    with Receiver(answer(503)) as receiver:
        with Exporter(receiver.url, flush_seconds=2, retry_initial_ms=60000,
                      retry_cap_ms=60000) as exporter:
            ids = [exporter.send() for _ in range(3)]
            exporter.end()
            got = [exporter.take() for _ in ids]
            assert all(o[1] == LEFT and 3 <= o[3] <= 6 for o in got), got
    # A receiver that asks for more time than there is gets no second request.
    with Receiver(answer(503, Retry_After="60")) as receiver:
        with Exporter(receiver.url, flush_seconds=30) as exporter:
            exporter.end()
            assert exporter.process.wait(SOON) == 0
        with Exporter(receiver.url, flush_seconds=30, retry_initial_ms=60000,
                      retry_cap_ms=60000) as exporter:
            exporter.send()
            exporter.end()
            expect(exporter.take()[1:4], LEFT, 503, 1)
            assert exporter.process.wait(SOON) == 0


def a_symbolizer_that_dies_leaves_its_bodies():
    with Receiver(answer(503), OK) as receiver:
        with Exporter(receiver.url, retry_initial_ms=60000, retry_cap_ms=60000) as exporter:
            child = os.fork()
            if child == 0:
                for i in range(5):
                    exporter.send(b"%d" % i)
                os.kill(os.getpid(), signal.SIGKILL)
            exporter.socket.close()
            os.waitpid(child, 0)
            assert exporter.process.wait(SOON) == 0
    assert sorted(set(receiver.bodies())) == [b"%d" % i for i in range(5)]


def a_symbolizer_that_reads_nothing_holds_up_nobody():
    with Receiver(OK) as receiver, Exporter(receiver.url, flush_seconds=1) as exporter:
        sent = 600  # the socket takes fewer OUTCOMEs
        for i in range(sent):
            exporter.send()
            while len(receiver.seen) < i - BODIES_MAX / 2:
                time.sleep(0.01)
        while len(receiver.seen) < sent:
            time.sleep(0.01)
        exporter.end()
        assert exporter.process.wait(HANG_SECONDS) == 0
        assert len(receiver.seen) == sent


def hostile_messages_end_it():
    def message(**change):
        values = {"kind": SEND, "flags": 0, "id": 1, "bytes": 6, "plain": 6, "samples": 1,
                  "rejected": 0, "status": 0, "http": 0, "attempts": 0, "reserved": 0}
        values.update(change)
        return struct.pack(FORM, *values.values())

    good = b"report"
    shrinking = SEALS & ~fcntl.F_SEAL_SHRINK
    bad = [
        (message(), None), (b"short", memfd(good)), (message() + b"x", memfd(good)),
        (message(kind=OUTCOME), memfd(good)), (message(kind=7), memfd(good)),
        (message(flags=2), memfd(good)), (message(bytes=0), memfd(good)),
        (message(plain=7), memfd(good)), (message(plain=0, flags=GZIP), memfd(good)),
        (message(status=1), memfd(good)), (message(reserved=1), memfd(good)),
        (message(bytes=5, plain=5), memfd(good)), (message(bytes=7, plain=7), memfd(good)),
        (message(), memfd(good, 0)), (message(), memfd(good, shrinking)),
        (message(), memfd(b"")), (message(), os.open("/dev/zero", os.O_RDONLY)),
        (message(), os.open(__file__, os.O_RDONLY)), (message(), socket.socket().detach()),
    ]
    for data, fd in bad:
        with Exporter("http://127.0.0.1:1") as exporter:
            socket.send_fds(exporter.socket, [data], [] if fd is None else [fd])
            assert exporter.process.wait(HANG_SECONDS) == 1, (data, fd)
            assert "ended early" in exporter.process.stderr.read().decode()
        if fd is not None:
            os.close(fd)
    with Exporter("http://127.0.0.1:1") as exporter:
        fds = [memfd(good), memfd(good)]
        socket.send_fds(exporter.socket, [message()], fds)
        assert exporter.process.wait(HANG_SECONDS) == 1


def what_is_too_large_is_answered_so():
    with Receiver(OK) as receiver, Exporter(receiver.url) as exporter:
        expect(exporter.export(bytes=BODY_MAX + 1, uncompressed=BODY_MAX + 1), TOO_LARGE, 0, 0, 0)
        expect(exporter.export(bytes=2**64 - 1, uncompressed=2**64 - 1), TOO_LARGE, 0, 0, 0)
        expect(exporter.export(flags=GZIP, uncompressed=UNCOMPRESSED_MAX + 1), TOO_LARGE, 0, 0, 0)
        assert not receiver.seen
        largest = bytes(BODY_MAX)
        expect(exporter.export(largest), DELIVERED, 200, 1, 0)
        assert receiver.bodies() == [largest]


def a_unix_socket_is_connected_to():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/otlp.sock"
        with Receiver(answer(503), OK, path=path) as receiver:
            with Exporter("http://localhost" + PATH, unix_socket=path) as exporter:
                expect(exporter.export(gzip.compress(b"x" * 9), flags=GZIP, uncompressed=9),
                       DELIVERED, 200, 2, 0)
                expect(exporter.export(bytes(5 << 20)), DELIVERED, 200, 1, 0)
                assert receiver.seen[0].headers["Host"] == "localhost"
                expect(exporter.finish()[:1], 0)
        with Exporter("http://localhost" + PATH, unix_socket=path,
                      retry_give_up_ms=200) as exporter:
            expect(exporter.export()[:2], EXPIRED, 0)


def no_proxy_is_asked():
    with Receiver(OK) as proxy, Receiver(OK) as receiver:
        environment = {name: proxy.url for name in ("http_proxy", "all_proxy", "ALL_PROXY")}
        with Exporter(receiver.url, environment=environment) as exporter:
            expect(exporter.export(), DELIVERED, 200, 1, 0)
        assert not proxy.seen


def a_name_is_looked_up_under_the_filter():
    with Exporter("http://name.invalid/", retry_give_up_ms=100) as exporter:
        expect(exporter.export()[:2], EXPIRED, 0)
        expect(exporter.finish()[:1], 0)
    with Receiver(OK) as receiver:
        url = receiver.url.replace("127.0.0.1", "localhost")
        with Exporter(url) as exporter:
            expect(exporter.export(), DELIVERED, 200, 1, 0)


HOSTS = "127.0.0.1 receiver.test\n"


def expect_replaced_end(exporter, path):
    assert exporter.process.wait(HANG_SECONDS) == 0
    text = exporter.process.stderr.read()
    assert path.encode() + b" was replaced: tidemark-exporter ends" in text, text


def link(path, target):
    os.symlink(target, path + ".new")
    os.rename(path + ".new", path)


def export_beside_a_changing_etc(url, options):
    resolv = "/etc/resolv.conf"
    changes = [
        lambda: replace(resolv, "nameserver 127.0.0.1\n"),  # there was none
        lambda: replace(resolv, "nameserver 127.0.0.1\n"),
        lambda: link(resolv, "stub"),  # to nowhere
        lambda: replace("/etc/stub", "nameserver 127.0.0.1\n"),
        lambda: replace("/etc/stub", "nameserver 127.0.0.1\n"),
        lambda: os.unlink(resolv),
    ]
    for change in changes:
        with Exporter(url, **options) as exporter:
            expect(exporter.export(), DELIVERED, 200, 1, 0)
            with open("/etc/hosts", "a", encoding="ascii") as file:
                file.write("127.0.0.2 another.test\n")  # the same file
            expect(exporter.export(), DELIVERED, 200, 1, 0)
            ends = "endpoint" in options and is_restricted(exporter.process)
            change()
            if ends:
                with contextlib.suppress(OSError):
                    exporter.send()  # it may have ended before
                expect_replaced_end(exporter, resolv)
            else:
                expect(exporter.export(), DELIVERED, 200, 1, 0)
                expect(exporter.export(), DELIVERED, 200, 1, 0)
                expect(exporter.finish(), 0, "")


def replaced_files_of_names_end_that_of_the_service():
    with Receiver(OK) as receiver:
        url = receiver.url.replace("127.0.0.1", "receiver.test")
        for options in {}, {"endpoint": url}:
            with_own_etc(HOSTS, export_beside_a_changing_etc, url, options)


def export_before_there_is_the_name(url):
    """A report without an answer is left to the next one of the service."""
    with Exporter(url, endpoint=url) as exporter:
        exporter.send()
        assert b"Could not resolve host" in exporter.process.stderr.readline()
        ends = is_restricted(exporter.process)
        replace("/etc/hosts", HOSTS)
        if ends:
            expect_replaced_end(exporter, "/etc/hosts")
            assert exporter.socket.recv(1) == b"", "an outcome"
    with Exporter(url, endpoint=url) as exporter:
        expect(exporter.export(), DELIVERED, 200, 1, 0)


def export_after_the_name_has_come(url):
    """The exporter of a recording, the only one, says why it finds no name."""
    with Exporter(url, retry_give_up_ms=1) as exporter:
        expect(exporter.export(bytes=BODY_MAX + 1, uncompressed=BODY_MAX + 1), TOO_LARGE, 0, 0, 0)
        fails = is_restricted(exporter.process)
        replace("/etc/hosts", HOSTS)
        assert exporter.export()[0] == (EXPIRED if fails else DELIVERED)
        code, text = exporter.finish()
        assert code == 0 and ("/etc/hosts was replaced" in text) == fails, text


def a_name_that_comes_later_is_left_to_the_next_one_or_the_failure_explained():
    with Receiver(OK) as receiver:
        url = receiver.url.replace("127.0.0.1", "receiver.test")
        for test in export_before_there_is_the_name, export_after_the_name_has_come:
            with_own_etc("127.0.0.1 nobody.test\n", test, url)


def bad_options_do_not_start_it():
    urls = ("file:///etc", "ftp://h", "http://" + "x" * 2048, "", "h:1", "http://u:p@h/",
            "https://u@h")
    for url in urls:
        with Exporter(url) as exporter:
            assert exporter.process.wait(HANG_SECONDS) == 2, url


TESTS = [
    a_body_is_delivered_as_it_is,
    headers_are_sent_and_in_no_argument,
    invalid_headers_do_not_start_it,
    a_partial_success_is_not_sent_again,
    what_may_pass_is_tried_again_with_the_same_bytes,
    everything_else_is_final,
    an_error_is_printed_cleanly_and_once,
    retry_after_is_followed,
    an_absurd_retry_after_is_cut,
    a_receiver_that_stays_away_is_given_up,
    no_redirect_is_followed,
    a_flood_of_answer_is_bounded,
    a_compressed_answer_is_not_unpacked,
    slow_receivers_cost_a_timeout,
    nonsense_is_no_answer,
    a_full_queue_drops_the_oldest,
    every_body_has_an_outcome_whatever_their_number,
    what_is_queued_is_flushed_at_the_end,
    the_flush_has_a_deadline,
    a_symbolizer_that_dies_leaves_its_bodies,
    a_symbolizer_that_reads_nothing_holds_up_nobody,
    hostile_messages_end_it,
    what_is_too_large_is_answered_so,
    a_unix_socket_is_connected_to,
    no_proxy_is_asked,
    a_name_is_looked_up_under_the_filter,
    replaced_files_of_names_end_that_of_the_service,
    a_name_that_comes_later_is_left_to_the_next_one_or_the_failure_explained,
    bad_options_do_not_start_it,
]


def main():
    chosen = [test for test in TESTS if len(sys.argv) < 3 or test.__name__ in sys.argv[2:]]
    for test in chosen:
        before = time.monotonic()
        test()
        print("ok %s (%.1f s)" % (test.__name__, time.monotonic() - before), flush=True)


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
