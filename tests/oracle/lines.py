#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lines - compares our functions, inlined calls and lines with those of three other readers

usage: lines.py [--at-least PERCENT] [--seed N] [--count N] PRINT_LINES FILE[=DEBUG_FILE]...

Random addresses of .text, at most --count a file. An address counts where the oracle knows a line.
Prints, for each oracle, the share of addresses whose line, and whose whole chain of calls, is the
same, and the differences by cause. Ends with 1 if a share is below --at-least.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys

ORACLES = {
    'addr2line': ['addr2line', '-a', '-f', '-i', '-e'],
    'eu-addr2line': ['eu-addr2line', '-a', '-f', '-i', '-A', '-e'],
    'llvm-symbolizer': ['llvm-symbolizer', '-a', '-f', '-i', '--no-demangle',
                        '--output-style=GNU', '-e'],
}


def text_of(path):
    """Address and size of .text."""
    listing = subprocess.run(['readelf', '-SW', path], capture_output=True, text=True, check=False)
    for line in listing.stdout.splitlines():
        match = re.search(r'\] \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)', line)
        if match:
            return int(match[1], 16), int(match[2], 16)
    sys.exit(f'{path} has no .text')


def place_of(text):
    """(name of the file, line) of `path:line`, which may go on with a column or a discriminator."""
    match = re.match(r'(.*?):(\d+|\?)(:\d+)?( \(discriminator \d+\))?$', text)
    if not match or match[1] in ('', '??'):
        return None, 0
    return os.path.basename(match[1]), int(match[2]) if match[2] != '?' else 0


def function_of(text):
    """The name without what the symbol table adds, and without eu-addr2line's remark."""
    return re.sub(r' inlined at .*', '', text).split('@')[0]


def chains(output):
    """By address: ((function, file, line), ...), innermost first."""
    found, address, lines = {}, None, []

    def close():
        if address is not None:
            calls = zip(lines[::2], lines[1::2])
            found[address] = tuple((function_of(f), *place_of(p)) for f, p in calls)

    for line in output.splitlines():
        if re.fullmatch(r'0x[0-9a-f]+', line):
            close()
            address, lines = int(line, 16), []
        else:
            lines.append(line)
    close()
    return found


def ask(command, addresses):
    """By address; eu-addr2line ends with 1 when an address is in no unit."""
    text = ''.join(f'{address:#x}\n' for address in addresses)
    return chains(subprocess.run(command, input=text, capture_output=True, text=True,
                                 errors='replace', check=False).stdout)


def cause_of(ours, theirs):
    """Why two chains differ; None: they do not, or only by a suffix of the outermost function."""
    if ours == theirs:
        return None
    if not ours or ours[0][1] is None:
        return 'we know no line'
    if ours[0][1:] != theirs[0][1:]:
        return 'other file' if ours[0][1] != theirs[0][1] else 'other line'
    if len(ours) != len(theirs):
        return 'chain is longer' if len(ours) > len(theirs) else 'chain is shorter'
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a == b:
            continue
        if a[1:] != b[1:]:
            return 'other call site'
        if i == len(ours) - 1:
            plain = b[0].split('.')[0]
            if a[0] == '??':
                return 'function only in the symbol table'
            if a[0] != plain:
                return 'outermost function has another name (alias)'
        else:
            return 'other inlined function'
    return None


class Tally:
    def __init__(self):
        self.answered = self.lines = self.calls = 0
        self.causes = collections.Counter()
        self.examples = {}

    def add(self, path, address, ours, theirs):
        # Line 0 is no answer: some take the file's name from the symbol table.
        if not theirs or not theirs[0][2]:
            return
        self.answered += 1
        cause = cause_of(ours, theirs)
        same_line = bool(ours) and ours[0][1:] == theirs[0][1:]
        self.lines += same_line
        # The outermost function bears the symbol table's name, which is not compared here.
        named = [c[1:] if i == len(theirs) - 1 else c for i, c in enumerate(theirs)]
        own = [c[1:] if i == len(ours) - 1 else c for i, c in enumerate(ours)]
        self.calls += named == own
        if cause:
            self.causes[cause] += 1
            self.examples.setdefault(cause, (path, address, ours, theirs))

    def print(self, oracle, examples):
        if not self.answered:
            print(f'{oracle}: no answer')
            return
        print(f'{oracle}: of {self.answered} answered, line equal '
              f'{100 * self.lines / self.answered:.3f} %, chain equal '
              f'{100 * self.calls / self.answered:.3f} %')
        for cause, count in self.causes.most_common():
            print(f'    {count:7} {cause}')
            if examples:
                path, address, ours, theirs = self.examples[cause]
                print(f'            {path} {address:#x}\n            ours   {ours}\n'
                      f'            theirs {theirs}')


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--at-least', type=float, default=0)
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 32))
    parser.add_argument('--count', type=int, default=5000)
    parser.add_argument('--examples', action='store_true')
    parser.add_argument('--oracle', choices=list(ORACLES), action='append')
    parser.add_argument('print_lines')
    parser.add_argument('files', nargs='+')
    return parser.parse_args()


def main():
    options = arguments()
    print(f'--seed {options.seed}')
    pick = random.Random(options.seed)
    tallies = {oracle: Tally() for oracle in options.oracle or ORACLES}
    for pair in options.files:
        path, _, debug = pair.partition('=')
        start, size = text_of(path)
        addresses = sorted(pick.sample(range(start, start + size), min(options.count, size)))
        ours = ask([options.print_lines, path] + ([debug] if debug else []), addresses)
        for oracle, tally in tallies.items():
            theirs = ask(ORACLES[oracle] + [path], addresses)
            for address in addresses:
                tally.add(path, address, ours.get(address, ()), theirs.get(address, ()))
    for oracle, tally in tallies.items():
        tally.print(oracle, options.examples)
        if not tally.answered or 100 * tally.calls / tally.answered < options.at_least:
            print(f'less than {options.at_least} %')
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
