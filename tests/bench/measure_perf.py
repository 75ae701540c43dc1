# SPDX-License-Identifier: Apache-2.0
"""measure_perf - the cost of a recording by perf in a window, and what it delivered

The cost of perf inside the kernel is not included: nothing there counts it.
"""
import os
import re
import signal
import struct
import subprocess
import time

import cgroup_cpu
import proc_usage

ROOTS = re.compile(r"^(_start|_?_?clone3?|_?_?thread_start|runtime\.goexit.*|runtime\.rt0_go.*|"
                   r"ret_from_fork.*)$")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.+) \((.*)\)$")
ENTRY_BYTES = 64   # _start of a program without symbols
JUDGED_SECONDS = 2 # of the window: the stacks that are read, since perf script is slow
SCRIPT_SECONDS = 120.0 # at most


def script(data, *arguments):
    try:
        return subprocess.run(["perf", "script", "-i", data] + list(arguments),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              errors="replace", check=False, timeout=SCRIPT_SECONDS).stdout
    except subprocess.TimeoutExpired:
        return ""


def entry(path):
    """Address of the first instruction of a 64-bit ELF file, or None."""
    try:
        with open(path, "rb") as file:
            head = file.read(32)
        return struct.unpack_from("<Q", head, 24)[0] if head[:5] == b"\x7fELF\x02" else None
    except OSError:
        return None


def is_root(frame):
    address, name, path = frame
    begin = entry(path)
    return bool(ROOTS.match(name)) or (begin is not None and begin <= address < begin + ENTRY_BYTES)


def user_stacks(out):
    """(stacks with user frames, of those the whole ones), from perf script -F ip,sym,dso."""
    stacks = whole = 0
    for block in out.split("\n\n"):
        frames = [(int(found[1], 16), found[2], found[3])
                  for found in map(FRAME.match, block.splitlines()) if found]
        user = [frame for frame in frames
                if frame[0] >> 63 == 0 and not frame[2].startswith("[kernel")]
        if user:
            stacks += 1
            whole += is_root(user[-1])
    return stacks, whole


def measure(how, seconds, hz, folder):
    """HOW: the options of perf record that choose the stacks. Return: one row of the table."""
    data = os.path.join(folder, "perf.data")
    cgroup = cgroup_cpu.CgroupCpu()
    process = subprocess.Popen(
        ["perf", "record", "-q", "-a", "-B", "-N", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock",
         "-F", str(hz), "-o", data] + how, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, preexec_fn=cgroup.enter)
    time.sleep(proc_usage.SETTLE)

    def now():
        used = cgroup.ns() if cgroup.exact else proc_usage.cpu_ns(process.pid)
        size = os.path.getsize(data) if os.path.exists(data) else 0
        return used, proc_usage.host()[0], time.monotonic(), size

    cpu, busy, begin, size = now()
    time.sleep(seconds)
    cpu_after, busy_after, end, size_after = now()
    peak = re.search(r"VmHWM:\s+(\d+)", proc_usage.text("/proc/%d/status" % process.pid))
    process.send_signal(signal.SIGINT)
    process.wait()
    cgroup.end()
    lines = script(data, "-F", "time").split()
    stamps = [float(line.rstrip(":")) for line in lines]
    judged = script(data, "-F", "ip,sym,dso", "--no-inline", "--time",
                    "%.6f,%.6f" % (begin, begin + min(seconds, JUDGED_SECONDS)))
    stacks, whole = user_stacks(judged)
    os.unlink(data)
    return {
        "cpu": (cpu_after - cpu) / 1e9, "bpf": None, "maps": None,
        "rss": int(peak[1]) * 1024 if peak else None, "busy": busy_after - busy,
        "whole": whole / stacks if stacks else None,
        "delivered": (sum(begin <= stamp < end for stamp in stamps) /
                      max(1.0, (busy_after - busy) * hz)),
        "ns": None, "frames": None, "written": (size_after - size) / (end - begin),
    }
