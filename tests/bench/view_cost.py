#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""view_cost - time and memory of a picture of one hour out of 24 of a busy host

usage: tests/bench/view_cost.py BUILD [ROUNDS]
A made-up spool with a report every 5 s is written for 24 hours of hosts with 16 and 64 CPUs at
19 Hz; then `tidemark view` shows one hour of it. Goal: below 2 s, within --memory-max.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

START, SECONDS = 1795400000, 5
DAY = 86400 // SECONDS
FIRST, END = 12000, 12000 + 3600 // SECONDS
GOAL_SECONDS = 2


def rfc3339(number):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + number * SECONDS))


def measure(tidemark, spool, output):
    """(seconds, seconds of CPU): of one picture."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([tidemark, "view", "--spool", spool, "--from", rfc3339(FIRST), "--to",
                    rfc3339(END), "-o", output], check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    tidemark = os.path.join(build, "cli/tidemark")
    make_spool = os.path.join(build, "tests/interop/make_spool")
    for cpus in (16, 64):
        with tempfile.TemporaryDirectory() as work:
            spool, output = os.path.join(work, "spool"), os.path.join(work, "hour.html")
            os.mkdir(spool)
            subprocess.run([make_spool, spool, str(START), str(DAY), str(SECONDS),
                            str(cpus * 19 * SECONDS), str(FIRST), str(END), "/dev/null"],
                           check=True)
            size = sum(os.path.getsize(os.path.join(spool, name)) for name in os.listdir(spool))
            runs = sorted(measure(tidemark, spool, output) for _ in range(rounds))
            seconds, cpu = runs[len(runs) // 2]
            print("%d CPUs: 24 h in %d MiB; one hour: %.2f s (CPU %.2f s, fastest %.2f s), "
                  "page of %.1f MiB, goal %d s" %
                  (cpus, size >> 20, seconds, cpu, runs[0][0],
                   os.path.getsize(output) / (1 << 20), GOAL_SECONDS))
    # Of all children; the largest is the viewer.
    print("memory: %d MiB at most" %
          (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10))


main()
