#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""every_cost - what a report every 5 s costs beside none, on node and on gcc; as root

every_cost.py TIDEMARK [SECONDS [ROUNDS]]: SECONDS (30) are measured of each recording, from 10 s
after its start on, so that files that were just met do not count. The two variants take turns in
ROUNDS (3) rounds. CPU time is that of all programs of tidemark and of the children they reaped.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import proc_usage

SETTLE = 10.0
NODE = "for (let o = {}, i = 0; ; i++) o[i % 9999] = JSON.stringify({i, at: [i, i * 2]}).split(',')"
GCC = "int f%d(int *p, int n) { int s = 0; while (n--) s += p[n] * %d; return s; }\n"
LOADS = ("node", "gcc")


def start_load(name, work):
    if name == "node":
        command = ["node", "-e", NODE]
    else:
        with open(work + "/a.c", "w", encoding="ascii") as file:
            file.writelines(GCC % (number, number) for number in range(3000))
        command = ["sh", "-c", "while :; do gcc -O2 -c -o %s/a.o %s/a.c; done" % (work, work)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)


def cpu_seconds(pids):
    return sum(proc_usage.cpu_ns(pid) for pid in pids) / 1e9


def measure(tidemark, work, seconds, arguments):
    """CPU seconds a second."""
    recording = subprocess.Popen([tidemark, "record", "-F", "99", "-o", work + "/x.folded"] +
                                 arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
    try:
        found = proc_usage.find(recording.pid, lambda: None)
        pids = {pid for group in found.values() for pid in group} | {recording.pid}
        time.sleep(SETTLE)
        begun, before = time.monotonic(), cpu_seconds(pids)
        time.sleep(seconds)
        return (cpu_seconds(pids) - before) / (time.monotonic() - begun)
    finally:
        recording.send_signal(signal.SIGINT)
        recording.wait()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1)) # the load ends as well
    tidemark = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    variants = {"none": [], "every 5 s": ["--every", "5"]}
    for load in LOADS:
        if not shutil.which(load):
            print("%s is not installed" % load)
            continue
        with tempfile.TemporaryDirectory(prefix="tidemark-bench.") as work:
            process = start_load(load, work)
            figures = {name: [] for name in variants}
            try:
                for turn in range(rounds):
                    for name in sorted(variants, reverse=turn % 2 == 1):
                        figures[name].append(measure(tidemark, work, seconds, variants[name]))
            finally:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        middle = {name: statistics.median(figures[name]) for name in variants}
        print("%-4s | %s | %+.1f %% (goal: at most +20 %%)" %
              (load, ", ".join("%s: %.4f CPUs (%s)" %
                               (name, middle[name], " ".join("%.4f" % f for f in figures[name]))
                               for name in variants),
               100.0 * (middle["every 5 s"] / middle["none"] - 1)), flush=True)


if __name__ == "__main__":
    main()
