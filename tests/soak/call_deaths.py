#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""call_deaths - kills or stops a process of a recording as it enters a certain system call

usage: call_deaths.py TIDEMARK STRIKE_AT_CALL [RUNS [SEED]]: without RUNS, every program at the
first, the middle and the last one of each system call that it makes in a recording, with SIGKILL
and with SIGSTOP; else so many of these, by chance. What has to hold stands in deaths.py. TM_JOBS:
recordings at a time, 1 by default: they mostly wait.
"""
import collections
import concurrent.futures
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import deaths

STOPPED_MS = tuple(int(1000 * seconds) for seconds in deaths.STOPPED_S)
NUMBERS = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
STARTER = "tidemark-starte"

Strike = collections.namedtuple("Strike", "program call nth signal ms")


def names():
    """{number: name} of the system calls."""
    with open(NUMBERS, encoding="ascii") as file:
        return {int(number): name for name, number in re.findall(r"__NR_(\w+) (\d+)", file.read())}


def counted(program, tidemark, socket):
    """{(program, call): count} of one recording."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        report = folder + "/report"
        process = deaths.start(tidemark, folder, socket, (program, "count", report))
        _, said = process.communicate(timeout=10 * deaths.ENDS_S)
        if process.returncode:
            sys.exit(f"exit code {process.returncode} of a recording under ptrace: {said}")
        with open(report, encoding="utf-8") as file:
            rows = [line.rsplit(" ", 2) for line in file]
    return {(name, int(call)): int(count) for name, call, count in rows
            if name in deaths.PROGRAMS}


def strikes(counts):
    """All of them, in a fixed order."""
    found = []
    for (program, call), count in sorted(counts.items()):
        for nth in sorted({1, (count + 1) // 2, count}):
            found.append(Strike(program, call, nth, signal.SIGKILL, 0))
            found += [Strike(program, call, nth, signal.SIGSTOP, ms) for ms in STOPPED_MS]
    return found


def read_report(path):
    """(milliseconds since the start, name of the victim's parent), or nothing."""
    with open(path, encoding="utf-8") as file:
        words = file.read().split()
    return (int(words[1]), words[2]) if words else None


def end_of(process, seen):
    """What it wrote to its stderr, once it has ended; @seen gets what runs below it meanwhile."""
    deadline = time.monotonic() + deaths.ENDS_S
    while True:
        seen |= deaths.descendants(process.pid)
        try:
            return process.communicate(timeout=0.2)[1]
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                raise


def run(program, tidemark, socket, strike):
    """(what is wrong, what it said, its end)"""
    folder = tempfile.mkdtemp(prefix="tidemark-deaths.")
    os.chmod(folder, 0o711)
    report = folder + ".report"
    how = (program, "strike", report, strike.program, str(strike.call), str(strike.nth),
           str(int(strike.signal)), str(strike.ms))
    process, seen = deaths.start(tidemark, folder, socket, how), {}
    try:
        said = end_of(process, seen)
        struck = read_report(report)
        # A worker's death is its parent's to mend; what dies behind the recording has done all.
        silent = (struck and strike.signal == signal.SIGKILL and struck[1] == STARTER and
                  struck[0] < 1000 * deaths.LENGTH_S)
        wrong = deaths.judge(folder, process.returncode, said, silent)
    except subprocess.TimeoutExpired:
        wrong, said, struck = [f"does not end: {deaths.alive(seen)}"], "", None
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    wrong += deaths.left(seen)
    shutil.rmtree(folder)
    os.remove(report)
    end = signal.Signals(strike.signal).name if struck else "none", process.returncode
    return wrong, said, end


def main():
    tidemark, program = sys.argv[1:3]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(2**32)
    called, counts, failed = names(), collections.Counter(), 0
    with deaths.receiver() as socket:
        chosen = strikes(counted(program, tidemark, socket))
        print(f"{len(chosen)} strikes are possible", flush=True)
        if len(sys.argv) > 3:
            print(f"seed {seed}", flush=True)
            chosen = random.Random(seed).sample(chosen, min(int(sys.argv[3]), len(chosen)))
        pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("TM_JOBS", "1")))
        ends = pool.map(lambda strike: run(program, tidemark, socket, strike), chosen)
        for strike, (wrong, said, end) in zip(chosen, ends):
            counts[end] += 1
            failed += bool(wrong)
            for sentence in wrong:
                print(f"WRONG: {strike.program} at {called[strike.call]} number {strike.nth}, "
                      f"{signal.Signals(strike.signal).name} {strike.ms}: {sentence}; it said: "
                      f"{said.strip()[:400]}", flush=True)
    return deaths.say(counts, len(chosen), failed)


if __name__ == "__main__":
    sys.exit(main())
