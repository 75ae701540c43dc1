#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_deaths - stops or kills a process of a recording at any moment of its life

usage: random_deaths.py TIDEMARK [RUNS [SEED]]: 100 runs by default. Each victim dies (SIGKILL) or
is stopped for a while (SIGSTOP) at a moment between the start of the command and behind the end of
what it records. Then the command has to end in time, with a known exit code, a sentence where it
is not 0, a summary that balances, whole outputs or none, and no process left.
"""
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LENGTH_S = 2  # of a recording
LATEST_S = 4.5  # of a signal: reading symbols, writing and ending are later than LENGTH_S
STOPPED_S = (0.05, 6)  # shorter and longer than every deadline between the programs
ENDS_S = 60  # behind the signal, and a stop
PROGRAMS = ("tidemark-collec", "tidemark-opener", "tidemark-symbol", "tidemark-parser",
            "tidemark-starte", "tidemark-export", "tidemark-spool")
RECEIVER = os.path.join(os.path.dirname(__file__), "..", "lib", "otlp_receiver.py")
CODES = (0, 1, 4)  # README, "Exit codes"


def stat(pid):
    """(command name, parent, start time) of a process that is no zombie, or nothing."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
    except (OSError, IndexError):
        return None
    fields = rest.split()
    return None if fields[0] == "Z" else (name, int(fields[1]), fields[19])


def descendants(root):
    """{(pid, start time): command name} of a process and those below it."""
    found = {int(pid): about for pid in filter(str.isdigit, os.listdir("/proc"))
             if (about := stat(pid))}
    below = {root}
    for _ in found:
        more = {pid for pid, (_, parent, _) in found.items() if parent in below} - below
        if not more:
            break
        below |= more
    return {(pid, found[pid][2]): found[pid][0] for pid in below if pid in found}


def alive(processes):
    return {pid: name for (pid, start), name in processes.items()
            if (about := stat(pid)) and about[2] == start}


def strike(processes, name, kind, chance):
    """Signals a process of that name, if there is one. What was done."""
    victims = [pid for (pid, _), comm in processes.items() if comm == name]
    if not victims:
        return "none"
    pid = chance.choice(victims)
    try:
        os.kill(pid, kind)
        if kind == signal.SIGSTOP:
            time.sleep(chance.uniform(*STOPPED_S))  # how long is part of the test
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return "none"
    return "stopped" if kind == signal.SIGSTOP else "killed"


def judge(folder, code, said, silent):
    """What is wrong, a sentence each."""
    wrong = []
    if code not in CODES:
        wrong.append(f"exit code {code}")
    if code and not said.strip():
        wrong.append(f"exit code {code} without a sentence")
    if silent and not said.strip():
        wrong.append("nothing is said of a death")
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name == "spool":
            continue
        if name not in ("x.folded", "x.html", "x.json"):
            wrong.append(f"left behind: {name}")
        elif not os.path.getsize(path):
            wrong.append(f"{name} is empty")
    summary = os.path.join(folder, "x.json")
    if os.path.exists(summary):
        with open(summary, encoding="utf-8") as file:
            read = json.load(file)
        dropped = sum(read["dropped"].values())
        if read["taken"] != read["exported"] + dropped:
            wrong.append(f"taken {read['taken']} is not {read['exported']} + {dropped}")
    elif code == 0:
        wrong.append("no summary")
    return wrong


def run(tidemark, receiver, chance, counts):
    folder = tempfile.mkdtemp(prefix="tidemark-deaths.")
    os.chmod(folder, 0o711)
    name, kind = chance.choice(PROGRAMS), chance.choice((signal.SIGKILL, signal.SIGSTOP))
    after = chance.uniform(0, LATEST_S)
    recorder = subprocess.Popen(
        [tidemark, "record", "-F", "199", "-d", str(LENGTH_S), "--summary", folder + "/x.json",
         "-o", folder + "/x.folded", "-o", folder + "/x.html", "--spool", folder + "/spool",
         "--otlp-endpoint", "unix://" + receiver],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True, encoding="utf-8", errors="replace")
    time.sleep(after)
    processes = descendants(recorder.pid)
    done = strike(processes, name, kind, chance)
    processes |= descendants(recorder.pid)
    try:
        _, said = recorder.communicate(timeout=ENDS_S)
        # what dies behind the recording may have done its work
        wrong = judge(folder, recorder.returncode, said, done == "killed" and after < LENGTH_S)
    except subprocess.TimeoutExpired:
        wrong, said = [f"does not end: {alive(processes)}"], ""
        recorder.kill()
        recorder.communicate()
    deadline = time.monotonic() + 5
    while alive(processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    if alive(processes):
        wrong.append(f"still running: {alive(processes)}")
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
    with tempfile.TemporaryDirectory() as received:
        os.chmod(received, 0o711)
        receiver = os.path.join(received, "socket")
        process = subprocess.Popen([sys.executable, RECEIVER, received, receiver],
                                   stdout=subprocess.PIPE)
        process.stdout.readline()  # it listens
        os.chmod(receiver, 0o666)
        failed = sum(not run(tidemark, receiver, chance, counts) for _ in range(runs))
        process.kill()
        process.wait()
    for (done, code), count in sorted(counts.items()):
        print(f"  {done}, exit code {code}: {count}")
    print(f"{runs} runs, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
