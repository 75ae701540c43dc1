# SPDX-License-Identifier: Apache-2.0
"""root_frames - the places of a program or library at which a stack can begin

They are found with readelf, not with our own parser. A root is one of these: a function with one of
the names in ROOTS, the code at the ELF entry, code whose call frame information says that it has no
return address (readelf -wF shows `u` for it), or the place that glibc's makecontext() returns to.
"""
import bisect
import functools
import os
import re
import struct
import subprocess

ROOTS = re.compile(r"^(_start|__clone3?|clone3?|thread_start|__start_context|_dl_start_user|"
                   r"make_fcontext|"  # Boost.Context: a fiber returns into it, and it calls _exit
                   r"_rt0_.*|runtime\.(rt0_go|goexit|mstart|mcall|morestack)(\.abi0)?)$")
# This much code at the ELF entry counts as a root. It is longer than any _start here.
ENTRY_BYTES = 64
# In glibc, the call frame information of a new thread says only some instructions after its first
# one that there is no return address. This much code before that place counts as a root too.
GAP_BYTES = 16
# mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi: glibc's __start_context, which nothing calls.
CONTEXT = bytes.fromhex("4889dc488b3c244885ff")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout


class Elf:
    """An ELF file. All places in it are file offsets, as they are in frames."""

    def __init__(self, path):
        self.path, self.loads, self.entry = path, [], None
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02":
                return
            entry, table = struct.unpack_from("<QQ", head, 24)
            size, count = struct.unpack_from("<HH", head, 54)
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
        """[(offset, end, name)] of the code symbols, sorted by offset."""
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
        """[(offset, end)] of the parts of functions in which there is no return address."""
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
    """Why a stack may begin there; None if it may not; "unread" if the file cannot be read."""
    read = elf(path)
    return read.root(offset) if read else "unread"


@functools.lru_cache(maxsize=None)
def name(path, offset):
    read = elf(path)
    return read and read.name(offset) or "%s+0x%x" % (os.path.basename(path), offset)
