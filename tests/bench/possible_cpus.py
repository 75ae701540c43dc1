#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""possible_cpus - kernel memory of a recording on a machine with so many possible CPUs; as root

possible_cpus.py BUILD SERIES ONLINE/POSSIBLE...: boots Debian's kernel SERIES (6.12) under qemu for
each pair, records in it without and with --off-cpu, and prints the memory of the BPF maps and
programs, and how much the kernel's own accounts of slab and per-CPU memory grew. At most 255 CPUs
are possible there. Asserts nothing.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../kernels"))
sys.dont_write_bytecode = True
import boot
import initramfs
import kernel_image

TIMEOUT_S = 200
MEMORY_MB = 2048
RINGBUF = "27" # the kernel's number of the type
GROWING = "rows" # unwind tables, which come with the sampled files
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/programs/cli HOME=/root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mount -t tmpfs tmpfs /run
mkdir -p /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo 1 >/proc/sys/kernel/printk
ip link set lo up
echo "CPUS $(cat /sys/devices/system/cpu/online) $(cat /sys/devices/system/cpu/possible)"
for how in --no-lines --off-cpu; do
	grep -E '^(SUnreclaim|Percpu):' /proc/meminfo | sed "s/^/BEFORE $how /"
	mkfifo /tmp/said
	tidemark record -v -F 99 $how -o /tmp/x.folded </dev/null >/dev/null 2>/tmp/said &
	while read -r line; do
		case $line in *"attached after"*) break ;; esac
		echo "$line"
	done </tmp/said &
	wait $!
	collector=$(grep -l tidemark-collec /proc/[0-9]*/comm | cut -d/ -f3)
	grep -E '^(SUnreclaim|Percpu):' /proc/meminfo | sed "s/^/DURING $how /"
	/programs/bpf_memory $collector | sed "s/^/MEMORY $how /"
	killall tidemark
	wait
	rm /tmp/said
done
poweroff -f
"""


def run(kernel, archive, online, possible):
    """What the guest writes to its serial console.

    This kernel takes CPUs that could be plugged later for impossible ones, so all are there, and it
    starts only some of them.
    """
    command = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", "qemu64,-cx16",
               "-machine", "q35", "-smp", str(possible), "-m", str(MEMORY_MB), "-nodefaults",
               "-no-reboot", "-display", "none", "-serial", "stdio", "-kernel", kernel,
               "-initrd", archive, "-append",
               "console=ttyS0 panic=-1 quiet rdinit=/init maxcpus=%d" % online]
    guest = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                           timeout=TIMEOUT_S)
    return guest.stdout.decode("utf-8", "replace").replace("\r", "")


def sums(console, how):
    """{part: bytes} of one of the two recordings."""
    found = collections.Counter()
    for kind, number, name, size in re.findall(r"^MEMORY %s (\S+) (\S+) (\S+) (\d+)$" % how,
                                               console, re.MULTILINE):
        if name != GROWING:
            found["rings" if number == RINGBUF else kind + "s"] += int(size)
    for when, name, size in re.findall(r"^(BEFORE|DURING) %s (\w+): +(\d+) kB$" % how, console,
                                       re.MULTILINE):
        found[name.lower()] += int(size) * 1024 * (1 if when == "DURING" else -1)
    return found


def show(console):
    cpus = re.search(r"^CPUS (\S+) (\S+)$", console, re.MULTILINE)
    without, with_it = (sums(console, how) for how in ("--no-lines", "--off-cpu"))
    if not cpus or not without["maps"] or not with_it["maps"]:
        sys.exit("the guest did not record:\n" + console[-2000:])
    print("online %s, possible %s, bytes:" % cpus.groups())
    for name in ("maps", "progs", "rings", "sunreclaim", "percpu"):
        print("  %-10s without %10d, with %10d, --off-cpu adds %9d" %
              (name, without[name], with_it[name], with_it[name] - without[name]))
    print("  maps, programs and rings with it: %.2f MiB (goal: 32 at 128 possible, 16 online)" %
          ((with_it["maps"] + with_it["progs"] + with_it["rings"]) / 2**20), flush=True)


def main():
    build, series, *pairs = sys.argv[1:]
    programs = {**boot.PROGRAMS, "programs/bpf_memory": "tests/soak/bpf_memory"}
    with tempfile.TemporaryDirectory(prefix="tidemark-cpus.") as work:
        kernel = kernel_image.fetch(series, work)
        root, archive = os.path.join(work, "root"), os.path.join(work, "initramfs.gz")
        init = os.path.join(work, "init")
        with open(init, "w", encoding="ascii") as file:
            file.write(INIT)
        initramfs.stage(root, init, {place: os.path.join(build, program)
                                     for place, program in programs.items()})
        initramfs.pack(root, archive)
        for pair in pairs:
            online, possible = map(int, pair.split("/"))
            show(run(kernel, archive, online, possible))


main()
