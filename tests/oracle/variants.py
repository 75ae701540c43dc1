#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""variants - the same answers from a debug file in every form in which it may be delivered

usage: variants.py [--seed N] [--count N] PRINT_SYMBOLS PRINT_LINES [FILE...]

Of two small programs and of each file, stripped, and its debug file (below /usr/lib/debug, or what
the file itself has): with sections compressed by zlib and by zstd, and after `dwz -m` of all,
functions, calls and lines at random addresses of .text must be those of the plain debug file; with
the symbols only in .gnu_debugdata, so must be the names of functions, and those of a program
compiled with -gsplit-dwarf. At least half of the addresses in each file must have a line.
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from elf_facts import add_options, choose_addresses, debug_files_of, readelf
from lines import ask
from names import Ranges

PROGRAM = """
#include <stdio.h>
%s
int main(int argc, char **argv) { (void)argv; return %s; }
"""
FUNCTION = """
static inline int half_%(i)d(int n) { return n / 2 + puts("half"); }
static __attribute__((noinline)) int whole_%(i)d(int n)
{
	puts("whole");
	return half_%(i)d(n + %(i)d);
}
"""
FUNCTIONS = 100
LEAST_LINES = 0.5  # of the addresses


def run(*command):
    subprocess.run(command, check=True)


class Case:
    """A file, its debug file, and what is read of them."""

    def __init__(self, work, index, path):
        self.path = path
        self.stripped, self.debug = (os.path.join(work, f'{index}.{end}')
                                     for end in ('stripped', 'debug'))
        run('strip', '--strip-all', '-o', self.stripped, path)
        debug = debug_files_of(path)[0]
        run('objcopy', *([] if debug else ['--only-keep-debug']), '--decompress-debug-sections',
            debug or path, self.debug)
        self.addresses, self.lines, self.names = [], {}, []

    def made(self, end, *options):
        """A copy of the debug file, by objcopy."""
        run('objcopy', *options, self.debug, self.debug + end)
        return self.debug + end

    def has_alternate(self):
        return '.gnu_debugaltlink' in readelf('-S', self.debug)

    def with_minidebug(self):
        """The stripped file with all symbols in .gnu_debugdata, but without lines."""
        symbols = self.made('.symbols', '--strip-debug', '--remove-section=.comment')
        run('xz', '-k', symbols)
        run('objcopy', '--add-section', f'.gnu_debugdata={symbols}.xz', self.stripped,
            self.stripped + '.mini')
        return self.stripped + '.mini'


class Judge:
    def __init__(self, print_symbols, print_lines):
        self.print_symbols, self.print_lines = print_symbols, print_lines
        self.failed = False

    def say(self, case, form, expected, found):
        wrong = [address for address in case.addresses
                 if expected.get(address) != found.get(address)]
        print(f'{case.path}, {form}: {len(case.addresses) - len(wrong)} of {len(case.addresses)}')
        for address in wrong[:3]:
            print(f'    {address:#x} {found.get(address)}, not {expected.get(address)}')
        self.failed |= bool(wrong) or not case.addresses

    def names(self, case, *paths):
        ranges = Ranges(self.print_symbols, paths)
        return {address: ranges.name_at(address) for address in case.addresses}

    def lines(self, case, *paths):
        return ask([self.print_lines, *paths], case.addresses)

    def judge(self, case):
        lines = self.lines(case, case.stripped, case.debug)
        known = sum(calls[0][2] > 0 for calls in lines.values())
        self.failed |= known < LEAST_LINES * len(case.addresses)
        names = self.names(case, case.debug, case.stripped)
        for form in 'zlib', 'zstd':
            debug = case.made('.' + form, f'--compress-debug-sections={form}')
            self.say(case, form, lines, self.lines(case, case.stripped, debug))
            self.say(case, f'{form}, names', names, self.names(case, debug, case.stripped))
        self.say(case, '.gnu_debugdata, names', names, self.names(case, case.with_minidebug()))

    def judge_dwz(self, cases, work):
        """dwz moves what several debug files have into another file, where that saves space."""
        plain = [self.lines(case, case.stripped, case.debug) for case in cases]
        common = os.path.join(work, 'common.debug')
        run('dwz', '-m', common, '-M', common, *(case.debug for case in cases))
        moved = 0
        for case, lines in zip(cases, plain):
            if case.has_alternate():
                moved += 1
                self.say(case, 'dwz -m', lines,
                         self.lines(case, case.stripped, case.debug, common))
        self.failed |= not moved

    def judge_split(self, case, split):
        """Without the .dwo file, the other readers know no line there, either."""
        self.say(case, '-gsplit-dwarf, names', self.names(case, case.path), self.names(case, split))


def compile_program(work, name, option, functions):
    path = os.path.join(work, name)
    with open(path + '.c', 'w', encoding='utf-8') as file:
        file.write(PROGRAM % (''.join(FUNCTION % {'i': i} for i in range(functions)),
                              ' + '.join(f'whole_{i}(argc)' for i in range(functions))))
    run('cc', '-O2', option, '-o', path, path + '.c')
    return path


def main():
    parser = argparse.ArgumentParser()
    add_options(parser)
    parser.add_argument('print_symbols')
    parser.add_argument('print_lines')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    judge = Judge(options.print_symbols, options.print_lines)
    with tempfile.TemporaryDirectory() as work:
        cases = []
        made = [compile_program(work, f'made_{functions}', '-g', functions)
                for functions in (FUNCTIONS, 2 * FUNCTIONS)]
        for path, addresses in choose_addresses(options, made + options.files):
            cases.append(Case(work, len(cases), path))
            cases[-1].addresses = addresses
            judge.judge(cases[-1])
        # Debian's own have an alternative file already.
        judge.judge_dwz([case for case in cases if not case.has_alternate()], work)
        judge.judge_split(cases[0], compile_program(work, 'split', '-gsplit-dwarf', FUNCTIONS))
    return judge.failed


if __name__ == '__main__':
    sys.exit(main())
