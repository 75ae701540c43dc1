#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""names - compares where our functions start with what two other readers say

usage: names.py [--at-least PERCENT] [--seed N] [--count N] PRINT_SYMBOLS FILE[=DEBUG_FILE]...

Random addresses of .text, at most --count a file. An address counts where the oracle names a
function: the outermost one, where calls are inlined; not in the padding behind a function, which
addr2line gives the name of that. The start of our range must be an address at which the file, or
its debug file, has a symbol of the oracle's name; suffixes (.cold, .isra.0, @VERSION) are left
out. Prints the share and the differences by cause for each oracle; ends with 1 if a share is
below --at-least.
"""
import argparse
import bisect
import collections
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from lines import text_of  # pylint: disable=wrong-import-position

SYMBOL = re.compile(r'\s*\d+: ([0-9a-f]{16})\s+(\S+) (\S+)\s+\S+\s+\S+\s+(?:\[[^]]*\]\s+)?'
                    r'(\S+) (\S+)')
ORACLES = {
    'addr2line': ['addr2line', '-a', '-f', '-i', '-e'],
    'eu-addr2line': ['eu-addr2line', '-a', '-S', '-e'],
}


def plain(name):
    return re.sub(r'[.@].*', '', name) or name


class Symbols:
    """Where symbols of a plain name start, and which addresses any symbol covers."""

    def __init__(self, paths):
        self.starts = collections.defaultdict(set)
        covered = set()
        for path in paths:
            listing = subprocess.run(['readelf', '-sW', path], capture_output=True, text=True,
                                     errors='replace', check=False).stdout
            for found in filter(None, map(SYMBOL.match, listing.splitlines())):
                if found[4] in ('UND', 'ABS'):
                    continue
                start = int(found[1], 16)
                self.starts[plain(found[5])].add(start)
                covered.add((start, start + max(int(found[2], 0), 1)))
        self.firsts, self.ends = [], []
        for start, end in sorted(covered):
            self.firsts.append(start)
            self.ends.append(max(end, self.ends[-1] if self.ends else 0))

    def is_padding(self, address):
        at = bisect.bisect_right(self.firsts, address) - 1
        return at < 0 or address >= self.ends[at]


def our_ranges(print_symbols, path):
    found = []
    for line in subprocess.run([print_symbols, path], capture_output=True, text=True,
                               errors='replace', check=True).stdout.splitlines():
        start, end, name = line.split(' ', 2)
        found.append((int(start, 16), int(end, 16), name))
    return found


def ask(oracle, path, addresses):
    """The oracle's name of each address, None without one."""
    text = ''.join(f'{address:#x}\n' for address in addresses)
    output = subprocess.run(ORACLES[oracle] + [path], input=text, capture_output=True, text=True,
                            errors='replace', check=True).stdout.splitlines()
    found, lines = {}, []
    for line in output:
        if re.fullmatch(r'0x[0-9a-f]+', line):
            lines = found[int(line, 16)] = []
        else:
            lines.append(line)
    names = [found[address][-2] for address in addresses]
    return [None if name.startswith(('?', '0x', '(')) else name.split('+0x')[0] for name in names]


def cause_of(ours, names, theirs, starts):
    """None: the same start. @names: ranges by name, where a function has several."""
    if ours is None:
        return 'we know no name'
    if plain(theirs) == plain(ours[2]) or starts.get(plain(theirs), set()) & names[ours[2]]:
        return None
    if plain(theirs) not in starts:
        return 'their name is in no symbol table'
    return 'another function'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--at-least', type=float, default=0)
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 32))
    parser.add_argument('--count', type=int, default=5000)
    parser.add_argument('print_symbols')
    parser.add_argument('files', nargs='+')
    options = parser.parse_args()
    print(f'--seed {options.seed}')
    pick = random.Random(options.seed)
    answered = collections.Counter()
    causes = {oracle: collections.Counter() for oracle in ORACLES}
    examples = {}
    for pair in options.files:
        path, _, debug = pair.partition('=')
        start, size = text_of(path)
        addresses = sorted(pick.sample(range(start, start + size), min(options.count, size)))
        ranges = our_ranges(options.print_symbols, debug or path)
        firsts = [first for first, _, _ in ranges]
        names = collections.defaultdict(set)
        for first, _, name in ranges:
            names[name].add(first)
        symbols = Symbols([path] + ([debug] if debug else []))
        for oracle in ORACLES:
            for address, theirs in zip(addresses, ask(oracle, path, addresses)):
                at = bisect.bisect_right(firsts, address) - 1
                ours = ranges[at] if at >= 0 and address < ranges[at][1] else None
                if theirs is None or (ours is None and symbols.is_padding(address)):
                    continue
                answered[oracle] += 1
                cause = cause_of(ours, names, theirs, symbols.starts)
                if cause:
                    causes[oracle][cause] += 1
                    examples.setdefault((oracle, cause), (path, hex(address), ours, theirs))
    failed = False
    for oracle, found in causes.items():
        share = 100 * (1 - sum(found.values()) / max(answered[oracle], 1))
        print(f'{oracle}: of {answered[oracle]} answered, same start {share:.3f} %')
        failed |= share < options.at_least
        for cause, count in found.most_common():
            print(f'    {count:7} {cause}, as at', *examples[oracle, cause])
    return failed


if __name__ == '__main__':
    sys.exit(main())
