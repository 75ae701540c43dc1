#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""switch_cost - what off-CPU sampling adds to a context switch that is not sampled; as root

switch_cost.py BUILD [PAIRS [OPTION...]]: PAIRS (30) times one second with `record --off-cpu`, one
with programs that do nothing at the same tracepoints, and one without, of two processes that wake
each other on the last CPU; tidemark runs on the first. The recording's target is one stack a
second, and its timer is at 1 Hz. With OPTIONs `record` gets these in place of `--off-cpu
--off-cpu-rate 1`. Prints ns a switch: the median without, and the median and quartiles of what
each of the two adds, in pairs. TM_BESIDE='COMMAND': another program that hooks sched_switch and
ends by SIGINT (`offcputime 3600` of libbpf-tools) takes its turn too; then the ratio of what
tidemark adds to what it adds is printed, of the medians.
"""
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

WINDOW = 1.0
SETTLE = 1.0 # after the hooks are attached


class PingPong:
    """lines: [(seconds, switches)]"""

    def __init__(self, program, cpu):
        self.lines = []
        self.process = subprocess.Popen([program, str(cpu)], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            ns, switches = line.split()
            self.lines.append((int(ns) / 1e9, int(switches)))

    def ns_each(self, begin, end):
        inside = [line for line in self.lines if begin <= line[0] <= end]
        return (inside[-1][0] - inside[0][0]) * 1e9 / (inside[-1][1] - inside[0][1])


def recorded(build, options, load):
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        command = [build + "/cli/tidemark", "record", "-F", "1", "-o", work + "/x.folded"]
        return beside(command + options, "sched_waking", load)


def beside(command, hook, load):
    """With a program that is ready once it has a program at this tracepoint."""
    profiler = subprocess.Popen(["taskset", "-c", "0"] + command, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_hook(profiler, hook)
        time.sleep(SETTLE)
        return watched(load)
    finally:
        profiler.send_signal(signal.SIGINT)
        profiler.wait()


def wait_for_hook(profiler, hook):
    while profiler.poll() is None:
        text = subprocess.run(["bpftool", "link", "show"], capture_output=True, text=True).stdout
        if hook in text:
            return
        time.sleep(0.05)
    sys.exit("switch_cost: a profiler ended before it was measured")


def hooked(build, load):
    """With empty programs."""
    hooks = subprocess.Popen([build + "/tests/bench/empty_hooks"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    try:
        if hooks.stdout.readline() != "ready\n":
            sys.exit("switch_cost: the empty hooks could not be attached")
        time.sleep(SETTLE)
        return watched(load)
    finally:
        hooks.stdin.close()
        hooks.wait()


def watched(load):
    begin = time.monotonic()
    time.sleep(WINDOW)
    return load.ns_each(begin, time.monotonic())


def show(what, added):
    low, middle, high = statistics.quantiles(added, n=4) if len(added) > 1 else added * 3
    print("%s adds: median %.0f ns, quartiles %.0f and %.0f" % (what, middle, low, high))


def main():
    build = sys.argv[1]
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    options = sys.argv[3:] or ["--off-cpu", "--off-cpu-rate", "1"]
    other = shlex.split(os.environ.get("TM_BESIDE", ""))
    load = PingPong(build + "/tests/bench/ping_pong", os.cpu_count() - 1)
    without, empty, added, others = [], [], [], []
    try:
        time.sleep(WINDOW)
        for _ in range(pairs):
            without.append(watched(load))
            empty.append(hooked(build, load) - without[-1])
            added.append(recorded(build, options, load) - without[-1])
            if other:
                others.append(beside(other, "sched_switch", load) - without[-1])
    finally:
        load.process.kill()
    print("a switch without takes %.0f ns (median of %d)" % (statistics.median(without), pairs))
    show("an empty program at each tracepoint", empty)
    show("record " + " ".join(options), added)
    if others:
        show(" ".join(other), others)
        print("ratio of the medians: %.2f" % (statistics.median(added) / statistics.median(others)))


main()
