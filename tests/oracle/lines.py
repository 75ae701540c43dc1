#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lines - compares our functions, inlined calls and lines with those of three other readers

usage: lines.py [--at-least PERCENT] [--right-at-least PERCENT] [--seed N] [--count N] [--total N]
                [--with-debug-files] [--examples] [--oracle NAME] PRINT_LINES FILE...

Random addresses of .text in the files and in those below the folders, at most --count a file and
--total in all. Separate debug files are found by build id below /usr/lib/debug, by us and by the
others; --with-debug-files leaves out what has none. An address counts where the oracle knows a
line. Prints, for each oracle, the share of addresses whose line, and whose whole chain of calls, is
the same, and the differences by cause. At each difference, readelf and the others are asked:
where no symbol covers the address, or where another reader says what we say, the oracle is wrong.
A second pair of shares is that of the other addresses. Ends with 1 if the share of equal chains is
below --at-least, or the second one below --right-at-least.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
# pylint: disable-next=wrong-import-position
from elf_facts import Symbols, add_options, choose_addresses, debug_files_of

ORACLES = {
    'addr2line': ['addr2line', '-a', '-f', '-i', '-e'],
    'eu-addr2line': ['eu-addr2line', '-a', '-f', '-i', '-A', '-e'],
    'llvm-symbolizer': ['llvm-symbolizer', '-a', '-f', '-i', '--no-demangle',
                        '--output-style=GNU', '-e'],
}


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


def same_calls(ours, theirs):
    """The outermost function bears the symbol table's name, which is not compared here."""
    plain = [[call[1:] if i == len(calls) - 1 else call for i, call in enumerate(calls)]
             for calls in (ours, theirs)]
    return plain[0] == plain[1]


def agrees(witness, ours):
    """The same calls, where a witness that cannot read a name says none."""
    return len(witness) == len(ours) and all(
        theirs[1:] == own[1:] and (theirs[0] in ('??', own[0]) or i == len(ours) - 1)
        for i, (theirs, own) in enumerate(zip(witness, ours)))


class Tally:
    def __init__(self):
        self.answered = self.lines = self.calls = self.wrong_lines = self.wrong_calls = 0
        self.causes = collections.Counter()
        self.examples = {}

    def add(self, place, ours, theirs, why_wrong):
        """@why_wrong: says why theirs is wrong, None when nothing shows that it is."""
        # Line 0 is no answer: some take the file's name from the symbol table.
        if not theirs or not theirs[0][2]:
            return
        self.answered += 1
        cause = cause_of(ours, theirs)
        same_line = bool(ours) and ours[0][1:] == theirs[0][1:]
        same = same_calls(ours, theirs)
        self.lines += same_line
        self.calls += same
        if not same:
            wrong = why_wrong()
            cause += f': oracle wrong, {wrong}' if wrong else ': NOT EXPLAINED'
            self.wrong_calls += wrong is not None
            self.wrong_lines += wrong is not None and not same_line
        if cause:
            self.causes[cause] += 1
            self.examples.setdefault(cause, (place, ours, theirs))

    def print(self, oracle, examples):
        """Return: the share of equal chains, and that without what the oracle is wrong about."""
        if not self.answered:
            print(f'{oracle}: no answer')
            return 0, 0
        lines, calls = (100 * count / self.answered for count in (self.lines, self.calls))
        right_lines = 100 * self.lines / max(self.answered - self.wrong_lines, 1)
        right_calls = 100 * self.calls / max(self.answered - self.wrong_calls, 1)
        print(f'{oracle}: of {self.answered} answered, line equal {lines:.3f} %, chain equal '
              f'{calls:.3f} %; where the oracle is right {right_lines:.3f} %, {right_calls:.3f} %')
        for cause, count in self.causes.most_common():
            print(f'    {count:7} {cause}')
            if examples:
                place, ours, theirs = self.examples[cause]
                print(f'            {place}\n            ours   {ours}\n'
                      f'            theirs {theirs}')
        return calls, right_calls


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--at-least', type=float, default=0)
    parser.add_argument('--right-at-least', type=float, default=0)
    add_options(parser)
    parser.add_argument('--examples', action='store_true')
    parser.add_argument('--oracle', choices=list(ORACLES), action='append')
    parser.add_argument('print_lines')
    parser.add_argument('files', nargs='+')
    return parser.parse_args()


class Witnesses:
    """readelf and the other readers, which are asked where an oracle says something else."""

    def __init__(self, path, debug, ours):
        self.path, self.ours = path, ours
        self.calls = {name: {} for name in ORACLES if shutil.which(name)}
        self.symbols = Symbols(filter(None, (path, debug)))

    def ask(self, addresses):
        for name, calls in self.calls.items():
            unknown = [address for address in addresses if address not in calls]
            if unknown:
                calls |= ask(ORACLES[name] + [self.path], unknown)

    def against(self, oracle, address):
        """Why the oracle is wrong, None when nothing shows that it is."""
        if not self.symbols.covers(address):
            return 'no symbol covers the address'
        ours = self.ours.get(address, ())
        if agrees(self.calls.get(oracle, {}).get(address, ()), ours):
            return 'it has no name for an inlined function'
        for name, calls in reversed(self.calls.items()):
            if name != oracle and agrees(calls.get(address, ()), ours):
                return f'{name} says what we say'
        return None


def judge_file(path, addresses, print_lines, tallies):
    debug, alternate = debug_files_of(path)
    files = [path, debug or path, alternate] if alternate else [path, debug] if debug else [path]
    ours = ask([print_lines, *files], addresses)
    witnesses = Witnesses(path, debug, ours)
    for oracle, tally in tallies.items():
        theirs = ask(ORACLES[oracle] + [path], addresses)
        witnesses.calls.setdefault(oracle, {}).update(theirs)
        witnesses.ask([address for address, calls in theirs.items()
                       if not same_calls(ours.get(address, ()), calls)])
        for address in addresses:
            tally.add(f'{path} {address:#x}', ours.get(address, ()), theirs.get(address, ()),
                      lambda a=address, o=oracle: witnesses.against(o, a))


def main():
    options = arguments()
    tallies = {oracle: Tally() for oracle in options.oracle or ORACLES}
    for path, addresses in choose_addresses(options, options.files):
        judge_file(path, addresses, options.print_lines, tallies)
    failed = False
    for oracle, tally in tallies.items():
        share, right = tally.print(oracle, options.examples)
        failed |= share < options.at_least or right < options.right_at_least
    return failed


if __name__ == '__main__':
    sys.exit(main())
