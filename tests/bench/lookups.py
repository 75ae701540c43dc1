# SPDX-License-Identifier: Apache-2.0
"""lookups - BPF time of a sample with and without mapping lookups, windows in turn

lookups.py TIDEMARK WITHOUT BPF_STATE SECONDS ROUNDS HZ FOLDER: WITHOUT is a `tidemark` whose BPF
programs look up no mapping.
"""
import statistics
import sys
import time

import recording

SETTLE = 2.0


def one_window(tidemark, bpf_state, seconds, hz, folder):
    running = recording.Recording(tidemark, bpf_state, hz, folder)
    time.sleep(SETTLE)
    counted = running.segment(seconds)
    running.end()
    return counted


def main():
    tidemark, without, bpf_state, seconds, rounds, hz, folder = sys.argv[1:]
    found = {tidemark: [], without: []}
    for _ in range(int(rounds)):
        for which, rows in found.items():
            rows.append(one_window(which, bpf_state, float(seconds), int(hz), folder))
    ns = {which: [row["ns"] / max(1, row["taken"]) for row in rows]
          for which, rows in found.items()}
    middle = {which: statistics.median(each) for which, each in ns.items()}
    total = {name: sum(row[name] for row in found[tidemark]) for name in found[tidemark][0]}
    lookups, cached, taken = total["lookups"], total["lookup_cached"], max(1, total["taken"])
    cached_share = 100.0 * cached / max(1, lookups + cached)
    price = middle[tidemark] - middle[without]
    print("pgbench, %s Hz, %s windows of %s s each way; BPF time of a sample, median (least, "
          "most):" %
          (hz, rounds, seconds))
    for name, which in (("with lookups", tidemark), ("without", without)):
        print("  %-13s %6.0f ns (%.0f, %.0f)" %
              (name, middle[which], min(ns[which]), max(ns[which])))
    print("  the lookups: %.0f ns a sample; %.2f lookups a sample, %.0f ns each with file and "
          "number; "
          "%.1f %% of all addresses answered by the mapping cache; %d of %d began again" %
          (price, lookups / taken, price * taken / max(1, lookups), cached_share,
           total["lookup_retries"], lookups))
    print("FIGURE mapping lookups under pgbench at %s Hz | %d samples | "
          "%.0f ns with, %.0f without; %.2f a sample, %.1f %% cached | printed" %
          (hz, taken, middle[tidemark], middle[without], lookups / taken, cached_share))


main()
