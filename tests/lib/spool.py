# SPDX-License-Identifier: Apache-2.0
# spool - starts tidemark-spool on a folder and speaks with it as the symbolizer does
import fcntl
import os
import socket
import struct
import subprocess

MESSAGE = struct.Struct("<4I7Q2q3Q")
STORE, DELIVERED, FETCH, STORED, REPORT = 1, 2, 3, 16, 17
GZIP, LOCAL = 1, 2
SHARE_SHIFT, SHARES = 8, 8
DONE, NONE, TOO_LARGE, FULL, BROKEN = range(5)
SEALS = 0xf  # seal, shrink, grow, write
HANG_SECONDS = 60


def sealed(body, seals=SEALS):
    fd = os.memfd_create("otlp", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.write(fd, body)
    fcntl.fcntl(fd, 1033, seals)  # F_ADD_SEALS
    return fd


def message(kind, flags=0, status=0, reserved=0, id=0, sequence=0, bytes=0, uncompressed=0,
            samples=0, start=0, end=0, boottime=0, realtime=0, kept=0, reach=0, least=0):
    return MESSAGE.pack(kind, flags, status, reserved, id, sequence, bytes, uncompressed, samples,
                        start, end, boottime, realtime, kept, reach, least)


class Spool:
    def __init__(self, program, folder, *options, max_bytes=64 << 20, max_age=86400, **popen):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(HANG_SECONDS)
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self.socket = ours
        self.process = subprocess.Popen(
            [program, "--socket-fd=%d" % theirs.fileno(), "--directory-fd=%d" % directory,
             "--spool-bytes=%d" % max_bytes, "--spool-seconds=%d" % max_age, *options],
            pass_fds=[theirs.fileno(), directory], stderr=subprocess.PIPE, **popen)
        os.close(directory)
        theirs.close()
        self.ids = 0
        self.kept = self.reach = self.least = None  # as the last answer to a STORE says

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Before the socket: a program that ends by itself when it is killed may, with a sanitizer
        # that looks for leaks in a process of its own, hold the lock a moment longer.
        self.process.kill()
        self.socket.close()
        self.process.wait()
        self.process.stderr.close()

    def send(self, data, fd=None):
        socket.send_fds(self.socket, [data], [fd] if fd is not None else [])

    def receive(self):
        """Return: (fields, descriptor or None); None: the program has closed its side."""
        try:
            data, fds, _, _ = socket.recv_fds(self.socket, MESSAGE.size, 1)
        except ConnectionResetError:
            return None
        if not data:
            return None
        return MESSAGE.unpack(data), fds[0] if fds else None

    def post(self, body, samples=1, flags=0, **fields):
        """Sends a STORE, and does not wait. Return: its id."""
        self.ids += 1
        fd = sealed(body)
        fields.setdefault("uncompressed", len(body))
        fields.setdefault("bytes", len(body))
        self.send(message(STORE, flags=flags, id=self.ids, samples=samples, **fields), fd)
        os.close(fd)
        return self.ids

    def store(self, body, **fields):
        """Return: (status, sequence); None: the program has ended."""
        try:
            id = self.post(body, **fields)
            answer = self.receive()
        except (BrokenPipeError, ConnectionResetError):
            return None
        if answer is None:
            return None
        fields, fd = answer
        assert fd is None and fields[0] == STORED and fields[4] == id, fields
        self.kept, self.reach, self.least = fields[13:]
        return fields[2], fields[5]

    def delivered(self, sequence):
        self.send(message(DELIVERED, sequence=sequence))

    def fetch(self, after=0):
        """Return: (sequence, body, fields), or the status."""
        self.ids += 1
        self.send(message(FETCH, id=self.ids, sequence=after))
        answer = self.receive()
        assert answer, "the program has ended: %s" % (self.finish(),)
        fields, fd = answer
        assert fields[0] == REPORT and fields[4] == self.ids, fields
        if fields[2] != DONE:
            assert fd is None
            return fields[2]
        with os.fdopen(fd, "rb") as file:
            assert fcntl.fcntl(fd, 1034) & SEALS == SEALS  # F_GET_SEALS
            body = os.pread(fd, 1 << 25, 0)
        assert len(body) == fields[6]
        return fields[5], body, fields

    def kill(self):
        self.process.kill()
        return self.process.wait()

    def finish(self):
        """Return: (exit code, what it printed)."""
        self.socket.close()
        code = self.process.wait(HANG_SECONDS)
        return code, self.process.stderr.read().decode("utf-8", "replace")
