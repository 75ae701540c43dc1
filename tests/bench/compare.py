# SPDX-License-Identifier: Apache-2.0
"""compare - cost of two builds under one load: both record, their timers are enabled in turn

compare.py head | compare.py LOAD TIDEMARK_A TIDEMARK_B SECONDS ROUNDS HZ FOLDER [FIFO RECURSE]:
with FIFO, which each_cpu reads, stacks of 65 and of 5 frames of the program RECURSE take turns too.
"""
import atexit
import ctypes
import fcntl
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import time

import cgroup_cpu
import proc_usage

PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE = 0x2400, 0x2401
SYS_PIDFD_GETFD = 438
BPF_PROG_TYPE_PERF_EVENT = "7"
SETTLE = 5.0  # seconds after the start: unwind tables, first announcements
SWITCH = 0.3  # seconds after a switch: caches
TRIM = 0.2    # of the windows at each end, left out of a mean
RESAMPLES = 2000
DEEP, SHALLOW = 65, 5
FORM = "%-8s %-24s | %12s %12s | %7s %s"


class Variant:
    """A recording by one build, whose timers can be enabled and disabled."""

    def __init__(self, name, tidemark, hz, folder):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.cgroup = cgroup_cpu.CgroupCpu()
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                # Only one recording at a time has the cache of unwind tables.
                [tidemark, "record", "-v", "--no-cache", "-F", str(hz),
                 "--summary", self.folder + "/x.json",
                 "-o", self.folder + "/x.pb.gz", "-o", self.folder + "/x.folded"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=self.cgroup.enter)
        self.programs = proc_usage.find(self.process.pid, self._check_running)
        while "attached after" not in proc_usage.text(self.log):
            self._check_running()
            time.sleep(0.02)
        self.collector = self.programs["collector"][0]
        self.timers = self._copy_timers()

    def _check_running(self):
        if self.process.poll() is not None:
            raise SystemExit("a recording ended: %s" % proc_usage.text(self.log).strip()[:300])

    def _copy_timers(self):
        """Descriptors of our own for the perf events that the collector holds."""
        pidfd, found = os.pidfd_open(self.collector), []
        libc = ctypes.CDLL(None, use_errno=True)
        for path in glob.glob("/proc/%d/fd/*" % self.collector):
            try:
                if os.readlink(path) != "anon_inode:[perf_event]":
                    continue
            except OSError:
                continue
            fd = libc.syscall(SYS_PIDFD_GETFD, pidfd, int(os.path.basename(path)), 0)
            if fd < 0:
                raise SystemExit("pidfd_getfd: %s" % os.strerror(ctypes.get_errno()))
            found.append(fd)
        os.close(pidfd)
        if not found:
            raise SystemExit("the collector %d holds no perf event" % self.collector)
        return found

    def enable(self, on):
        for fd in self.timers:
            fcntl.ioctl(fd, PERF_EVENT_IOC_ENABLE if on else PERF_EVENT_IOC_DISABLE, 0)

    def reading(self):
        """{what: so far}"""
        now = {"cpu": self._cpu_ns(), "bpf": 0, "ns": 0, "runs": 0, "at": time.monotonic()}
        for path in glob.glob("/proc/%d/fdinfo/*" % self.collector):
            fields = dict(line.split(":", 1) for line in proc_usage.text(path).splitlines()
                          if ":" in line)
            ran = int(fields.get("run_time_ns", 0))
            now["bpf"] += ran
            if fields.get("prog_type", "").strip() == BPF_PROG_TYPE_PERF_EVENT:
                now["ns"] += ran
                now["runs"] += int(fields["run_cnt"])
        return now

    def _cpu_ns(self):
        if self.cgroup.exact:
            return self.cgroup.ns()
        return sum(proc_usage.cpu_ns(pid) for pids in self.programs.values() for pid in pids)

    def window(self, seconds):
        """What a window of that length costs; the timers of the others are disabled."""
        self._check_running()
        self.enable(True)
        time.sleep(SWITCH)
        before = self.reading()
        time.sleep(seconds)
        after = self.reading()
        self.enable(False)
        spent = {key: after[key] - before[key] for key in after}
        return {"sample_ns": spent["ns"] / spent["runs"] if spent["runs"] else None,
                "samples": spent["runs"] / spent["at"], "bpf_ms": spent["bpf"] / 1e6 / spent["at"],
                "cpu_ms": spent["cpu"] / 1e6 / spent["at"]}

    def end(self):
        """CPU s of the whole recording, resident and BPF map MB."""
        self.process.terminate()
        self.process.wait()
        cpu = self._cpu_ns() / 1e9 if self.cgroup.exact else None
        self.cgroup.end()
        read = json.loads(proc_usage.text(os.path.join(self.folder, "x.json")))
        return cpu, sum(read["rss_bytes"].values()) / 1e6, read["bpf_map_bytes"] / 1e6


