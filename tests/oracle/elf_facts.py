# SPDX-License-Identifier: Apache-2.0
"""elf_facts - files to ask about, their debug files, and what readelf says of their symbols"""
import bisect
import collections
import os
import random
import re
import stat
import struct
import subprocess

PROGBITS = 1
PROGRAM_TYPES = 2, 3  # neither objects for a linker nor core files
DEBUG_ROOT = '/usr/lib/debug'  # where the other readers look, too
SYMBOL = re.compile(r'\s*\d+: ([0-9a-f]{16})\s+(\S+) (\S+)\s+\S+\s+\S+\s+(?:\[[^]]*\]\s+)?'
                    r'(\S+) (\S+)')

Symbol = collections.namedtuple('Symbol', 'start end type name')


def readelf(*arguments):
    return subprocess.run(['readelf', '-W', *arguments], capture_output=True, text=True,
                          errors='replace', check=False).stdout


def section_of(path, wanted):
    """Type, address, offset and size of a section of a 64-bit program or library, or None."""
    try:
        with open(path, 'rb') as file:
            head = file.read(64)
            if len(head) < 64 or head[:6] != b'\x7fELF\2\1' or head[16] not in PROGRAM_TYPES:
                return None
            at, count, names = struct.unpack_from('<40xQ12xHH', head)
            file.seek(at)
            headers = list(struct.iter_unpack('<IIQQQQIIQQ', file.read(64 * count)))
            file.seek(headers[names][4])
            strings = file.read(headers[names][5])
    except (OSError, IndexError, struct.error):
        return None
    for name, kind, _, address, offset, size, *_ in headers:
        if strings[name:].startswith(wanted + b'\0'):
            return kind, address, offset, size
    return None


def text_of(path):
    """Address and size of .text; None if it has none."""
    found = section_of(path, b'.text')
    return (found[1], found[3]) if found and found[0] == PROGBITS and found[3] else None


def build_id_of(path):
    found = section_of(path, b'.note.gnu.build-id')
    if not found:
        return ''
    with open(path, 'rb') as file:
        file.seek(found[2] + 16)
        return file.read(found[3] - 16).hex()


def program_files(paths):
    """(path, address of .text, its size) of the files, and of those below the folders."""
    found = {}
    for path in paths:
        below = [path] if os.path.isfile(path) else [
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        for file in below:
            status = os.stat(file) if file == path or not os.path.islink(file) else None
            if status and stat.S_ISREG(status.st_mode) and text_of(file):
                found.setdefault((status.st_dev, status.st_ino), (file, *text_of(file)))
    return sorted(found.values())


def by_build_id(build_id):
    path = f'{DEBUG_ROOT}/.build-id/{build_id[:2]}/{build_id[2:]}.debug'
    return path if build_id and os.path.exists(path) else None


def debug_files_of(path):
    """The separate debug file and the alternative one that dwz made; None for what is missing."""
    debug = by_build_id(build_id_of(path))
    links = readelf('--debug-dump=links,no-follow-links', debug or path)
    name = re.search(r'altlink.*?info file: (\S+)', links, re.DOTALL)
    build_id = re.search(r'Build-ID[^:]*:\s*((?:[0-9a-f]{2} ?)+)', links)
    alternate = by_build_id(build_id[1].replace(' ', '')) if build_id else None
    if name and not alternate:
        named = os.path.join(os.path.dirname(debug or path), name[1])
        alternate = named if os.path.exists(named) else None
    return debug, alternate


def add_options(parser):
    """What choose_addresses goes by."""
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 32))
    parser.add_argument('--count', type=int, default=5000)
    parser.add_argument('--total', type=int, default=1 << 62)
    parser.add_argument('--with-debug-files', action='store_true')


def choose_addresses(options, paths):
    """(path, random addresses in .text) of each file, in equal parts as far as it goes."""
    print(f'--seed {options.seed}')
    pick = random.Random(options.seed)
    files = program_files(paths)
    if options.with_debug_files:
        files = [file for file in files if debug_files_of(file[0])[0]]
    left = options.total
    for index, (path, start, size) in enumerate(sorted(files, key=lambda file: file[2])):
        count = min(options.count, size, left // (len(files) - index))
        left -= count
        yield path, sorted(pick.sample(range(start, start + size), count))
    print(f'{len(files)} files')


def plain(name):
    """The name without what a compiler or the symbol table appends to it."""
    return re.sub(r'[.@].*', '', name) or name


def demangled(name):
    """Without arguments and return type."""
    return subprocess.run(['c++filt', '-p', plain(name)], capture_output=True, text=True,
                          check=True).stdout.strip()


class Symbols:
    """The symbols of some files: where those of a name start, and which cover an address."""

    def __init__(self, paths):
        self.starts = collections.defaultdict(set)
        self.by_name = collections.defaultdict(set)
        symbols = set()
        for path in paths:
            for found in filter(None, map(SYMBOL.match, readelf('-s', path).splitlines())):
                if found[4] in ('UND', 'ABS') or found[3] in ('SECTION', 'FILE', 'TLS'):
                    continue
                start = int(found[1], 16)
                symbols.add(Symbol(start, start + int(found[2], 0), found[3], found[5]))
        self.symbols = sorted(symbols)
        self.firsts = [symbol.start for symbol in self.symbols]
        self.ends = []  # the greatest end so far; a symbol without a size ends behind its start
        for symbol in self.symbols:
            self.starts[plain(symbol.name)].add(symbol.start)
            self.by_name[plain(symbol.name)].add(symbol)
            self.ends.append(max(symbol.end, symbol.start + 1, self.ends[-1] if self.ends else 0))

    def covers(self, address):
        """Whether any symbol covers the address: else it is padding, or code without a symbol."""
        at = bisect.bisect_right(self.firsts, address) - 1
        return at >= 0 and address < self.ends[at]

    def named(self, name, address):
        """The symbols of a plain name that cover the address."""
        return [symbol for symbol in self.by_name.get(plain(name), ())
                if symbol.start <= address < max(symbol.end, symbol.start + 1)]
