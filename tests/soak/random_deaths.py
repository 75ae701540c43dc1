#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_deaths - stops or kills a process of a recording at any moment of its life

usage: random_deaths.py TIDEMARK [RUNS [SEED]]: 100 runs by default. Each victim dies (SIGKILL) or
is stopped for a while (SIGSTOP) at a moment between the start of the command and behind the end of
what it records. What has to hold stands in deaths.py.
"""
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import deaths

LATEST_S = 4.5  # of a signal: reading symbols, writing and ending are later than deaths.LENGTH_S


def strike(processes, name, kind, chance):
    """Signals a process of that name, if there is one. What was done."""
    victims = [pid for (pid, _), comm in processes.items() if comm == name]
    if not victims:
        return "none"
    pid = chance.choice(victims)
    try:
        os.kill(pid, kind)
        if kind == signal.SIGSTOP:
            time.sleep(chance.uniform(*deaths.STOPPED_S))  # how long is part of the test
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return "none"
    return "stopped" if kind == signal.SIGSTOP else "killed"


def run(tidemark, socket, chance, counts):
    folder = tempfile.mkdtemp(prefix="tidemark-deaths.")
    os.chmod(folder, 0o711)
    name, kind = chance.choice(deaths.PROGRAMS), chance.choice((signal.SIGKILL, signal.SIGSTOP))
    after = chance.uniform(0, LATEST_S)
    recorder = deaths.start(tidemark, folder, socket)
    time.sleep(after)
    processes = deaths.descendants(recorder.pid)
    done = strike(processes, name, kind, chance)
    processes |= deaths.descendants(recorder.pid)
    try:
        _, said = recorder.communicate(timeout=deaths.ENDS_S)
        # what dies behind the recording may have done its work
        wrong = deaths.judge(folder, recorder.returncode, said,
                             done == "killed" and after < deaths.LENGTH_S)
    except subprocess.TimeoutExpired:
        wrong, said = [f"does not end: {deaths.alive(processes)}"], ""
        recorder.kill()
        recorder.communicate()
    wrong += deaths.left(processes)
    counts[done, recorder.returncode] += 1
    for sentence in wrong:
        print(f"WRONG: {name} {done} after {after:.3f} s: {sentence}; it said: "
              f"{said.strip()[:400]}", flush=True)
    shutil.rmtree(folder)
    return not wrong


def main():
    tidemark, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)
    chance, counts = random.Random(seed), collections.Counter()
    print(f"seed {seed}", flush=True)
    with deaths.receiver() as socket:
        failed = sum(not run(tidemark, socket, chance, counts) for _ in range(runs))
    return deaths.say(counts, runs, failed)


if __name__ == "__main__":
    sys.exit(main())
