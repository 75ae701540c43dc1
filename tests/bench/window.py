# SPDX-License-Identifier: Apache-2.0
"""window - one recording, its cost in a steady window and as a whole, as lines of the table

window.py TIDEMARK LOAD GOAL SECONDS HZ FOLDER PERF: the window of SECONDS begins 5 s after the
start, as in the baselines. The cost in the window comes from /proc/PID/schedstat of the programs
(and their waited-for children), the BPF time from the fdinfo of the collector's programs.
"""
import glob
import json
import os
import subprocess
import sys
import time

SETTLE = 5.0
NAMES = ("command", "collector", "opener", "symbolizer", "parser")


def text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def below(pid):
    found = [pid]
    for path in glob.glob("/proc/%d/task/*/children" % pid):
        for child in text(path).split():
            found += below(int(child))
    return found


def cpu_ns(pid):
    """Run time of a process and of its children that were waited for."""
    ran = text("/proc/%d/schedstat" % pid).split()
    stat = text("/proc/%d/stat" % pid).rpartition(")")[2].split()
    children = int(stat[13]) + int(stat[14]) if len(stat) > 14 else 0
    return (int(ran[0]) if ran else 0) + children * 10_000_000


def bpf_ns(pid):
    seen = {}
    for path in glob.glob("/proc/%d/fdinfo/*" % pid):
        fields = dict(line.split(":", 1) for line in text(path).splitlines() if ":" in line)
        if "run_time_ns" in fields:
            seen[fields["prog_id"]] = int(fields["run_time_ns"])
    return sum(seen.values())


def busy_ticks():
    fields = [int(n) for n in text("/proc/stat").splitlines()[0].split()[1:]]
    user, nice, system, _idle, _wait, irq, softirq = fields[:7]
    return user + nice + system + irq + softirq


def reading(programs):
    named = {name: sum(cpu_ns(pid) for pid in pids) for name, pids in programs.items()}
    return named, bpf_ns(programs["collector"][0]), busy_ticks()


def find(root):
    """{name: [pid]} once all five run."""
    while True:
        programs = {name: [] for name in NAMES}
        for pid in below(root):
            name = os.path.basename(text("/proc/%d/cmdline" % pid).split("\0")[0])
            name = "command" if name == "tidemark" else name.replace("tidemark-", "")
            if name in programs and not programs[name]:
                programs[name].append(pid)
        if all(programs.values()):
            return programs
        time.sleep(0.05)


def main():
    tidemark, load, goal, seconds, hz, folder, perf = sys.argv[1:]
    seconds, hz = float(seconds), int(hz)
    path = os.path.join(folder, "summary.json")
    log = open(os.path.join(folder, "out"), "w", encoding="utf-8")
    whole_before, began = busy_ticks(), time.monotonic()
    process = subprocess.Popen(
        [tidemark, "record", "-F", str(hz), "-d", str(SETTLE + seconds + 1), "--summary", path,
         "-o", os.path.join(folder, "x.html"), "-o", os.path.join(folder, "x.pb.gz")],
        stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    programs = find(process.pid)
    time.sleep(SETTLE)
    cpu0, bpf0, busy0 = reading(programs)
    time.sleep(seconds)
    cpu1, bpf1, busy1 = reading(programs)
    if process.wait() != 0:
        print("%-8s failed: %s" % (load, text(log.name).strip()[:200]))
        return
    read = json.loads(text(path))
    # Busy CPU time of the recording itself: start and end are not sampled.
    whole = (busy_ticks() - whole_before) / 100.0 * read["seconds"] / (time.monotonic() - began)
    cost = {name: (cpu1[name] - cpu0[name]) / 1e9 for name in NAMES}
    bpf = (bpf1 - bpf0) / 1e9
    total = sum(cost.values()) + bpf
    print("%-8s %s %6.3f %7.3f %7.3f | %6.1f %6.1f | %6.2f | %7d %7d %6d %6d | %6s" % (
        load, " ".join("%6.3f" % cost[name] for name in NAMES), bpf, total,
        float(goal) * seconds / 30 * hz / 99, sum(read["rss_bytes"].values()) / 1e6,
        read["bpf_map_bytes"] / 1e6, (busy1 - busy0) / 100.0, read["taken"], read["exported"],
        read["taken"] - read["exported"], read["not_run"], perf))
    print("%-8s whole recording: %.3f CPU s + %s BPF, kernel symbols included; "
          "in the window %.0f ns of BPF a sample; %.1f %% of hz x busy "
          "CPU delivered; truncated %d, unnamed frames %d" % (
              "", sum(read["cpu_seconds"].values()),
              "-" if read["bpf_seconds"] is None else "%.3f" % read["bpf_seconds"],
              bpf * 1e9 / max(1.0, (busy1 - busy0) / 100.0 * hz),
              100.0 * read["exported"] / max(1.0, whole * hz),
              sum(read["truncated"].values()), read["unnamed_frames"]))


if __name__ == "__main__":
    main()
