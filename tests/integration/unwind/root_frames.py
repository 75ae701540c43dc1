# SPDX-License-Identifier: Apache-2.0
"""root_frames - which places of a program or library a stack can begin at; read with readelf, not with our parser

A root is: what is called like one, the code at the ELF entry, code whose call frame information says that
it has no return address (readelf -wF shows `u` for it), or where glibc's makecontext() returns to.
"""
import bisect
import functools
import os
import re
import struct
import subprocess

ROOTS = re.compile(r"^(_start|__clone3?|clone3?|thread_start|__start_context|_dl_start_user|_rt0_.*|"
                   r"runtime\.(rt0_go|goexit|mstart|mcall|morestack)(\.abi0)?)$")
ENTRY_BYTES = 64 # of code at the entry: longer than any _start here
GAP_BYTES = 16   # glibc says that a thread has no return address only some instructions after its birth


# mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi: glibc's __start_context, which is called by nobody
CONTEXT = bytes.fromhex("4889dc488b3c244885ff")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout


class Elf:
    """Places are file offsets, as in the frames."""

    def __init__(self, path):
        self.path, self.loads, self.entry = path, [], None
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02":
                return
            entry, table, size, count = *struct.unpack_from("<QQ", head, 24), *struct.unpack_from("<HH", head, 54)
            for at in range(count):
                file.seek(table + at * size)
                kind, flags, offset, address, _, bytes_ = struct.unpack("<IIQQQQ", file.read(40))
                if kind == 1 and flags & 1:
                    self.loads.append((offset, address, bytes_))
        self.entry = self.offset(entry)

    def offset(self, address):
        for offset, start, bytes_ in self.loads:
            if start <= address < start + bytes_:
                return address - start + offset
        return None

    @functools.cached_property
    def symbols(self):
        """[(offset, end, name)], by offset"""
        found = set()
        for line in run("readelf", "-sW", self.path).splitlines():
            word = line.split()
            if len(word) < 8 or word[3] not in ("FUNC", "NOTYPE", "IFUNC") or word[6] == "UND":
                continue
            offset = self.offset(int(word[1], 16))
            if offset is not None:
                found.add((offset, offset + int(word[2], 0), word[7].split("@")[0]))
        return sorted(found)

    def code(self, offset, count):
        with open(self.path, "rb") as file:
            file.seek(offset)
            return file.read(count)

    def name(self, offset):
        at = bisect.bisect_right(self.symbols, (offset, 1 << 62, ""))
        for start, end, name in reversed(self.symbols[max(0, at - 8):at]):
            if offset < end or start == end:
                return name
        return ""

    @functools.cached_property
    def ends(self):
        """[(offset, end)] of functions that have no return address from some place on"""
        found, bounds, column = [], None, None
        for line in run("readelf", "-wF", self.path).splitlines():
            if "FDE" in line:
                low, high = re.search(r"pc=([0-9a-f]+)\.\.([0-9a-f]+)", line).groups()
                bounds, column = (int(low, 16), int(high, 16)), None
            elif "CIE" in line or not line.strip():
                bounds = bounds if line.strip() == "" else None
            elif bounds and line.split()[0] == "LOC":
                column = line.split().index("ra") if "ra" in line.split() else None
            elif bounds and column is not None and line.split()[column:column + 1] == ["u"]:
                address = int(line.split()[0], 16)
                start = self.offset(address)
                if start is not None:
                    found.append((start, start + bounds[1] - address))
        return found

    def root(self, offset):
        """Why a stack may begin there, or None."""
        if self.entry is not None and 0 <= offset - self.entry < ENTRY_BYTES:
            return "entry"
        if self.code(offset + 1, len(CONTEXT)) == CONTEXT:
            return "context"
        if ROOTS.match(self.name(offset)):
            return "name"
        if any(start - GAP_BYTES <= offset < end for start, end in self.ends):
            return "cfi"
        return None


@functools.lru_cache(maxsize=None)
def elf(path):
    return Elf(path) if os.path.isfile(path) else None


@functools.lru_cache(maxsize=None)
def root(path, offset):
    """Why a stack may begin there; None: it may not; "unread": nobody here can say."""
    read = elf(path)
    return read.root(offset) if read else "unread"


@functools.lru_cache(maxsize=None)
def name(path, offset):
    read = elf(path)
    return read and read.name(offset) or "%s+0x%x" % (os.path.basename(path), offset)
