#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lines_cost - what functions, inlined calls and lines cost in the parser and in other readers

usage: lines_cost.py [--rounds N] [--seed N] [--reader NAME]... BUILD FILE[=DEBUG_FILE]...

The same random addresses of .text, ascending, in one run, the readers taking turns: 100, 10,000 and
200,000 of them. CPU time is that of user and kernel, load and start included; the median of the
rounds. Memory is the largest process's. Asserts nothing.
"""
import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

COUNTS = 100, 10_000, 200_000
SECONDS_MOST = 60  # of one reader; it is left out beyond
READERS = {
    'addr2line': ['addr2line', '-a', '-f', '-i', '-e'],
    'eu-addr2line': ['eu-addr2line', '-a', '-f', '-i', '-e'],
    'llvm-symbolizer': ['llvm-symbolizer', '-f', '-i', '--no-demangle', '--output-style=GNU', '-e'],
}


def text_of(path):
    """Address and size of .text."""
    listing = subprocess.run(['readelf', '-SW', path], capture_output=True, text=True, check=False)
    match = re.search(r'\] \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)', listing.stdout)
    if not match:
        sys.exit(f'{path} has no .text')
    return int(match[1], 16), int(match[2], 16)


def run_reader(command, addresses):
    """(ms of CPU, KiB), or None when it took too long."""
    addresses.seek(0)
    process = subprocess.Popen(command, stdin=addresses, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + SECONDS_MOST
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > deadline:
            process.kill()
        time.sleep(0.002)
    process.returncode = status
    if status:
        return None
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss


def run_ours(build, files, addresses):
    addresses.seek(0)
    answer = subprocess.run([f'{build}/tests/bench/ask_lines',
                             f'{build}/symbolizer/parser/tidemark-parser', *files],
                            stdin=addresses, capture_output=True, text=True, check=False).stdout
    status, calls, _, cpu_ms, kib = answer.split()
    if status != '0' or calls == '0':
        sys.exit(f'{files[0]}: status {status}, {calls} calls')
    return float(cpu_ms), int(kib)


def measure(build, path, debug, addresses, rounds, asked):
    """By reader: [(ms of CPU, KiB), ...]."""
    found = {'ours': []}
    readers = {name: command for name, command in READERS.items()
               if name in asked and shutil.which(command[0])}
    for _ in range(rounds):
        found['ours'].append(run_ours(build, [path] + ([debug] if debug else []), addresses))
        for name, command in list(readers.items()):
            taken = run_reader(command + [path], addresses)
            if taken is None:
                del readers[name]
            else:
                found.setdefault(name, []).append(taken)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 32))
    parser.add_argument('--reader', choices=list(READERS), action='append')
    parser.add_argument('build')
    parser.add_argument('files', nargs='+')
    options = parser.parse_args()
    pick = random.Random(options.seed)
    print(f'--seed {options.seed}\n{"file":24} {"addresses":>9} {"reader":>16} {"CPU ms":>9} '
          f'{"ratio":>7} {"MiB":>6}')
    for pair in options.files:
        path, _, debug = pair.partition('=')
        start, size = text_of(path)
        for count in COUNTS:
            chosen = sorted(pick.sample(range(start, start + size), min(count, size)))
            with tempfile.TemporaryFile('w+') as addresses:
                addresses.write(''.join(f'{address:#x}\n' for address in chosen))
                addresses.flush()
                found = measure(options.build, path, debug, addresses, options.rounds,
                                options.reader or READERS)
            ours = statistics.median(cpu for cpu, _ in found['ours'])
            for name, taken in found.items():
                cpu = statistics.median(cpu for cpu, _ in taken)
                print(f'{os.path.basename(path):24} {len(chosen):9} {name:>16} {cpu:9.1f} '
                      f'{cpu / ours:7.2f} {max(kib for _, kib in taken) / 1024:6.1f}', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
