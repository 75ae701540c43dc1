#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_tls - tidemark-exporter over https: whom it trusts, for which name, and who it says it is
#
# usage: tests/unit/exporter/test_tls.py PROGRAM
import os
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from peers import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position


def openssl(*arguments):
    subprocess.run(("openssl",) + arguments, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class Authority:
    """Makes certificates in a folder."""

    def __init__(self, folder, name):
        self.folder = folder
        self.stem = os.path.join(folder, name)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", self.stem + ".key", "-out", self.stem + ".pem", "-days", "2", "-subj",
                "/CN=" + name)
        self.pem = read(self.stem + ".pem")
        with open(self.stem + ".conf", "w", encoding="ascii") as file:
            file.write(f"[ca]\ndefault_ca=own\n[own]\ndatabase={self.stem}.issued\n"
                       "rand_serial=yes\ndefault_md=sha256\npolicy=names\n"
                       "[names]\ncommonName=supplied\n")
        with open(self.stem + ".issued", "w", encoding="ascii"):
            pass

    def issue(self, name, host, end="20990101000000Z"):
        """Return: the path of the certificate without its ending."""
        stem = os.path.join(self.folder, name)
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                stem + ".key", "-out", stem + ".csr", "-subj", "/CN=" + name)
        with open(stem + ".ext", "w", encoding="ascii") as file:
            file.write("subjectAltName=" + host)
        # `x509 -req` of OpenSSL 3.0 sets no dates, and that of 3.5 no negative number of days.
        openssl("ca", "-batch", "-notext", "-config", self.stem + ".conf", "-cert",
                self.stem + ".pem", "-keyfile", self.stem + ".key", "-outdir", self.folder,
                "-startdate", "20200101000000Z", "-enddate", end, "-in", stem + ".csr",
                "-extfile", stem + ".ext", "-out", stem + ".pem")
        return stem


def read(path):
    with open(path, "rb") as file:
        return file.read()


def context(stem, client_authority=None, most=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(stem + ".pem", stem + ".key")
    if client_authority:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(client_authority.stem + ".pem")
    if most:
        made.minimum_version = ssl.TLSVersion.TLSv1
        made.maximum_version = most
        made.set_ciphers("ALL:@SECLEVEL=0")
    return made


def a_receiver_with_a_certificate_of_the_authority_is_trusted(ours, other, folder):
    tls = context(ours.issue("server", "DNS:localhost,IP:127.0.0.1"))
    with Receiver(answer(503), OK, tls=tls) as receiver:
        for url in receiver.url, receiver.url.replace("127.0.0.1", "localhost"):
            with Exporter(url, {"certificate": ours.pem}) as exporter:
                status, http, _, _ = exporter.export(os.urandom(1 << 20))
                assert (status, http) == (DELIVERED, 200), (status, http)
                expect(exporter.export(), DELIVERED, 200, 1, 0)
        assert receiver.connections == 2, receiver.connections


def every_other_one_is_not(ours, other, folder):
    with Receiver(OK, tls=context(other.issue("foreign", "IP:127.0.0.1"))) as foreign:
        wrong_name = context(ours.issue("named", "DNS:elsewhere.invalid,IP:127.0.0.2"))
        with Receiver(OK, tls=wrong_name) as named:
            past = context(ours.issue("old", "IP:127.0.0.1", end="20210101000000Z"))
            with Receiver(OK, tls=past) as old:
                for receiver in foreign, named, old:
                    with Exporter(receiver.url, {"certificate": ours.pem}) as exporter:
                        expect(exporter.export(), UNTRUSTED, 0, 1, 0)
                        assert "certificate" in exporter.finish()[1].lower()
                    assert not receiver.seen
        with Exporter(foreign.url) as exporter:  # the system's authorities
            expect(exporter.export(), UNTRUSTED, 0, 1, 0)
        with Exporter(foreign.url, {"certificate": b"no certificate"}) as exporter:
            expect(exporter.export(), UNTRUSTED, 0, 1, 0)
        assert not foreign.seen


def old_versions_of_tls_are_refused(ours, other, folder):
    stem = ours.issue("versions", "IP:127.0.0.1")
    for version, wanted in ((ssl.TLSVersion.TLSv1_1, EXPIRED), (ssl.TLSVersion.TLSv1_2, DELIVERED)):
        with Receiver(OK, tls=context(stem, most=version)) as receiver:
            with Exporter(receiver.url, {"certificate": ours.pem},
                          retry_give_up_ms=200) as exporter:
                assert exporter.export()[0] == wanted, version


def plain_http_at_a_tls_port_and_the_reverse_deliver_nothing(ours, other, folder):
    with Receiver(OK, tls=context(ours.issue("tls", "IP:127.0.0.1"))) as receiver:
        with Exporter(receiver.url.replace("https", "http"), retry_give_up_ms=200) as exporter:
            assert exporter.export()[0] in (EXPIRED, FAILED)
        assert not receiver.seen
    with Receiver(OK) as receiver:
        with Exporter(receiver.url.replace("http", "https"), retry_give_up_ms=200) as exporter:
            assert exporter.export()[0] == EXPIRED
        assert not receiver.seen


def a_client_certificate_says_who_it_is(ours, other, folder):
    tls = context(ours.issue("mutual", "IP:127.0.0.1"), client_authority=ours)
    client, stranger = ours.issue("client", "DNS:tidemark"), other.issue("stranger", "DNS:tidemark")

    def files(stem):
        return {"certificate": ours.pem, "client-certificate": read(stem + ".pem"),
                "client-key": read(stem + ".key")}

    with Receiver(OK, tls=tls) as receiver:
        with Exporter(receiver.url, files(client)) as exporter:
            expect(exporter.export(), DELIVERED, 200, 1, 0)
        for fds in files(stranger), {"certificate": ours.pem}:
            with Exporter(receiver.url, fds, retry_give_up_ms=200) as exporter:
                assert exporter.export()[0] == EXPIRED
        mixed = dict(files(client), **{"client-key": read(stranger + ".key")})
        locked = os.path.join(folder, "locked.key")
        openssl("ec", "-in", client + ".key", "-aes256", "-passout", "pass:x", "-out", locked)
        for fds in mixed, dict(files(client), **{"client-key": read(locked)}):
            with Exporter(receiver.url, fds) as exporter:
                expect(exporter.export(), UNTRUSTED, 0, 1, 0)
                assert exporter.process.poll() is None
        assert len(receiver.seen) == 1


TESTS = [
    a_receiver_with_a_certificate_of_the_authority_is_trusted,
    every_other_one_is_not,
    old_versions_of_tls_are_refused,
    plain_http_at_a_tls_port_and_the_reverse_deliver_nothing,
    a_client_certificate_says_who_it_is,
]


def main():
    if not shutil.which("openssl"):
        print("skipped: there is no openssl")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        ours, other = Authority(folder, "ours"), Authority(folder, "other")
        for test in TESTS:
            before = time.monotonic()
            test(ours, other, folder)
            print("ok %s (%.1f s)" % (test.__name__, time.monotonic() - before), flush=True)


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
