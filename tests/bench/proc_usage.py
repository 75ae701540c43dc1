# SPDX-License-Identifier: Apache-2.0
"""proc_usage - processes, CPU time and BPF time of a recording, from /proc"""
import glob
import os
import time

SETTLE = 5.0 # seconds from the start of an agent to its window
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
    """Run time of a process and of those of its children that it has waited for."""
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


def host():
    """(busy CPU seconds, processes started) since boot; time stolen by a hypervisor is not busy."""
    lines = text("/proc/stat").splitlines()
    user, nice, system, _idle, _wait, irq, softirq = [int(n) for n in lines[0].split()[1:8]]
    started = next(int(line.split()[1]) for line in lines if line.startswith("processes"))
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK"), started


def reading(programs):
    named = {name: sum(cpu_ns(pid) for pid in pids) for name, pids in programs.items()}
    return named, bpf_ns(programs["collector"][0]), host()[0]


def find(root, check=lambda: None):
    """{name: [pid]} once all five run; CHECK raises an exception if they never will."""
    while True:
        check()
        programs = {name: [] for name in NAMES}
        for pid in below(root):
            name = os.path.basename(text("/proc/%d/cmdline" % pid).split("\0")[0])
            name = "command" if name == "tidemark" else name.replace("tidemark-", "")
            if name in programs and not programs[name]:
                programs[name].append(pid)
        if all(programs.values()):
            return programs
        time.sleep(0.05)
