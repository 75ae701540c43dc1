# SPDX-License-Identifier: Apache-2.0
"""cost - the lines of one load in the table of cost and delivery: tidemark, and perf if wanted

cost.py head | cost.py LOAD TIDEMARK BPF_STATE SECONDS HZ FOLDER PEERS (1: with perf)
"""
import sys

import goals
import measure_perf
import measure_tidemark
from goals import number, ratio

PEERS = (("perf -g", ["-g"]), ("perf dwarf", ["--call-graph", "dwarf,16384"]))
HEAD = """\
CPU s: all programs of the agent with their children; BPF s: run time of its BPF programs (the work
of perf inside the kernel is counted nowhere); their sum, its goal, and the sum as a multiple of the
goal. MB: most resident memory, BPF maps. busy: CPU s of the host. taken: samples that reach the
output, of hz x busy. whole: user stacks that reach their root, of all. ns: BPF time of a sample,
its user frames, and that time divided by them."""
FORM = "%-8s %-10s |%7s %7s %7s %7s %5s |%6s %6s |%6s %7s %7s |%8s %6s %6s %7s"


def line(load, name, row, goal, sample_goal):
    total = row["cpu"] + (row["bpf"] or 0.0)
    each = row["ns"] / row["frames"] if row["ns"] and row["frames"] else None
    print(FORM % (
        load, name, number(row["cpu"], 3), number(row["bpf"], 3), number(total, 3),
        number(goal, 3), ratio(total, goal),
        number(row["rss"], 1, 1e-6), number(row["maps"], 1, 1e-6), number(row["busy"], 1),
        number(row["delivered"] if row["busy"] >= 1.0 else None, 1, 100),
        number(row["whole"], 2, 100), number(row["ns"], 0), number(row["frames"], 1),
        number(each, 0), number(sample_goal, 0)), flush=True)


def details(row):
    """CPU time by program, and figures of the whole recording."""
    read = row["summary"]
    cut = sorted(read["truncated"].items(), key=lambda item: -item[1])
    stops = ", ".join("%s %d" % item for item in cut if item[1])
    print("%19s |of it: %s; %d processes a second" % (
        "", ", ".join("%s %.3f" % item for item in row["named"].items()), row["started"]))
    print("%19s |whole recording: %.3f CPU s + %s BPF, kernel symbols included; taken %d, "
          "exported %d, not run %d; truncated: %s; frames without a name: %d of %d" %
          ("", sum(read["cpu_seconds"].values()), number(read["bpf_seconds"], 3), read["taken"],
           read["exported"], read["not_run"], stops or "none", read["unnamed_frames"],
           read["frames"]), flush=True)


def main():
    if sys.argv[1] == "head":
        print(HEAD)
        print(FORM %
              ("load", "agent", "CPU s", "BPF s", "sum", "goal", "x", "RSS", "maps", "busy",
               "taken%", "whole%",
                      "ns", "frames", "each", "goal"))
        print(FORM % ("", "goal", "", "", "", "", "1", number(goals.MEMORY, 0, 1e-6), "(sum)", "",
                      number(goals.DELIVERED, 1, 100), number(goals.WHOLE, 2, 100), "", "", "", ""))
        return
    load, tidemark, bpf_state, seconds, hz, folder, peers = sys.argv[1:]
    seconds, hz = float(seconds), int(hz)
    row = measure_tidemark.measure(tidemark, bpf_state, seconds, hz, folder)
    line(load, "tidemark", row, goals.cost(load, row["length"], hz), goals.SAMPLE.get((load, hz)))
    details(row)
    for name, how in PEERS if peers == "1" else ():
        line(load, name, measure_perf.measure(how, seconds, hz, folder), None, None)


main()
