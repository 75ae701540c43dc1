#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_reload - `tidemark reload`: what it sends to whom, what it prints, and its exit codes
#
# usage: test_reload.py TIDEMARK. The symbolizer is a socket of ours.
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

HEAD = struct.Struct("<QII")  # of shared/reload.h, in both directions
NUMBERS = struct.Struct("<QQQIIII")
RELOAD_BYTES = HEAD.size + NUMBERS.size + 1024 + 4096 + 16

environment = {name: value for name, value in os.environ.items()
               if not name.startswith("TIDEMARK_")}
failed = False


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong)
        failed = True


def expect(arguments, code, out, error):
    """Patterns of the whole of both outputs."""
    ended = subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False, text=True, env=environment)
    claim(ended.returncode == code, f"{arguments}: exit code {ended.returncode}, not {code}")
    claim(re.fullmatch(out, ended.stdout, re.S), f"{arguments}: {ended.stdout!r}")
    claim(re.fullmatch(error, ended.stderr, re.S), f"{arguments}: {ended.stderr!r}")
    return ended.stderr


class Symbolizer:
    """Answers one message."""

    def __init__(self, path, answer):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen()
        self.answer, self.path, self.message = answer, path, b""
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        with connection:
            self.message = connection.recv(RELOAD_BYTES + 1)
            if self.answer:
                connection.send(self.answer)

    def end(self):
        self.thread.join()
        self.listener.close()
        os.unlink(self.path)
        return self.message


def answer(changed, differ, more=b""):
    return HEAD.pack(0x31444f4c45524d54, 1, 24) + struct.pack("<II", changed, differ) + more


with tempfile.TemporaryDirectory() as folder:
    path, there = f"{folder}/tidemark.conf", f"{folder}/reload.sock"
    with open(path, "w", encoding="utf-8") as file:
        file.write("TIDEMARK_INTERVAL_MS=1000\nTIDEMARK_LABELS=team=x\n")
    arguments = ["reload", "--socket", there, path]

    expect(arguments, 1, "", ".*the services do not run: nobody listens at .*\n")
    symbolizer = Symbolizer(there, answer(1, 1 << 8))
    expect(arguments, 0, "TIDEMARK_RATE=19: another value .*\nTIDEMARK_INTERVAL_MS=1000: in effect"
           "\napplied at .*", "")
    message = symbolizer.end()
    claim(len(message) == RELOAD_BYTES, f"{len(message)} bytes came")
    claim(HEAD.unpack_from(message) == (0x31444f4c45524d54, 1, RELOAD_BYTES), "a wrong head")
    claim(NUMBERS.unpack_from(message, HEAD.size) == (1000, 19, 512 << 20, 10000, 0, 0, 1),
          f"{NUMBERS.unpack_from(message, HEAD.size)} came")
    texts = message[HEAD.size + NUMBERS.size:]
    claim(texts[0] == 0 and texts[1024:].startswith(b"team=x\0") and
          texts[1024 + 4096:].startswith(b"process\0"), "wrong texts came")
    for nothing in (b"", answer(1, 0)[:-1], answer(1 << 5, 0), answer(0, 1), answer(0, 0, b"\0")):
        symbolizer = Symbolizer(there, nothing)
        expect(arguments, 1, "", ".*tidemark-symbolizer did not take the values.*\n")
        symbolizer.end()

    with open(path, "a", encoding="utf-8") as file:
        file.write("TIDEMARK_RATE=0\nTIDEMARK_RAT=\n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(there)
        listener.listen()
        listener.setblocking(False)
        said = expect(arguments, 1, "", f"{path}:3: TIDEMARK_RATE: .*\n{path}:4: TIDEMARK_RAT: .*")
        checked = expect(["config", "--check", path], 1, "", ".*")
        claim(said == checked, "another error than that of config --check")
        try:
            listener.accept()
            claim(False, "an invalid file is sent")
        except BlockingIOError:
            pass
    expect(["reload", "--socket", there, f"{folder}/none"], 1, "", ".*none: cannot be read: No.*")
    expect(["reload", "--sock=x", "--wrong"], 2, "", ".*--wrong.*")
    expect(["reload", path, path], 2, "", ".*reload takes one file, not 2.*")
    expect(["reload", "--help"], 0, "tidemark reload .*Exit code.*", "")

sys.exit(failed)
