#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""off_cpu_memory - kernel memory and start time of a recording with --off-cpu; as root

off_cpu_memory.py BUILD [THREADS [STARTS]]: prints what --off-cpu adds to the memory of the BPF maps
and programs at the start, whether the rings depend on the CPUs that tidemark itself may use, the
slab memory of each of THREADS (20,000) sleeping threads and what is left of it when they have
ended, the share of their sleeps that is accounted for, and the time until a recording begins, of
STARTS (10) for each way. Asserts nothing.
"""
import collections
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import proc_usage

PAGE = os.sysconf("SC_PAGE_SIZE")
RINGBUF = "27" # the kernel's number of the type
GROWING = "rows" # unwind tables, which come with the sampled files
SLEEPS = 3
SETTLE = 10 # seconds until the kernel has freed what threads had
SLAB = "/sys/kernel/slab"


class Recording:
    """`tidemark record` in the background; returns when sampling is attached."""

    def __init__(self, build, *options, prefix=()):
        self.work = tempfile.TemporaryDirectory()
        os.chmod(self.work.name, 0o755)
        self.build = build
        self.summary = self.work.name + "/x.json"
        begun = time.monotonic()
        self.process = subprocess.Popen(
            [*prefix, build + "/cli/tidemark", "record", "-v", "-F", "99", "--no-lines",
             "--summary", self.summary, "-o", self.work.name + "/x.folded", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.process.stderr:
            said += line
            if "attached after" in line:
                break
        else:
            sys.exit("the recording does not begin: " + said)
        self.seconds = time.monotonic() - begun

    def memory(self):
        """{(kind, type, name): [bytes]} of maps and programs, those that grow left out."""
        collector = proc_usage.find(self.process.pid)["collector"][0]
        out = subprocess.run([self.build + "/tests/soak/bpf_memory", str(collector)], check=True,
                             capture_output=True, text=True).stdout
        found = collections.defaultdict(list)
        for line in out.splitlines():
            kind, number, name, size = line.split()
            if name != GROWING:
                found[kind, number, name].append(int(size))
        return found

    def end(self):
        """What it counted."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.stderr.read()
        self.process.wait()
        with open(self.summary, encoding="utf-8") as file:
            return json.load(file)


def memory_of(build, *options, prefix=()):
    recording = Recording(build, *options, prefix=prefix)
    found = recording.memory()
    recording.end()
    return found


def show_start(build):
    without, with_it = memory_of(build), memory_of(build, "--off-cpu")
    sums = collections.Counter()
    print("what --off-cpu adds at the start, bytes:")
    for key in sorted(set(without) | set(with_it)):
        added = sum(with_it.get(key, ())) - sum(without.get(key, ()))
        part = "rings" if key[1] == RINGBUF else key[0] + "s"
        sums[part] += added
        if added:
            print("  %-5s %-18s %9d" % (key[0], key[2], added))
    print("  maps %d, programs %d: %.1f KiB (goal: 256); rings %d" %
          (sums["maps"], sums["progs"], (sums["maps"] + sums["progs"]) / 1024, sums["rings"]))
    for name, found in (("without", without), ("with", with_it)):
        print("  all maps and programs %s: %.2f MiB" %
              (name, sum(map(sum, found.values())) / 2**20))


def show_affinity(build):
    def rings(found):
        return [size for key, sizes in found.items() if key[1] == RINGBUF for size in sizes]

    print("rings: %s; where tidemark may use one CPU: %s" %
          (rings(memory_of(build, "--off-cpu")),
           rings(memory_of(build, "--off-cpu", prefix=("taskset", "-c", "0")))))


def slabs():
    """{cache: bytes of its pages}, after each has given back what it can."""
    for path in glob.glob(SLAB + "/*/shrink"):
        if not os.path.islink(os.path.dirname(path)):
            with open(path, "w", encoding="ascii") as file:
                file.write("1")
    found = {}
    with open("/proc/slabinfo", encoding="ascii") as file:
        for words in map(str.split, list(file)[2:]):
            found[words[0]] = int(words[14]) * int(words[5]) * PAGE
    return found


def make_sleepers(build, threads, sleeps):
    sleepers = subprocess.Popen([build + "/tests/bench/sleepers", str(threads), str(sleeps)],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if sleepers.stdout.readline() != "ready\n":
        sys.exit("the sleepers could not be made")
    return sleepers


def threads_cost(build, threads, *options):
    """({cache: bytes while they sleep}, the same once they have ended), above what was before."""
    recording = Recording(build, *options)
    before = slabs()
    sleepers = make_sleepers(build, threads, 0)
    time.sleep(1)
    during = slabs()
    sleepers.communicate()
    time.sleep(SETTLE)
    after = slabs()
    recording.end()
    return tuple({name: now[name] - before[name] for name in before if name in now}
                 for now in (during, after))


def show_threads(build, threads):
    without, with_it = (threads_cost(build, threads, *options) for options in ((), ("--off-cpu",)))
    for what, at in (("while they sleep", 0), ("once they have ended", 1)):
        added = {name: with_it[at][name] - without[at].get(name, 0) for name in with_it[at]}
        kmalloc = {name: size for name, size in added.items() if name.startswith("kmalloc")}
        shown = ", ".join("%s %.1f" % (name, size / threads) for name, size in kmalloc.items()
                          if abs(size) / threads > 2)
        print("%d threads, slab bytes of each that --off-cpu adds %s: %.1f (%s)%s" %
              (threads, what, sum(kmalloc.values()) / threads, shown,
               "; goal: 352" if at == 0 else ""))


def show_sleeps(build, threads):
    # Shorter times than the sleeps are left out, so that what is taken can be compared with them.
    recording = Recording(build, "--off-cpu", "--off-cpu-rate", "100000", "--off-cpu-min", "3s",
                          "--no-cache")
    sleepers = make_sleepers(build, threads, SLEEPS)
    count, ns = map(int, sleepers.communicate()[0].split())
    counted = recording.end()["off_cpu"]
    print("%d sleeps of %.3f s: %s" % (count, ns / 1e9, json.dumps(counted)))


def show_times(build, starts):
    sleeper = make_sleepers(build, 1, 0)
    for name, options in (("the whole host", ()), ("-p PID", ("-p", str(sleeper.pid))),
                          ("--off-cpu-rate 1", ("--off-cpu-rate", "1")),
                          ("--off-cpu-rate 100000", ("--off-cpu-rate", "100000"))):
        seconds = []
        for _ in range(starts):
            recording = Recording(build, "--off-cpu", *options)
            seconds.append(recording.seconds)
            recording.end()
        print("start, %s: median %.3f s, worst %.3f s of %d; goal: 1 s" %
              (name, statistics.median(seconds), max(seconds), starts))
    sleeper.communicate()


def main():
    build = sys.argv[1]
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    starts = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    show_start(build)
    show_affinity(build)
    show_threads(build, threads)
    show_sleeps(build, threads)
    show_times(build, starts)


main()
