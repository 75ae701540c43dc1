#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# listen - tidemark-service makes listening sockets and hands them over as systemd does
#
# usage: listen.py TIDEMARK-SERVICE
import os
import socket
import stat
import subprocess
import sys
import tempfile

# The program that gets the sockets: prints what it has, and says "yes" to whoever connects.
PROGRAM = """
import os, socket
names = os.environ["LISTEN_FDNAMES"].split(":")
print(int(os.environ["LISTEN_PID"]) == os.getpid(), os.environ["LISTEN_FDS"], *names, flush=True)
for i, name in enumerate(names):
    listener = socket.socket(fileno=3 + i)
    peer, _ = listener.accept()
    peer.send(name.encode())
print(oct(os.umask(0)), sorted(int(fd) for fd in os.listdir("/proc/self/fd") if int(fd) > 4)[1:])
"""
failed = False


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong)
        failed = True


def start(*arguments):
    return subprocess.Popen([sys.argv[1], "listen", *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, umask=0o022)


def ask(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as peer:
        peer.connect(path)
        return peer.recv(100).decode()


def hands_over(folder):
    paths = {name: f"{folder}/{name}.sock" for name in ("one", "two")}
    child = start(*(f"{name}={path}" for name, path in paths.items()), "--",
                  sys.executable, "-c", PROGRAM)
    claim(child.stdout.readline() == "True 2 one two\n", "the environment")
    for name, path in paths.items():
        status = os.stat(path)
        claim(stat.S_IMODE(status.st_mode) == 0o660, f"{path}: mode {status.st_mode:o}")
        claim(ask(path) == name, f"{path} is not the socket {name}")
    out, error = child.communicate(timeout=60)
    claim(out == "0o22 []\n", f"umask and descriptors: {out!r} {error!r}")


def refuses(folder):
    with open(f"{folder}/file", "w", encoding="utf-8"):
        pass
    for arguments, code in ((["a=" + f"{folder}/file", "--", "/bin/true"], 1),
                            (["a=relative", "--", "/bin/true"], 1),
                            (["a=/" + "x" * 108, "--", "/bin/true"], 1),
                            (["=/x", "--", "/bin/true"], 1),
                            (["a:b=/x", "--", "/bin/true"], 1),
                            (["--", "/bin/true", "x"], 2),
                            ([f"a={folder}/a", f"b={folder}/b", "/bin/true"], 1),
                            ([f"a={folder}/a", f"b={folder}/b", "--"], 2)):
        child = start(*arguments)
        _, error = child.communicate(timeout=60)
        claim(child.returncode == code and error,
              f"{arguments}: exit code {child.returncode}, {error!r}")
    claim(os.path.isfile(f"{folder}/file"), "a file was replaced by a socket")
    many = [f"s{i}={folder}/s{i}" for i in range(9)]
    child = start(*many, "--", "/bin/true")
    child.communicate(timeout=60)
    claim(child.returncode == 1, "nine sockets were not refused")


def has_the_group_of_its_folder(folder):
    if os.getuid() != 0:
        return
    os.chown(folder, -1, 4711)
    os.chmod(folder, 0o2770)
    child = start(f"a={folder}/group", "--", "/bin/true")
    child.communicate(timeout=60)
    claim(os.stat(f"{folder}/group").st_gid == 4711, "the socket's group is not the folder's")


with tempfile.TemporaryDirectory() as place:
    hands_over(place)
    hands_over(place)  # over what lies there from the first run
    refuses(place)
    has_the_group_of_its_folder(place)
sys.exit(failed)
