#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""watch_units - writes down what tidemark's units in a booted Debian need, until it is ended

watch_units.py INIT FILE [SECONDS]: INIT is the process of the Debian's systemd. Every SECONDS a
line of JSON: {"at": seconds since 1970, "units": {NAME: {"pss", "descriptors", "pids"}},
"memfd": bytes, "total": bytes, "status": what `tidemark status --json` says, or null}.

`pss` is without BPF maps, which `status` has, and without memfds, whose pages are counted once,
whether they are mapped, open in a process, or both. `total` is all of that.
"""
import collections
import json
import os
import re
import subprocess
import sys
import time

INIT, FILE = sys.argv[1:3]
PERIOD = float(sys.argv[3]) if len(sys.argv) > 3 else 1
MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ (\d+) *(.*)")


def members():
    """{unit: [pid]} of tidemark, below the namespace of INIT."""
    here = os.readlink("/proc/%s/ns/pid" % INIT)
    found = collections.defaultdict(list)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cgroup" % pid, encoding="utf-8") as file:
                unit = re.search(r"/tidemark-([a-z]+)\.service$", file.read(), re.MULTILINE)
            if unit and os.readlink("/proc/%s/ns/pid" % pid) == here:
                found[unit.group(1)].append(pid)
        except OSError:
            pass
    return found


def memory_of(pid, memfds):
    """Bytes of its share; memfds: {inode: bytes} are added to."""
    own, mapped, inode, counts = 0, collections.Counter(), "", True
    with open("/proc/%s/smaps" % pid, encoding="utf-8", errors="replace") as file:
        for line in file:
            found = MAPPING.match(line)
            if found:
                inode = found.group(1) if found.group(2).startswith("/memfd:") else ""
                counts = "bpf-map" not in found.group(2)
            elif line.startswith("Pss:") and counts and not inode:
                own += int(line.split()[1]) << 10
            elif line.startswith("Rss:") and inode:
                mapped[inode] += int(line.split()[1]) << 10
    for inode, size in mapped.items():
        memfds[inode] = max(memfds[inode], size)
    return own


def descriptors_of(pid, memfds):
    names = os.listdir("/proc/%s/fd" % pid)
    for name in names:
        path = "/proc/%s/fd/%s" % (pid, name)
        try:
            if os.readlink(path).startswith("/memfd:"):
                status = os.stat(path)
                memfds[str(status.st_ino)] = max(memfds[str(status.st_ino)], status.st_blocks * 512)
        except OSError:
            pass
    return len(names)


def status():
    run = subprocess.run(["nsenter", "--target", INIT, "--all", "tidemark", "status", "--json"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def look():
    units, memfds = {}, collections.Counter()
    for unit, pids in members().items():
        about = units[unit] = {"pss": 0, "descriptors": 0, "pids": []}
        for pid in pids:
            try:
                about["pss"] += memory_of(pid, memfds)
                about["descriptors"] += descriptors_of(pid, memfds)
                about["pids"].append(int(pid))
            except OSError:
                pass # it has ended
    now = {"at": time.time(), "units": units, "memfd": sum(memfds.values()), "status": status()}
    now["total"] = now["memfd"] + sum(about["pss"] for about in units.values())
    if now["status"]:
        now["total"] += int(now["status"]["bpf_map_bytes"])
    return now


def main():
    with open(FILE, "a", encoding="utf-8") as file:
        while os.path.exists("/proc/" + INIT):
            due = time.monotonic() + PERIOD
            print(json.dumps(look()), file=file, flush=True)
            time.sleep(max(0, due - time.monotonic()))


main()
