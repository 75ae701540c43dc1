#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""symbols - compares the symbol tables of this machine's files with what binutils read in them

usage: symbols.py PRINT_SYMBOLS [FILE...]   (without files: a choice of programs and libraries)

Every function symbol that readelf prints is looked up at its first, middle and last byte, and must
bear a name of a symbol that covers the byte and begins where the last of those begins. Every range
must have a symbol of that name. Stubs are compared with those that objdump names. A program whose
symbols are only in .gnu_debugdata, and a stripped Go program, must give the names of the whole one.
"""

import bisect
import collections
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SAMPLE = 60  # programs of /usr/bin
LIBRARIES = ["libc.so.6", "libstdc++.so.6", "libm.so.6", "libcrypto.so.3", "ld-linux-x86-64.so.2"]
SYMBOL = re.compile(r"\s*\d+: ([0-9a-f]{16})\s+(\S+) (FUNC|IFUNC|NOTYPE)\s+(\S+)\s+\S+\s+"
                    r"(?:\[[^]]*\]\s+)?(\S+)(?: (.*))?")
STUB = re.compile(r"([0-9a-f]{16}) <(.+)@plt>:")

Symbol = collections.namedtuple("Symbol", "start bytes name")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          errors="surrogateescape").stdout


def read_symbols(path):
    """The code symbols of .symtab if it has any, else of .dynsym."""
    tables = {"symtab": [], "dynsym": []}
    table = None
    for line in run("readelf", "-sW", path).splitlines():
        if line.startswith("Symbol table"):
            table = tables["symtab" if ".symtab" in line else "dynsym"]
        found = SYMBOL.match(line)
        if not found or found[5] in ("UND", "ABS") or not found[6]:
            continue
        name = found[6] if table is tables["symtab"] else found[6].split("@")[0]
        if found[3] == "NOTYPE" and name[0] in ".$":
            continue
        size = int(found[2], 0)
        table.append(Symbol(int(found[1], 16), size, name))
    return tables["symtab"], tables["dynsym"]


class Ranges:
    def __init__(self, program, path):
        self.ranges = []
        for line in run(program, path).splitlines():
            start, end, name = line.split(" ", 2)
            self.ranges.append((int(start, 16), int(end, 16), name))
        self.starts = [start for start, _, _ in self.ranges]

    def find(self, vaddr):
        at = bisect.bisect_right(self.starts, vaddr) - 1
        if at < 0 or vaddr >= self.ranges[at][1]:
            return None
        return self.ranges[at][2]


class Cover:
    """Which names of a table may stand at an address."""

    def __init__(self, symbols):
        self.symbols = sorted(symbol for symbol in symbols if symbol.bytes)
        self.starts = [symbol.start for symbol in self.symbols]
        self.ends = []  # the greatest end so far
        for symbol in self.symbols:
            self.ends.append(max(symbol.start + symbol.bytes, self.ends[-1] if self.ends else 0))

    def names(self, vaddr):
        at = bisect.bisect_right(self.starts, vaddr) - 1
        found, start = set(), None
        while at >= 0 and self.ends[at] > vaddr:
            symbol = self.symbols[at]
            if start is not None and symbol.start != start:
                break
            if symbol.start + symbol.bytes > vaddr:
                found.add(symbol.name)
                start = symbol.start
            at -= 1
        return found


class Judge:
    def __init__(self, program):
        self.program = program
        self.files = self.addresses = self.stubs = self.failed = 0

    def fail(self, path, text):
        self.failed += 1
        if self.failed <= 20:
            print(f"  {path}: {text}")

    def expect(self, path, vaddr, names, found):
        self.addresses += 1
        if found not in names:
            self.fail(path, f"0x{vaddr:x} is {found}, not one of {sorted(names)[:3]}")

    def judge_symbols(self, path, ranges):
        symtab, dynsym = read_symbols(path)
        above, below = Cover(symtab), Cover(dynsym)
        for symbol in symtab + dynsym:
            for vaddr in {symbol.start, symbol.start + symbol.bytes // 2,
                          symbol.start + symbol.bytes - 1} if symbol.bytes else ():
                self.expect(path, vaddr, above.names(vaddr) or below.names(vaddr),
                            ranges.find(vaddr))
        known = {symbol.name for symbol in symtab + dynsym}
        is_go = ".gopclntab" in run("readelf", "-SW", path)
        for start, _, name in ranges.ranges:
            if name not in known and not name.endswith("@plt") and not is_go:
                self.fail(path, f"no symbol is called {name}, as that at 0x{start:x}")

    def judge_stubs(self, path, ranges):
        text = run("objdump", "-d", "--no-show-raw-insn", "-j", ".plt", "-j", ".plt.sec", "-j",
                   ".plt.got", path) if ".plt" in run("readelf", "-SW", path) else ""
        for vaddr, name in STUB.findall(text):
            found = ranges.find(int(vaddr, 16))
            if name.startswith("*ABS*"):
                continue
            self.stubs += 1
            if found != name + "@plt":
                self.fail(path, f"the stub at 0x{vaddr} is {found}, not {name}@plt")

    def judge(self, path):
        ranges = Ranges(self.program, path)
        self.files += 1
        self.judge_symbols(path, ranges)
        self.judge_stubs(path, ranges)

    def judge_same(self, whole, other, text):
        """The names of one file at the starts of the other's ranges. Go's own table may have [...]
        for type arguments (Go 1.19, of Debian 12)."""
        ranges = Ranges(self.program, other)
        compared = 0
        for start, end, name in Ranges(self.program, whole).ranges:
            if text(name):
                compared += 1
                self.expect(other, start, {name, re.sub(r"\[.*\]", "[...]", name)},
                            ranges.find(start))
        return compared


SOURCE = """
#include <stdio.h>
%s
int main(int argc, char **argv) { return %s; }
"""


def judge_minidebug(judge, work):
    count = 300
    functions = "\n".join(f"static __attribute__((noinline)) int local_{i}(int n)"
                          f" {{ return n * {i + 2} + puts(\"\"); }}" for i in range(count))
    calls = " + ".join(f"local_{i}(argc)" for i in range(count))
    whole, stripped, symbols = (os.path.join(work, name) for name in ("whole", "strip", "mini"))
    with open(whole + ".c", "w", encoding="utf-8") as file:
        file.write(SOURCE % (functions, calls))
    run("cc", "-O1", "-o", whole, whole + ".c")
    run("objcopy", "--only-keep-debug", whole, symbols)
    run("xz", "-k", symbols)
    run("strip", "--strip-all", "-o", stripped, whole)
    run("objcopy", "--add-section", f".gnu_debugdata={symbols}.xz", stripped)
    compared = judge.judge_same(whole, stripped, lambda name: name.startswith("local_"))
    if compared != count:
        judge.fail(stripped, f"{compared} of {count} local functions were there to compare")


GO = """package main

