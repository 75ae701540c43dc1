#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""hosts - records on emulated hosts with few and many CPUs, and with two NUMA nodes

usage: hosts.py SERIES CPUS BUILD-FOLDER SOURCE-FOLDER
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
import boot

MACHINES = {  # possible CPUs: qemu's options
    "1": ("-smp", "1", "-m", "1024"),
    "16": ("-smp", "16,sockets=2,cores=8,threads=1", "-m", "1024",
           "-object", "memory-backend-ram,id=m0,size=512M",
           "-object", "memory-backend-ram,id=m1,size=512M",
           "-numa", "node,nodeid=0,cpus=0-7,memdev=m0",
           "-numa", "node,nodeid=1,cpus=8-15,memdev=m1"),
    "64": ("-smp", "6,maxcpus=64", "-m", "1024"),
    "128": ("-smp", "128", "-m", "3072"),  # all of them online
    "255": ("-smp", "4,maxcpus=255", "-m", "2048"),
}
# 128 emulated CPUs on a few real ones never finish calibrating their delay loops, nor waiting for
# one another: so the kernel has the result, and starts one CPU after the other.
ARGUMENTS = {"128": "lpj=4000000 cpuhp.parallel=0"}
RESULTS = ("exits", "plain", "waking", "limited")
SAID = "kernel.perf_event_max_sample_rate is 50, less than -F 99"
BALANCED = "(stack_fault): kernel.numa_balancing, which is on"
MAPS_MIB = 48  # of BPF maps, whatever the number of CPUs; each hook of --off-cpu adds one of:
LEVEL_MIB = 136 / 1024  # a CPU's scratch memory
HOOKS = {"plain": 0, "waking": 2}
PROGRAMS = {place: program for place, program in boot.PROGRAMS.items()
            if place.startswith(("programs/cli", "programs/collector", "programs/symbolizer")) or
            place in ("programs/deep", "programs/waits")}
PROGRAMS["programs/exits_kept"] = "tests/kernels/exits_kept"


def online(text):
    """The kernel's list of CPUs as a set."""
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


def judge_memory(recorded, console, cpus, nodes):
    """The scratch memory of each CPU is on its node: those of two nodes are two equal parts."""
    sizes = collections.defaultdict(list)
    for line in re.findall(r"^TM-MEMORY .*array.*$", console, re.MULTILINE):
        size = re.match(r"TM-MEMORY \S+ +(\d+) ", line)
        places = {int(node): int(pages) for node, pages in re.findall(r" N(\d+)=(\d+)", line)}
        if size and places:
            sizes[int(size[1])].append(places)
    scratch = [places for size, places in sorted(sizes.items()) if len(places) == len(cpus)]
    recorded.check(scratch, f"no memory of {len(cpus)} CPUs is found: "
                   f"{ {size: len(places) for size, places in sizes.items()} }")
    for places in scratch:
        whole = collections.Counter(tuple(place) for place in places)
        print(f"  scratch memory by node: {dict(whole)}")
        recorded.check(len(whole) == len(nodes) and  # one CPU of the first may be offline
                       all(len(place) == 1 and abs(count - len(cpus) / len(nodes)) < 1
                           for place, count in whole.items()),
                       "scratch memory is not on the nodes of its CPUs")


def judge_recording(recorded, folder, name, cpus):
    read = recorded.summary(os.path.join(folder, name + ".json"))
    recorded.balance(read)
    mib = read["bpf_map_bytes"] / 2**20
    print(f"  {name}: {read['cpus']} CPUs, BPF maps of {mib:.1f} MiB")
    recorded.check(read["cpus"] == len(cpus), f"{name}: {read['cpus']} of {len(cpus)} CPUs")
    recorded.check(mib <= MAPS_MIB + HOOKS[name] * LEVEL_MIB * len(cpus),
                   f"{name}: {mib:.1f} MiB of BPF maps")
    recorded.check(read["taken"] > 0 and not read["dropped"].get("nested"),
                   f"{name}: {read['taken']} samples, dropped {read['dropped']}")


def judge_limited(recorded, console, folder):
    """Kernel stacks that the kernel itself cuts have a reason, and its rate is said."""
    read = recorded.summary(os.path.join(folder, "limited.json"))
    recorded.balance(read)
    cut = read["truncated"]["kernel_depth"]
    print(f"  limited: {cut} of {read['exported']} kernel stacks are cut by the kernel")
    recorded.check(cut >= 0.2 * read["exported"] > 0, f"limited: {cut} stacks have the reason")
    recorded.check(console.count(SAID) == 1, "the limit of the rate is not said, or more than once")


def judge_host(recorded, console, folder, possible):
    came = boot.results(console)
    found = re.search(r"^TM-CPUS (\S+) (\S+) (\S+)$", console, re.MULTILINE)
    recorded.check(found and "TM-END" in console, "the guest did not come to its end")
    recorded.check(all(came.get(name) == 0 for name in RESULTS), f"results: {came}")
    cpus, nodes = online(found[2]), online(found[3])
    recorded.check(len(online(found[1])) == int(possible), f"possible: {found[1]}")
    judge_memory(recorded, console, cpus, nodes)
    recorded.check(len(nodes) == 1 or BALANCED in console, "nothing is said of NUMA balancing")
    reason = boot.unpack(console, folder)
    recorded.check(not reason, reason)
    for name in ("plain", "waking"):
        judge_recording(recorded, folder, name, cpus)
    judge_limited(recorded, console, folder)


def judge(possible):
    def judged(console, folder):
        import recorded

        boot.show(console)
        try:
            judge_host(recorded, console, folder, possible)
        except (recorded.Wrong, OSError, ValueError) as error:
            print("FAIL:", error)
            return 1
        return 0
    return judged


def main():
    series, possible, build, source = sys.argv[1:5]
    programs = boot.built(build, PROGRAMS)
    programs["init_hosts"] = os.path.join(source, "tests/kernels/init_hosts")
    return boot.run(series, source, programs, judge(possible), machine=MACHINES[possible],
                    arguments=ARGUMENTS.get(possible, ""))


if __name__ == "__main__":
    sys.exit(main())
