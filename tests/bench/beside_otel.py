# SPDX-License-Identifier: Apache-2.0
"""beside_otel - what tidemark and OpenTelemetry's eBPF profiler cost, in turn, under one load

beside_otel.py head | beside_otel.py LOAD TIDEMARK BPF_STATE PROFILER SECONDS LATER ROUNDS HZ FOLDER
GRPC HTTP: the ports of the one collector that both send to, every 5 s. What is new to each agent
falls into the first window, of SECONDS; another of LATER seconds begins PAUSE behind it.
"""
import glob
import os
import signal
import statistics
import subprocess
import sys
import time

import cgroup_cpu
import proc_usage
import recording
from goals import number

FORM = "%-8s %-9s %-6s |%8s %16s |%8s |%7s %7s |%6s"
WINDOWS = "first", "later"
EVERY = 5
PAUSE = 15.0
ATTACH_SECONDS = 60.0 # at most


def fields(path):
    return dict(line.split(":", 1) for line in proc_usage.text(path).splitlines() if ":" in line)


def map_bytes(pid):
    seen = {}
    for path in glob.glob("/proc/%d/fdinfo/*" % pid):
        about = fields(path)
        if "map_id" in about:
            seen[about["map_id"]] = int(about.get("memlock", 0))
    return sum(seen.values())


def most_resident(pids):
    return sum(int(fields("/proc/%d/status" % pid).get("VmHWM", "0 kB").split()[0]) * 1024
               for pid in pids)


def window(cgroup, loader, root, wait, seconds):
    """@loader: the process that has the BPF programs."""
    def now():
        return cgroup.ns(), proc_usage.bpf_ns(loader)
    time.sleep(wait)
    before = now()
    time.sleep(seconds)
    after = now()
    scale = 30 / seconds / 1e9
    return {"cpu": (after[0] - before[0]) * scale, "bpf": (after[1] - before[1]) * scale,
            "rss": most_resident(proc_usage.below(root)), "maps": map_bytes(loader)}


def windows(cgroup, loader, root, seconds, later):
    rows = [window(cgroup, loader, root, proc_usage.SETTLE, seconds)]
    return rows + [window(cgroup, loader, root, PAUSE, later)] if later else rows


def of_tidemark(tidemark, bpf_state, lengths, hz, folder, port):
    cgroup = cgroup_cpu.CgroupCpu()
    running = recording.Recording(tidemark, bpf_state, hz, folder, cgroup=cgroup, arguments=[
        "--every", str(EVERY), "--otlp-endpoint", "http://127.0.0.1:%s" % port])
    rows = windows(cgroup, running.collector, running.process.pid, *lengths)
    running.end()
    cgroup.end()
    return rows


def of_otel(profiler, lengths, hz, folder, port):
    cgroup = cgroup_cpu.CgroupCpu()
    with open(os.path.join(folder, "otel.log"), "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [profiler, "-collection-agent", "127.0.0.1:%s" % port, "-disable-tls",
             "-samples-per-second", str(hz), "-reporter-interval", "%ds" % EVERY,
             "-no-kernel-version-check"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=cgroup.enter)
    end = time.monotonic() + ATTACH_SECONDS
    while not proc_usage.bpf_ns(process.pid): # attached
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(proc_usage.text(log.name)[-1000:])
        time.sleep(0.1)
    rows = windows(cgroup, process.pid, process.pid, *lengths)
    process.send_signal(signal.SIGINT)
    process.wait()
    cgroup.end()
    return rows


def line(load, name, which, rows, than):
    sums = [row["cpu"] + row["bpf"] for row in rows]
    middle = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
    ratio = statistics.median(mine / other for mine, other in zip(sums, than)) if than else None
    print(FORM % (load, name, which, number(statistics.median(sums), 3),
                  "(%.3f, %.3f)" % (min(sums), max(sums)), number(middle["bpf"], 3),
                  number(middle["rss"], 1, 1e-6), number(middle["maps"], 1, 1e-6),
                  number(ratio, 2)), flush=True)
    return sums


def main():
    if sys.argv[1] == "head":
        print("CPU and BPF s per 30 s: median, least and most; BPF s of it; MB; of OTel, in pairs")
        print(FORM % ("load", "agent", "window", "s", "", "BPF s", "RSS", "maps", "ratio"))
        return
    load, tidemark, bpf_state, profiler, seconds, later, rounds, hz, folder, grpc, http = \
        sys.argv[1:]
    lengths = float(seconds), float(later)
    theirs, ours = [], []
    for _ in range(int(rounds)):
        theirs.append(of_otel(profiler, lengths, hz, folder, grpc))
        ours.append(of_tidemark(tidemark, bpf_state, lengths, hz, folder, http))
    for which, their_rows, our_rows in zip(WINDOWS, zip(*theirs), zip(*ours)):
        line(load, "tidemark", which, our_rows, line(load, "OTel", which, their_rows, None))


main()
