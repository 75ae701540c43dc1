#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""boot - boots one of Debian's kernels under qemu and runs the tests of the BPF side in it

usage: boot.py SERIES BUILD-FOLDER SOURCE-FOLDER
"""
import base64
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is
import initramfs
import kernel_image

TIMEOUT_S = 800
SKIPPED = 77
LOOKUPS = ("lookup", "lookup-many", "lookup-storm", "lookup-many-storm")
PERIODS = ("periods",)
RECORDS = ("record", "record-command", "record-rows", "record-governed", "record-remaps",
           "record-anonymous", "record-off-cpu", "record-pipes")
PROGRAMS = {  # place in the guest: place in the build folder
    "programs/lookup": "tests/kernels/lookup",
    "programs/periods": "tests/kernels/periods",
    "programs/sleeps": "tests/kernels/sleeps",
    "programs/waits": "tests/integration/programs/waits",
    "programs/deep": "tests/integration/programs/deep",
    "programs/deep-cfi": "tests/integration/programs/deep-cfi-static",
    "programs/remaps": "tests/integration/programs/remaps",
    "programs/remap_text": "tests/integration/programs/remap_text-static",
    "programs/jitdump_marker": "tests/integration/programs/jitdump_marker",
    "programs/otel_context": "tests/integration/programs/otel_context",
    "programs/ring_recorder": "tests/integration/programs/ring_recorder",
    "programs/variant_a.so": "tests/integration/programs/variant_a.so",
    "programs/variant_b.so": "tests/integration/programs/variant_b.so",
    "programs/variant_c.so": "tests/integration/programs/variant_c.so",
    "programs/cli/tidemark": "cli/tidemark",
    "programs/collector/tidemark-collector": "collector/tidemark-collector",
    "programs/collector/opener/tidemark-opener": "collector/opener/tidemark-opener",
    "programs/symbolizer/tidemark-symbolizer": "symbolizer/tidemark-symbolizer",
    "programs/symbolizer/parser/tidemark-parser": "symbolizer/parser/tidemark-parser",
}


def unable():
    """Why this host cannot do it, or nothing."""
    if os.environ.get("TM_INNER") == "1":
        return "boots are left out inside a container (TM_INNER)"
    for program in ("qemu-system-x86_64", "busybox", "apt-get", "dpkg-deb"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def boot(kernel, archive, machine=("-smp", "2", "-m", "1024"), arguments=""):
    """What the guest writes to its serial console."""
    # qemu 7.2's TCG emulates cmpxchg16b with wrong flags; without it the kernel uses another way.
    command = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "qemu64,-cx16",
               *machine, "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio",
               "-kernel", kernel, "-initrd", archive,
               "-append", f"console=ttyS0 panic=-1 quiet rdinit=/init {arguments}"]
    try:
        written = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                 check=False, timeout=TIMEOUT_S).stdout
    except subprocess.TimeoutExpired as late:
        print(f"the guest has not come to its end within {TIMEOUT_S} s", flush=True)
        written = late.stdout or b""
    return written.decode("utf-8", "replace").replace("\r", "")


def boot_again(start):
    """What the guest writes that START starts, or a second one after a fault of the emulator.

    A kernel that changes its code puts a breakpoint there, and takes it away when all CPUs have
    seen the new code. A guest died of a breakpoint where the new code stood already: most likely
    TCG, with a thread for each CPU, still ran its translation of the breakpoint.
    """
    console = start()
    if "Oops: int3" not in console:
        return console
    print("the guest died of a breakpoint that its kernel had removed: booted once more",
          flush=True)
    return start()


def results(console):
    return {name: int(code)
            for name, code in re.findall(r"^TM-RESULT (\S+) (\d+)$", console, re.MULTILINE)}


def unpack(console, folder):
    """Unpacks what the guest recorded. Why it cannot, or nothing."""
    packed = re.search(r"^--- TM-OUT\n(.*?)^--- TM-OUT-END$", console, re.MULTILINE | re.DOTALL)
    if not packed:
        begun = re.search(r"^--- TM-OUT$", console, re.MULTILINE)
        return "the guest's recordings are " + ("cut off" if begun else "missing")
    try:
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed[1]))) as archive:
            archive.extractall(folder)
    except (ValueError, tarfile.TarError, EOFError, OSError) as error:
        return f"the guest's recordings cannot be unpacked: {error}"
    return None


def judge_recordings(console, folder):
    """What is wrong with them, a sentence each."""
    import recorded
    import recorded_kernels

    reason = unpack(console, folder)
    return [reason] if reason else recorded_kernels.judge(recorded, console, folder)


def show(console):
    shown = re.sub(r"^--- TM-OUT\n.*?^--- TM-OUT-END\n", "", console,
                   flags=re.MULTILINE | re.DOTALL)
    print(shown, flush=True)


def judge(console, folder):
    show(console)
    came, wrong = results(console), []
    for name in LOOKUPS + PERIODS + RECORDS:
        if came.get(name) != 0:
            wrong.append(f"{name}: {came.get(name, 'no result')}")
    if "TM-END" not in console:
        wrong.append("the guest did not come to its end")
    if "TM-PARANOID 3" not in console:
        wrong.append("perf_event_paranoid is not Debian's own 3")
    wrong += judge_recordings(console, folder)
    for sentence in wrong:
        print("FAIL:", sentence)
    return 1 if wrong else 0


def run(series, source, programs, judged, **machine):
    """Boots with these programs, {place in the guest: file}. Return: exit code."""
    reason = unable()
    if reason:
        print("SKIP:", reason)
        return SKIPPED
    sys.path.insert(0, os.path.join(source, "tests", "lib"))
    with tempfile.TemporaryDirectory(prefix="tidemark-boot.") as work:
        kernel = kernel_image.fetch(series, work)
        root, archive = os.path.join(work, "root"), os.path.join(work, "initramfs.gz")
        initramfs.stage(root, os.path.join(source, "tests/kernels/init"),
                        {place: program for place, program in programs.items()
                         if os.path.exists(program)})
        initramfs.pack(root, archive)
        console = boot_again(lambda: boot(kernel, archive, **machine))
        return judged(console, os.path.join(work, "out"))


def built(build, programs):
    return {place: os.path.join(build, program) for place, program in programs.items()}


def main():
    series, build, source = sys.argv[1:4]
    return run(series, source, built(build, PROGRAMS), judge)


if __name__ == "__main__":
    sys.exit(main())