import "fmt"

type box[T any] struct{ value T }

//go:noinline
func (b *box[T]) show() { fmt.Println(b.value) }

func main() {
	(&box[int]{1}).show()
	func() { defer fmt.Println("deferred") }()
}
"""


def judge_go(judge, work):
    whole, stripped = os.path.join(work, "go_whole"), os.path.join(work, "go_stripped")
    with open(whole + ".go", "w", encoding="utf-8") as file:
        file.write(GO)
    for output, flags in (whole, ""), (stripped, "-s -w"):
        subprocess.run(["go", "build", f"-ldflags={flags}", "-o", output, whole + ".go"],
                       check=True, env=os.environ | {"GOCACHE": os.path.join(work, "cache")})
    compared = judge.judge_same(whole, stripped, lambda name: name.startswith(("main.", "fmt.")))
    if compared < 20:
        judge.fail(stripped, f"only {compared} functions were there to compare")


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(20)[:5] == b"\x7fELF\x02"


def choose_files():
    programs = sorted({os.path.realpath(path) for path in glob.glob("/usr/bin/*")})
    programs = [path for path in programs if os.path.isfile(path) and is_elf(path)
                and os.path.getsize(path) < 20 << 20]
    seed = int(os.environ.get("TM_SEED", random.randrange(1 << 32)))
    print(f"TM_SEED={seed}")
    files = random.Random(seed).sample(programs, min(SAMPLE, len(programs)))
    folder = "/usr/lib/x86_64-linux-gnu"
    return files + [f"{folder}/{name}" for name in LIBRARIES if os.path.exists(f"{folder}/{name}")]


def main():
    judge = Judge(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        for path in sys.argv[2:] or choose_files():
            judge.judge(path)
        if len(sys.argv) == 2:
            judge_minidebug(judge, work)
            if shutil.which("go"):
                judge_go(judge, work)
    print(f"{judge.files} files, {judge.addresses} addresses, {judge.stubs} stubs, "
          f"{judge.failed} differences")
    return judge.failed > 0 or judge.addresses < 1000


if __name__ == "__main__":
    sys.exit(main())