def trimmed(values):
    cut = int(len(values) * TRIM)
    return statistics.fmean(sorted(values)[cut:len(values) - cut])


def ratio(pairs):
    """(mean of A, of B, their ratio, its interval of 95 %)"""
    a, b = trimmed([pair[0] for pair in pairs]), trimmed([pair[1] for pair in pairs])
    drawn, source = [], random.Random(1)
    for _ in range(RESAMPLES):
        again = [source.choice(pairs) for _ in pairs]
        below = trimmed([pair[0] for pair in again])
        if below:
            drawn.append(trimmed([pair[1] for pair in again]) / below)
    drawn.sort()
    if not a or not drawn:
        return a, b, None, None
    return a, b, b / a, (drawn[int(len(drawn) * 0.025)], drawn[int(len(drawn) * 0.975)])


def line(load, what, pairs, digits):
    pairs = [pair for pair in pairs if None not in pair]
    if not pairs:
        return
    a, b, share, interval = ratio(pairs)
    print(FORM % (load, what, "%.*f" % (digits, a), "%.*f" % (digits, b),
                  "-" if share is None else "%.3f" % share,
                  "" if interval is None else "(%.3f to %.3f)" % interval), flush=True)


def take_turns(variants, seconds):
    """{variant: window}, in random order"""
    order = list(variants)
    random.shuffle(order)
    return {variant: variant.window(seconds) for variant in order}


def pairs_of(rounds, variants, key):
    return [tuple(found[variant][key] for variant in variants) for found in rounds]


def measure_load(load, variants, seconds, rounds):
    found = [take_turns(variants, seconds) for _ in range(rounds)]
    if load != "idle": # hardly a sample
        line(load, "BPF ns a sample", pairs_of(found, variants, "sample_ns"), 0)
        line(load, "samples a second", pairs_of(found, variants, "samples"), 1)
    line(load, "BPF ms a second", pairs_of(found, variants, "bpf_ms"), 3)
    line(load, "CPU ms a second", pairs_of(found, variants, "cpu_ms"), 3)


def measure_frames(variants, seconds, rounds, fifo, recurse):
    each, deep, shallow = [], [], []
    with open(fifo, "w", buffering=1, encoding="ascii") as lines:
        for _ in range(rounds):
            found = {}
            for frames in (DEEP, SHALLOW):
                lines.write("%s %d m\n" % (recurse, frames))
                time.sleep(SWITCH)
                found[frames] = take_turns(variants, seconds)
            rows = [(found[DEEP][v]["sample_ns"], found[SHALLOW][v]["sample_ns"]) for v in variants]
            deep.append(tuple(row[0] for row in rows))
            shallow.append(tuple(row[1] for row in rows))
            if all(None not in row for row in rows):
                each.append(tuple((row[0] - row[1]) / (DEEP - SHALLOW) for row in rows))
    line("frames", "BPF ns, 65 frames", deep, 0)
    line("frames", "BPF ns, 5 frames", shallow, 0)
    line("frames", "BPF ns a frame", each, 1)


def stop(variants):
    for variant in variants:
        if variant.process.poll() is None:
            variant.process.terminate()
            variant.process.wait()


def main():
    if sys.argv[1] == "head":
        print(FORM % ("load", "", "A", "B", "B / A", "95 %"))
        return
    load, tidemark_a, tidemark_b, seconds, rounds, hz, folder, *more = sys.argv[1:]
    variants = []
    atexit.register(stop, variants) # one that goes on would be in all later figures
    for name, tidemark in (("A", tidemark_a), ("B", tidemark_b)):
        variants.append(Variant(name, tidemark, hz, folder))
    time.sleep(SETTLE)
    for variant in variants:
        variant.enable(False)
    begin = proc_usage.text("/proc/loadavg").split()[0]
    if more:
        measure_frames(variants, float(seconds), int(rounds), *more)
    else:
        measure_load(load, variants, float(seconds), int(rounds))
    (cpu_a, rss_a, maps_a), (cpu_b, rss_b, maps_b) = (variant.end() for variant in variants)
    print("%8s whole recording, start and report included: CPU s %s, %s; resident MB %.1f, %.1f; "
          "BPF map MB %.1f, %.1f; load average %s to %s" %
          ("", *("-" if cpu is None else "%.3f" % cpu for cpu in (cpu_a, cpu_b)), rss_a, rss_b,
           maps_a, maps_b, begin, proc_usage.text("/proc/loadavg").split()[0]), flush=True)


main()
