#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""names - compares where our functions start with what two other readers say

usage: names.py [--right-at-least PERCENT] [--seed N] [--count N] [--total N] [--oracle NAME]
                [--with-debug-files] PRINT_SYMBOLS FILE...

Random addresses of .text in the files and in those below the folders, at most --count a file and
--total in all. Separate debug files are found by build id below /usr/lib/debug, by us and by the
oracles; --with-debug-files leaves out what has none. An address counts where the oracle names a
function: the outermost one, where calls are inlined. The start of our range must be an address at
which the file, or its debug file, has a symbol of the oracle's name, and the one that the oracle
says, if it does; suffixes (.cold, .isra.0, @VERSION) are left out.

Prints for each oracle the share and the differences by cause. readelf is the third witness: the
oracle is wrong where no symbol of the name that it says covers the address, since addr2line says
the nearest one before. A second share is that of the other addresses; ends with 1 if it is below
--right-at-least.
"""
import argparse
import bisect
import collections
import re
import subprocess
import sys

sys.dont_write_bytecode = True
# pylint: disable-next=wrong-import-position
from elf_facts import Symbols, add_options, choose_addresses, debug_files_of, demangled, plain

ORACLES = {
    'addr2line': ['addr2line', '-a', '-f', '-i', '-e'],
    'eu-addr2line': ['eu-addr2line', '-a', '-S', '-e'],
}
# Causes of which readelf shows that the oracle is wrong.
NO_SYMBOL = 'oracle wrong: no symbol covers the address'
BEHIND = 'oracle wrong: its symbol ends before the address'
NO_CODE = 'oracle wrong: its symbol is data'


class Ranges:
    """What tidemark makes of a file and of its debug file, which has the first word."""

    def __init__(self, print_symbols, paths):
        self.tables = []
        self.starts = collections.defaultdict(set)  # by name, where a function has several
        for path in paths:
            table = []
            for line in subprocess.run([print_symbols, path], capture_output=True, text=True,
                                       errors='replace', check=False).stdout.splitlines():
                start, end, name = line.split(' ', 2)
                table.append((int(start, 16), int(end, 16), name))
                self.starts[name].add(int(start, 16))
            self.tables.append((table, [start for start, _, _ in table]))

    def name_at(self, address):
        for table, firsts in self.tables:
            at = bisect.bisect_right(firsts, address) - 1
            if at >= 0 and address < table[at][1]:
                return table[at][2]
        return None


def ask(oracle, path, addresses):
    """The oracle's (name, start) of each address, None without one; addr2line says no start."""
    text = ''.join(f'{address:#x}\n' for address in addresses)
    output = subprocess.run(ORACLES[oracle] + [path], input=text, capture_output=True, text=True,
                            errors='replace', check=False).stdout.splitlines()
    found, lines = {}, []
    for line in output:
        if re.fullmatch(r'0x[0-9a-f]+', line):
            lines = found[int(line, 16)] = []
        else:
            lines.append(line)
    answers = []
    for address in addresses:
        name = found[address][-2] if len(found.get(address, ())) > 1 else '??'
        if name.startswith(('?', '0x', '(')):
            answers.append(None)
            continue
        split = re.fullmatch(r'(.*?)(?:\+0x([0-9a-f]+))?( \(.*\))?', name)
        start = address - int(split[2] or '0', 16) if oracle == 'eu-addr2line' else None
        answers.append((split[1], start))
    return answers


def cause_of(address, ours, theirs, ranges, symbols):
    """None: the same start."""
    name, start = theirs
    if ours is not None and start is not None:
        own = ranges.starts[ours] | symbols.starts.get(plain(ours), set())
        same = start in own
    else:
        same = ours is not None and (plain(name) == plain(ours) or
                                     symbols.starts.get(plain(name), set()) & ranges.starts[ours])
    if same:
        return None
    covering = symbols.named(name, address)
    if not symbols.covers(address) and ours is None:
        return NO_SYMBOL
    if plain(name) in symbols.by_name and not covering:
        return BEHIND
    if covering and all(symbol.type == 'OBJECT' for symbol in covering):
        return NO_CODE
    if ours is None:
        return 'we know no name'
    if plain(name) not in symbols.by_name:
        if f'::{demangled(ours)}'.endswith(f'::{demangled(name)}'):
            return None  # DWARF has no linkage name, or that of a constructor of no special kind
        return 'their name is in no symbol table'
    if any(symbol.start == symbol.end for symbol in covering):
        return 'their symbol has no size'
    return 'another function'


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--right-at-least', type=float, default=0)
    add_options(parser)
    parser.add_argument('--oracle', choices=list(ORACLES), action='append')
    parser.add_argument('print_symbols')
    parser.add_argument('files', nargs='+')
    return parser.parse_args()


class Tally:
    def __init__(self):
        self.asked = self.answered = 0
        self.causes = collections.Counter()
        self.examples = {}

    def add(self, path, address, theirs, ours, cause):
        self.asked += 1
        self.answered += theirs is not None
        if cause:
            self.causes[cause] += 1
            self.examples.setdefault(cause, (path, hex(address), ours, theirs[0]))

    def print(self, oracle):
        """Return: the share without what the oracle is wrong about."""
        if not self.answered:
            print(f'{oracle}: no answer')
            return 0
        wrong = sum(count for cause, count in self.causes.items()
                    if cause in (NO_SYMBOL, BEHIND, NO_CODE))
        differ = sum(self.causes.values())
        share = 100 * (1 - (differ - wrong) / max(self.answered - wrong, 1))
        print(f'{oracle}: of {self.answered} answered ({self.asked} asked), same start '
              f'{100 * (1 - differ / self.answered):.3f} %, where the oracle is right '
              f'{share:.3f} %')
        for cause, count in self.causes.most_common():
            print(f'    {count:7} {cause}, as at', *self.examples[cause])
        return share


def main():
    options = arguments()
    tallies = {oracle: Tally() for oracle in options.oracle or ORACLES}
    for path, addresses in choose_addresses(options, options.files):
        debug = debug_files_of(path)[0]
        paths = [debug, path] if debug else [path]
        ranges, symbols = Ranges(options.print_symbols, paths), Symbols(paths)
        for oracle, tally in tallies.items():
            for address, theirs in zip(addresses, ask(oracle, path, addresses)):
                ours = ranges.name_at(address)
                cause = theirs and cause_of(address, ours, theirs, ranges, symbols)
                tally.add(path, address, theirs, ours, cause)
    shares = [tally.print(oracle) for oracle, tally in tallies.items()]
    return min(shares) < options.right_at_least


if __name__ == '__main__':
    sys.exit(main())
