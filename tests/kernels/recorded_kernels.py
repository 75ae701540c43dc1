# SPDX-License-Identifier: GPL-2.0
"""recorded_kernels - what a recording made inside a booted kernel must look like

A share is of all samples of a workload, those that were cut included. Emulation is slow enough for
the time limit of one stack, which is no fault of the unwinder: cuts for time have their own bound.
"""
import collections
import os
import re

import remapped

DEPTH = 100  # of the program `deep` in the guest
COMMAND_DEPTH = 20
ROWS_DEPTH = 1000  # of deep-cfi, which has no frame pointers
REMAPS_LEAST = 5  # samples of each way to replace a mapping
UIDS = range(61184, 65520)  # where the guest has no accounts for them
CAPABILITIES = {"tidemark-collec": 1 << 38 | 1 << 39}  # perfmon, bpf; the others have none
EXPECTED = ("summary.json", "command.json", "remaps.json", "r.html", "r.pb.gz", "r.folded",
            "r.speedscope.json", "command.folded", "remaps.folded", "rows.0002.json",
            "rows.0002.folded")


class Bounds:
    """@samples, @stacks: the least number of samples and of whole stacks. @whole: the least share
    of whole stacks, @time: the most that are cut for time. @cuts: for what else they may be cut."""

    def __init__(self, samples, stacks, whole, time, cuts=()):
        self.samples, self.stacks, self.whole, self.time = samples, stacks, whole, time
        self.cuts = set(cuts)


# Stacks of `deep` are cut while it is inside execve, while it exits, and before its table is there.
FRAME_POINTERS = Bounds(samples=40, stacks=40, whole=0.8, time=0.1,
                        cuts=["exec", "exiting", "no_table"])
ROWS = Bounds(samples=20, stacks=20, whole=0.7, time=0.3)


def is_whole(stack, depth):
    """From the start of its thread through every call to the leaf; nothing is missing."""
    return stack[0] in ("_start", "thread_start") and stack.count("recurse") == depth


def judge_stacks(recorded, name, stacks, depth, bounds):
    """@stacks: (frames, count). A stack is whole, or cut for a reason; others are `broken`."""
    found = collections.Counter()
    for stack, count in stacks:
        reason = recorded.truncation(stack)
        found["whole" if is_whole(stack, depth) else reason or "broken"] += count
    samples, whole = sum(found.values()), found["whole"]
    print(f"  {name}, {depth} deep: {samples} samples, {whole} of them whole; {dict(found)}")
    cuts = set(found) - {"whole", "broken", "time"}
    recorded.check(samples >= bounds.samples,
                   f"{name}: {samples} samples, expected {bounds.samples}")
    recorded.check(whole >= bounds.stacks,
                   f"{name}: {whole} stacks are whole, expected {bounds.stacks}")
    recorded.check(whole >= bounds.whole * samples,
                   f"{name}: {whole} of {samples} stacks are whole, expected {bounds.whole:.0%}")
    recorded.check(found["time"] <= bounds.time * samples,
                   f"{name}: {found['time']} of all {samples} stacks are cut for time")
    recorded.check(cuts <= bounds.cuts, f"{name}: stacks are cut for {sorted(cuts - bounds.cuts)}")
    recorded.check(found["broken"] <= 0.02 * samples,
                   f"{name}: {found['broken']} of {samples} stacks are neither whole nor cut")


def judge_folded(recorded, path, comm, depth, bounds):
    stacks = [(stack, count) for name, stack, count in recorded.folded(path) if name == comm]
    judge_stacks(recorded, f"{os.path.basename(path)}: {comm}", stacks, depth, bounds)


def judge_rows(recorded, folder):
    """A recursion without frame pointers is whole once its unwind table is there: from the second
    report on."""
    stacks = []
    names = sorted(n for n in os.listdir(folder) if re.fullmatch(r"rows\.\d+\.folded", n))
    recorded.check(len(names) > 1, f"there is no second report: {names}")
    for name in names[1:]:
        recorded.balance(recorded.summary(os.path.join(folder, name.replace("folded", "json"))))
        stacks += [(stack, count) for comm, stack, count
                   in recorded.folded(os.path.join(folder, name)) if comm == "deep-cfi"]
    judge_stacks(recorded, "deep-cfi", stacks, ROWS_DEPTH, ROWS)


def judge_remaps(recorded, folder):
    recorded.balance(recorded.summary(os.path.join(folder, "remaps.json")))
    remapped.judge(recorded, recorded.folded(os.path.join(folder, "remaps.folded")), REMAPS_LEAST)


def judge_identities(recorded, console):
    """Neither program is root or able to do more than it must, once sampling."""
    seen = {}
    for name, uid, effective, caps in re.findall(
            r"^TM-IDENTITY (\S+) (\d+),(\d+) ([0-9a-f]+)$", console, re.MULTILINE):
        print(f"  {name}: uid {uid}, capabilities {caps}")
        if name == "tidemark":
            continue  # the command itself, which the person started as root
        seen[name] = int(uid)
        recorded.check(int(uid) in UIDS and uid == effective, f"{name} has uid {uid},{effective}")
        if name != "tidemark-opener":
            recorded.check(int(caps, 16) & ~CAPABILITIES.get(name, 0) == 0,
                           f"{name} has capabilities {caps}")
    recorded.check(seen.get("tidemark-collec") != seen.get("tidemark-symbol") and len(seen) == 4,
                   f"not four programs under two identities: {seen}")


def judge_files(recorded, folder):
    for name in EXPECTED:
        path = os.path.join(folder, name)
        recorded.check(os.path.exists(path), name + " is missing")
        recorded.check(os.path.getsize(path) > 0, name + " is empty")
    recorded.balance(recorded.summary(os.path.join(folder, "summary.json")))
    recorded.balance(recorded.summary(os.path.join(folder, "command.json")))


def judge(recorded, console, folder):
    """What is wrong, a sentence each."""
    wrong = []
    for part in (
            lambda: judge_identities(recorded, console),
            lambda: judge_files(recorded, folder),
            lambda: judge_folded(recorded, os.path.join(folder, "r.folded"), "deep", DEPTH,
                                 FRAME_POINTERS),
            lambda: judge_folded(recorded, os.path.join(folder, "command.folded"), "deep",
                                 COMMAND_DEPTH, FRAME_POINTERS),
            lambda: judge_rows(recorded, folder),
            lambda: judge_remaps(recorded, folder)):
        try:
            part()
        except (recorded.Wrong, OSError, ValueError) as error:
            wrong.append(str(error))
    return wrong
