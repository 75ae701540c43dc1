#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""go_lines - compares lines and inlined calls from Go's own table with DWARF and with Go's tool

usage: go_lines.py PRINT_LINES GO

A program is built, at a fixed address and position-independent, and stripped. What PRINT_LINES
then reads from the table must be the chain of calls that it reads in the DWARF of the whole
program and, of the first one, the line that `go tool addr2line` prints, at 99.8 % of random
addresses.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from elf_facts import text_of
from lines import ask

ADDRESSES = 5000
LEAST = 0.998  # before Go 1.20, DWARF lacks what is inlined in generated methods
INLINED = 100  # addresses with inlined calls, at least
PROGRAM = """package main

import "strings"

type point struct{ x, y int }

func (p point) sum() int { return p.x + p.y }

func helper(n int) int { return n*n + 1 }

func twice(n int) int { return helper(n) * 2 }

func main() {
	list := []string{"b", "a"}
	println(strings.Join(list, ","), twice(len(list)), point{1, 2}.sum())
}
"""


def ask_go(go, path, addresses):
    """By address: the name of the file, and the line."""
    output = subprocess.run([go, 'tool', 'addr2line', path], text=True, capture_output=True,
                            input=''.join(f'{address:#x}\n' for address in addresses),
                            check=True).stdout.splitlines()
    found = {}
    for address, place in zip(addresses, output[1::2]):
        name, _, line = place.rpartition(':')
        if line.isdigit() and line != '0':
            found[address] = os.path.basename(name), int(line)
    return found


def common(calls):
    """Before Go 1.20, DWARF has what the table leaves out of a generic function's name."""
    return [(re.sub(r'\[.*\]', '[...]', function), *place) for function, *place in calls]


def share(wrong, total, text):
    print(f'  {text}: {total - len(wrong)} of {total}', *wrong[:3], sep='\n    ')
    return total > ADDRESSES // 2 and total - len(wrong) >= LEAST * total


def judge(print_lines, go, work, mode):
    whole, stripped = os.path.join(work, mode), os.path.join(work, mode + '.stripped')
    subprocess.run([go, 'build', f'-buildmode={mode}', '-o', whole, work + '/main.go'], check=True,
                   env=os.environ | {'GOCACHE': work + '/cache'})
    subprocess.run(['strip', '-o', stripped, whole], check=True)
    start, size = text_of(whole)
    addresses = sorted(random.sample(range(start, start + size), ADDRESSES))
    ours = ask([print_lines, stripped], addresses)
    dwarf = {a: c for a, c in ask([print_lines, whole], addresses).items() if c[0][2]}
    lines = ask_go(go, whole, addresses) if mode == 'exe' else {}  # 1.19's tool knows no other
    print(f'-buildmode={mode}')
    good = share([f'{a:#x} {ours[a]} {c}' for a, c in dwarf.items()
                  if common(ours[a]) != common(c)], len(dwarf), 'calls as in DWARF')
    if lines:
        good &= share([f'{a:#x} {ours[a]} {p}' for a, p in lines.items() if ours[a][0][1:] != p],
                      len(lines), 'lines as from go tool addr2line')
    inlined = sum(len(calls) > 1 for calls in ours.values())
    print(f'  {inlined} addresses in inlined calls')
    return good and inlined >= INLINED


def main():
    print_lines, go = sys.argv[1:]
    seed = int(os.environ.get('TM_SEED', random.randrange(1 << 32)))
    print(f'TM_SEED={seed}')
    random.seed(seed)
    with tempfile.TemporaryDirectory() as work:
        with open(work + '/main.go', 'w', encoding='utf-8') as file:
            file.write(PROGRAM)
        results = [judge(print_lines, go, work, mode) for mode in ('exe', 'pie')]
    return not all(results)


if __name__ == '__main__':
    sys.exit(main())
