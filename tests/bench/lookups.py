# SPDX-License-Identifier: Apache-2.0
"""lookups - BPF run time of a sample with and without mapping lookups, windows in turn

lookups.py TIDEMARK WITHOUT KEPT SECONDS ROUNDS HZ FOLDER
"""
import statistics
import sys
import time

import room

SETTLE = 2.0


def reading(recording):
    """Counters of the levels, and run time of the program that samples."""
    counted = recording.levels()
    runs = [numbers for name, numbers in recording.runs().items() if name.startswith("sample_")]
    counted["runs"] = sum(numbers[0] for numbers in runs)
    counted["ns"] = sum(numbers[1] for numbers in runs)
    return counted


def one_window(tidemark, kept, seconds, hz, folder):
    recording = room.Recording(tidemark, kept, hz, folder)
    time.sleep(SETTLE)
    before = reading(recording)
    time.sleep(seconds)
    after = reading(recording)
    recording.end()
    return {name: after[name] - before[name] for name in after}


def main():
    tidemark, without, kept, seconds, rounds, hz, folder = sys.argv[1:]
    found = {tidemark: [], without: []}
    for _ in range(int(rounds)):
        for which, rows in found.items():
            rows.append(one_window(which, kept, float(seconds), int(hz), folder))
    ns = {which: [row["ns"] / max(1, row["taken"]) for row in rows] for which, rows in found.items()}
    total = {name: sum(row[name] for row in found[tidemark]) for name in found[tidemark][0]}
    lookups, cached = total["lookups"], total["lookup_cached"]
    taken = max(1, total["taken"])
    price = statistics.median(ns[tidemark]) - statistics.median(ns[without])
    print("pgbench, %s Hz, %s windows of %s s each way; BPF time of a sample, median (least, most):" %
          (hz, rounds, seconds))
    for name, which in (("with lookups", tidemark), ("without", without)):
        print("  %-13s %6.0f ns (%.0f, %.0f)" % (name, statistics.median(ns[which]), min(ns[which]), max(ns[which])))
    print("  the lookups: %.0f ns a sample; %.2f lookups a sample, %.0f ns each with file and number; %.1f %% of "
          "all addresses answered by the per-sample cache; %d of %d began again" %
          (price, lookups / taken, price * taken / max(1, lookups), 100.0 * cached / max(1, lookups + cached),
           total["lookup_retries"], lookups))
    print("FIGURE mapping lookups under pgbench at %s Hz | %d samples | %.0f ns with, %.0f without; %.2f a sample, %.1f %% cached | printed" %
          (hz, taken, statistics.median(ns[tidemark]), statistics.median(ns[without]), lookups / taken,
           100.0 * cached / max(1, lookups + cached)))


main()
