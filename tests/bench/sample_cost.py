# SPDX-License-Identifier: Apache-2.0
"""sample_cost - BPF time of a sample and of a user frame, at several rates that take turns

sample_cost.py LOAD TIDEMARK BPF_STATE SECONDS ROUNDS FOLDER HZ...: one recording of SECONDS for
each rate in each round.
"""
import statistics
import sys
import time

import goals
import recording
from goals import number, ratio

FORM = "%-8s %5s | %8s %17s %8s %5s | %6s %6s %7s %8s"
SETTLE = 4.0 # until tables are installed and caches are filled


def measure(tidemark, bpf_state, hz, seconds, folder):
    running = recording.Recording(tidemark, bpf_state, hz, folder)
    time.sleep(SETTLE)
    counted = running.segment(seconds)
    running.end()
    taken = max(1, counted["taken"])
    counted["each"] = counted["ns"] / taken
    counted["frames"] = 1 + (counted.get("steps_by_table", 0) +
                             counted.get("steps_by_frame_pointer", 0)) / taken
    return counted


def line(load, hz, rows):
    ns = [row["each"] for row in rows]
    frames = statistics.median(row["frames"] for row in rows)
    goal, middle = goals.SAMPLE.get((load, hz)), statistics.median(ns)
    taken = sum(row["taken"] for row in rows)
    print(FORM % (load, hz, number(middle, 0), "(%.0f, %.0f)" % (min(ns), max(ns)), number(goal, 0),
                  ratio(middle, goal), number(frames, 1), number(middle / frames, 0),
                  number(sum(row.get("steps_by_frame_pointer", 0)
                             for row in rows) / max(1, taken), 2),
                  number(sum(row["lookups"] for row in rows) / max(1, taken), 2)), flush=True)


def main():
    if sys.argv[1] == "head":
        print(FORM % ("load", "hz", "ns", "(least, most)", "goal", "x", "frames", "each", "pointer",
                      "lookups"))
        return
    load, tidemark, bpf_state, seconds, rounds, folder, *rates = sys.argv[1:]
    found = {int(hz): [] for hz in rates}
    for _ in range(int(rounds)):
        for hz, rows in found.items():
            rows.append(measure(tidemark, bpf_state, hz, float(seconds), folder))
    for hz, rows in found.items():
        line(load, hz, rows)


main()
