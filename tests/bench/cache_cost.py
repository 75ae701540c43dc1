#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cache_cost - what a recording costs with its tables in the cache, beside one without; as root

cache_cost.py TIDEMARK [SECONDS [ROUNDS]]: recordings of SECONDS (5) of node and of gcc. The first
one of each load fills the cache and is not counted; then the two variants take turns in ROUNDS (5)
rounds. CPU time is what the summary says of each program, its children included.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import every_cost

VARIANTS = ("cached", "without")


def record(tidemark, work, seconds, variant):
    """The summary of one recording."""
    cache = ["--cache", work + "/cache"] if variant == "cached" else ["--no-cache"]
    subprocess.run([tidemark, "record", "-F", "99", "-d", str(seconds), "-o", work + "/x.folded",
                    "--summary", work + "/x.json"] + cache, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(work + "/x.json", encoding="ascii") as file:
        return json.load(file)


def measure(tidemark, work, seconds, rounds, load):
    running = every_cost.start_load(load, work)
    try:
        time.sleep(1)
        record(tidemark, work, seconds, "cached")
        found = {variant: [] for variant in VARIANTS}
        for _ in range(rounds):
            for variant in VARIANTS:
                found[variant].append(record(tidemark, work, seconds, variant))
        return found
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def report(load, found):
    for variant, summaries in found.items():
        spent = {name: statistics.median(s["cpu_seconds"].get(name) or 0 for s in summaries)
                 for name in summaries[0]["cpu_seconds"]}
        total = [sum(value or 0 for value in s["cpu_seconds"].values()) for s in summaries]
        last = summaries[-1]
        print("%s %-8s %.3f CPU s (%.3f to %.3f); %s; %d tables, %d cached; symbols of %d cached; "
              "late %d" %
              (load, variant, statistics.median(total), min(total), max(total),
               ", ".join("%s %.3f" % item for item in spent.items()), last["tables_made"],
               last["tables_cached"], last["symbols_cached"], last["cache_late"]))


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1)) # the load ends as well
    tidemark = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        for load in every_cost.LOADS:
            report(load, measure(tidemark, work, seconds, rounds, load))


if __name__ == "__main__":
    main()
