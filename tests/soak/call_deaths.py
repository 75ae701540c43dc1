#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""call_deaths - kills or stops a process of a recording as it enters a certain system call

usage: call_deaths.py TIDEMARK STRIKE_AT_CALL [RUNS [SEED]]: without RUNS, every program at the
first, the middle and the last one of each system call that it makes in a recording, with SIGKILL
and with SIGSTOP; else so many of these, by chance. What has to hold is what random_deaths asks for.
"""
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import random_deaths as deaths

STOPPED_MS = (50, 6000)  # shorter and longer than every deadline between the programs
NUMBERS = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
STARTER = "tidemark-starte"

Strike = collections.namedtuple("Strike", "program call nth signal ms")


def names():
    """{number: name} of the system calls."""
    with open(NUMBERS, encoding="ascii") as file:
        return {int(number): name for name, number in re.findall(r"__NR_(\w+) (\d+)", file.read())}


def command(tidemark, folder, receiver):
    return [tidemark, "record", "-F", "199", "-d", str(deaths.LENGTH_S),
            "--summary", folder + "/x.json", "-o", folder + "/x.folded", "-o", folder + "/x.html",
            "--spool", folder + "/spool", "--otlp-endpoint", "unix://" + receiver]


def start(how, arguments):
    return subprocess.Popen([*how, *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            start_new_session=True, encoding="utf-8", errors="replace")


def counted(program, tidemark, receiver):
    """{(program, call): count} of one recording."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        report = folder + "/report"
        process = start([program, "count", report], command(tidemark, folder, receiver))
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


def run(program, tidemark, receiver, strike, counts):
    folder = tempfile.mkdtemp(prefix="tidemark-deaths.")
    os.chmod(folder, 0o711)
    report = folder + ".report"
    how = [program, "strike", report, strike.program, str(strike.call), str(strike.nth),
           str(int(strike.signal)), str(strike.ms)]
    process, seen = start(how, command(tidemark, folder, receiver)), {}
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
    deadline = time.monotonic() + 5
    while (left := deaths.alive(seen)) and time.monotonic() < deadline:
        time.sleep(0.05)
    if left:
        wrong.append(f"still running: {left}")
    counts[signal.Signals(strike.signal).name if struck else "none", process.returncode] += 1
    shutil.rmtree(folder)
    os.remove(report)
    return wrong, said


def main():
    tidemark, program = sys.argv[1:3]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(2**32)
    called, counts, failed = names(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as received:
        os.chmod(received, 0o711)
        receiver = os.path.join(received, "socket")
        process = subprocess.Popen([sys.executable, deaths.RECEIVER, received, receiver],
                                   stdout=subprocess.PIPE)
        process.stdout.readline()  # it listens
        os.chmod(receiver, 0o666)
        chosen = strikes(counted(program, tidemark, receiver))
        print(f"{len(chosen)} strikes are possible", flush=True)
        if len(sys.argv) > 3:
            print(f"seed {seed}", flush=True)
            chosen = random.Random(seed).sample(chosen, min(int(sys.argv[3]), len(chosen)))
        for strike in chosen:
            wrong, said = run(program, tidemark, receiver, strike, counts)
            failed += bool(wrong)
            for sentence in wrong:
                print(f"WRONG: {strike.program} at {called[strike.call]} number {strike.nth}, "
                      f"{signal.Signals(strike.signal).name} {strike.ms}: {sentence}; it said: "
                      f"{said.strip()[:400]}", flush=True)
        process.kill()
        process.wait()
    for (done, code), count in sorted(counts.items()):
        print(f"  {done}, exit code {code}: {count}")
    print(f"{len(chosen)} runs, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
