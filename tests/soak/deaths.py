# SPDX-License-Identifier: Apache-2.0
"""deaths - what must hold of a recording in which a program dies or is stopped, and how it is begun

For random_deaths and call_deaths: the command has to end in time, with a known exit code, a
sentence where it is not 0, a summary that balances, whole outputs or none, and no process left.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

LENGTH_S = 2  # of a recording
STOPPED_S = (0.05, 6)  # shorter and longer than every deadline between the programs
ENDS_S = 60  # behind the signal, and a stop
PROGRAMS = ("tidemark-collec", "tidemark-opener", "tidemark-symbol", "tidemark-parser",
            "tidemark-starte", "tidemark-export", "tidemark-spool")
RECEIVER = os.path.join(os.path.dirname(__file__), "..", "lib", "otlp_receiver.py")
CODES = (0, 1, 4)  # README, "Exit codes"


@contextlib.contextmanager
def receiver():
    """The socket of a receiver of reports, beside a program without which an idle host would have
    no samples, and so an empty output."""
    with tempfile.TemporaryDirectory() as received:
        os.chmod(received, 0o711)
        socket = os.path.join(received, "socket")
        process = subprocess.Popen([sys.executable, RECEIVER, received, socket],
                                   stdout=subprocess.PIPE)
        process.stdout.readline()  # it listens
        os.chmod(socket, 0o666)
        busy = subprocess.Popen([sys.executable, "-c", "while True: sorted(range(1000))"])
        try:
            yield socket
        finally:
            for each in (process, busy):
                each.kill()
                each.wait()


def start(tidemark, folder, socket, before=()):
    """A recording into the folder, as the arguments of the command @before."""
    return subprocess.Popen(
        [*before, tidemark, "record", "-F", "199", "-d", str(LENGTH_S),
         "--summary", folder + "/x.json", "-o", folder + "/x.folded", "-o", folder + "/x.html",
         "--spool", folder + "/spool", "--otlp-endpoint", "unix://" + socket],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True, encoding="utf-8", errors="replace")


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


def left(processes):
    """What is wrong if some of them do not end, a sentence each."""
    deadline = time.monotonic() + 5
    while (found := alive(processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [f"still running: {found}"] if found else []


def judge(folder, code, said, silent):
    """What is wrong, a sentence each."""
    wrong, empty = [], []
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
            empty.append(name)
    summary = os.path.join(folder, "x.json")
    if os.path.exists(summary) and "x.json" not in empty:
        with open(summary, encoding="utf-8") as file:
            read = json.load(file)
        dropped = sum(read["dropped"].values())
        if read["taken"] != read["exported"] + dropped:
            wrong.append(f"taken {read['taken']} is not {read['exported']} + {dropped}")
        if not read["exported"]: # such as when the collector dies as the first sample wakes it
            empty = [name for name in empty if name != "x.folded"]
    elif code == 0:
        wrong.append("no summary")
    return wrong + [f"{name} is empty" for name in empty]


def say(counts, runs, failed):
    """The table of how the recordings ended. Return: the exit code."""
    for (done, code), count in sorted(counts.items()):
        print(f"  {done}, exit code {code}: {count}")
    print(f"{runs} runs, {failed} failed")
    return failed > 0
