#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory - prints what a recording needs beside --memory-max: all processes and BPF maps together

usage: memory.py BUILD [SECONDS [OPTION...]]

Processes by their proportional shares (PSS), the largest sum that was seen; BPF maps as the summary
has them. Pages of maps that the collector has mapped are left out of its share.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

LIMITS_MIB = (64, 128, 512)
PAUSE_S = 0.1


def descendants(root):
    parents = collections.defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parents[int(file.read().rsplit(")", 1)[1].split()[1])].append(int(name))
            except OSError:
                pass
    found, left = [], [root]
    while left:
        found.append(left.pop())
        left += parents[found[-1]]
    return found


def pss_kib(pid):
    """Of everything but BPF maps, and the name of the process."""
    total, counts = 0, True
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            name = file.read().strip()
        with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line[0] in "0123456789abcdef":
                    counts = "bpf-map" not in line
                elif line.startswith("Pss:") and counts:
                    total += int(line.split()[1])
    except OSError:
        return 0, ""
    return total, name


def measure(tidemark, limit, seconds, options):
    """Largest sum in KiB, its parts, and the summary."""
    with tempfile.TemporaryDirectory() as work:
        summary = os.path.join(work, "s.json")
        recording = subprocess.Popen(
            [tidemark, "record", "-d", str(seconds), "--memory-max", str(limit), "--no-cache",
             "-o", os.path.join(work, "r.html"), "--summary", summary, *options],
            stdout=subprocess.DEVNULL)
        most, parts = 0, {}
        while recording.poll() is None:
            now = collections.Counter()
            for pid in descendants(recording.pid):
                kib, name = pss_kib(pid)
                if name.startswith("tidemark"):
                    now[name] += kib
            if sum(now.values()) > most:
                most, parts = sum(now.values()), now
            time.sleep(PAUSE_S)
        if recording.returncode:
            return most, parts, None
        with open(summary, encoding="utf-8") as file:
            return most, parts, json.load(file)


def main():
    build, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "15"
    for limit in LIMITS_MIB:
        most, parts, read = measure(os.path.join(build, "cli", "tidemark"), limit, seconds,
                                    sys.argv[3:])
        if read is None:
            print(f"--memory-max {limit}: refused")
            continue
        maps = read["bpf_map_bytes"] / 2**20
        print(f"--memory-max {limit}: {most / 1024 + maps:.1f} MiB = processes {most / 1024:.1f} "
              f"+ BPF maps {maps:.1f}; budgets {read['memory_limit'] / 2**20:.1f}, at most "
              f"{read['memory_peak'] / 2**20:.1f} used; "
              + ", ".join(f"{name} {kib / 1024:.1f}" for name, kib in parts.most_common()))


if __name__ == "__main__":
    main()
