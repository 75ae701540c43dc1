# SPDX-License-Identifier: GPL-2.0
"""initramfs - packs programs, the libraries they need and an init script into a root file system
"""
import gzip
import os
import re
import shutil
import stat
import subprocess

FOLDERS = ("bin", "dev", "proc", "sys", "tmp", "run", "etc", "root", "lib64")


def libraries(program):
    """Paths of the shared libraries of a program, the dynamic loader included."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/\S+) \(0x", listed)


def copy(root, source, target):
    place = os.path.join(root, target.lstrip("/"))
    if not os.path.exists(place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy2(os.path.realpath(source), place)
        os.chmod(place, 0o755)


def stage(root, init, programs):
    """Lays the root file system out; `programs` is {place in it: program}."""
    for folder in FOLDERS:
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    os.chmod(os.path.join(root, "tmp"), 0o1777)
    copy(root, init, "init")
    with open(os.path.join(root, "etc/passwd"), "w", encoding="ascii") as file:
        file.write("root:x:0:0:root:/root:/bin/sh\n")
    with open(os.path.join(root, "etc/group"), "w", encoding="ascii") as file:
        file.write("root:x:0:\n")
    for place, program in {"bin/busybox": shutil.which("busybox"), **programs}.items():
        copy(root, program, place)
        for library in libraries(program):
            copy(root, library, library)


def header(name, mode, size, number):
    """One entry's header of the newc format of cpio, padded."""
    fields = (number, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, len(name) + 1, 0)
    text = b"070701" + b"".join(b"%08X" % field for field in fields) + name + b"\0"
    return text + b"\0" * (-len(text) % 4)


def pack(root, path):
    """The tree as a compressed archive; all of it belongs to root."""
    names = []
    for folder, below, files in os.walk(root):
        names += [os.path.relpath(os.path.join(folder, name), root) for name in below + files]
    with gzip.open(path, "wb", compresslevel=1) as out:
        for number, name in enumerate(sorted(names), 1):
            full = os.path.join(root, name)
            mode = os.lstat(full).st_mode
            content = b""
            if stat.S_ISREG(mode):
                with open(full, "rb") as file:
                    content = file.read()
            out.write(header(name.encode(), mode, len(content), number))
            out.write(content + b"\0" * (-len(content) % 4))
        out.write(header(b"TRAILER!!!", 0, 0, 0))
