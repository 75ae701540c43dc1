# SPDX-License-Identifier: Apache-2.0
"""measure_tidemark - the cost of a recording by tidemark in a window, and what it delivered

CPU time of all its programs from a cgroup of their own, and of each from /proc/PID/schedstat; BPF
time from the fdinfo of the collector's programs; samples and frames from the BPF side's counters.
"""
import json
import os
import time

import cgroup_cpu
import recording
from proc_usage import NAMES, SETTLE, host, reading, text

WITHOUT_USER = ("exec", "exiting") # no user stack to be complete


def user_stacks(path):
    """(samples with a user stack, of those the whole ones), from folded text."""
    stacks = whole = 0
    for line in text(path).splitlines():
        frames, _, count = line.rpartition(" ")
        frames = frames.split(";")[1:]
        cut = frames and frames[0].startswith("[truncated: ")
        reason = frames.pop(0)[len("[truncated: "):-1] if cut else ""
        if reason in WITHOUT_USER or all(frame.endswith("_[k]") for frame in frames):
            continue
        stacks += int(count)
        whole += 0 if reason and reason != "kernel_depth" else int(count)
    return stacks, whole


def measure(tidemark, bpf_state, seconds, hz, folder):
    """One row of the table, as a dictionary."""
    path = os.path.join(folder, "summary.json")
    cgroup = cgroup_cpu.CgroupCpu()
    running = recording.Recording(tidemark, bpf_state, hz, folder, cgroup=cgroup, arguments=[
        "--summary", path, "-o", os.path.join(folder, "x.html"),
        "-o", os.path.join(folder, "x.pb.gz"), "-o", os.path.join(folder, "x.folded")])
    time.sleep(SETTLE)

    def now():
        named, bpf, busy = reading(running.programs)
        return {"cpu": cgroup.ns() if cgroup.exact else sum(named.values()), "bpf": bpf,
                "busy": busy, "started": host()[1], "named": named, "at": time.monotonic()}

    before, counts = now(), running.sampled()
    time.sleep(seconds)
    after, counted = now(), running.sampled()
    running.end()
    cgroup.end()
    read = json.loads(text(path))
    stacks, whole = user_stacks(os.path.join(folder, "x.folded"))
    length = after["at"] - before["at"]
    taken = counted["taken"] - counts["taken"]
    exported = read["exported"] / max(1, read["taken"])
    busy = after["busy"] - before["busy"]
    steps = sum(counted.get(key, 0) - counts.get(key, 0)
                for key in ("steps_by_table", "steps_by_frame_pointer"))
    return {
        "cpu": (after["cpu"] - before["cpu"]) / 1e9, "bpf": (after["bpf"] - before["bpf"]) / 1e9,
        "named": {name: (after["named"][name] - before["named"][name]) / 1e9 for name in NAMES},
        "rss": sum(read["rss_bytes"].values()), "maps": read["bpf_map_bytes"], "busy": busy,
        "delivered": taken * exported / max(1.0, busy * hz), "length": length,
        "whole": whole / stacks if stacks else None,
        "ns": (counted["ns"] - counts["ns"]) / taken if taken else None,
        "frames": 1 + steps / taken if taken and "steps_by_table" in counted else None,
        "started": (after["started"] - before["started"]) / length, "summary": read,
    }
