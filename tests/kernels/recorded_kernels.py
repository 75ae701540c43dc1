# SPDX-License-Identifier: GPL-2.0
"""recorded_kernels - what a recording made inside a booted kernel must look like
"""
import collections
import os
import re

DEPTH = 100  # of the program `deep` in the guest
COMMAND_DEPTH = 20
ROWS_DEPTH = 1000  # of deep-cfi, which has no frame pointers
UIDS = range(61184, 65520)  # where the guest has no accounts for them
CAPABILITIES = {"tidemark-collec": 1 << 38 | 1 << 39}  # perfmon, bpf; the others have none


def whole(stack, depth):
    """From the start of its thread through every call to the leaf; nothing is missing."""
    return stack[0] in ("_start", "thread_start") and stack.count("recurse") == depth


def judge_stacks(recorded, path, depth, least):
    """Nearly all samples of `deep` reach from the thread's start to the leaf through every call."""
    samples = complete = 0
    for comm, stack, count in recorded.folded(path):
        # Emulation is slow enough for the time limit of one stack; that is no broken chain.
        if comm != "deep" or stack[0] == "[truncated: time]":
            continue
        samples += count
        if whole(stack, depth):
            complete += count
    print(f"  deep: {samples} samples, {complete} of them whole")
    recorded.check(samples >= least, f"{samples} samples of deep, expected {least}")
    recorded.check(complete >= 0.9 * samples, f"only {complete} of {samples} stacks are whole")


def judge_rows(recorded, folder):
    """A recursion without frame pointers is whole once its rows are there."""
    samples, cut, whole_ones = 0, collections.Counter(), 0
    names = sorted(n for n in os.listdir(folder) if re.fullmatch(r"rows\.\d+\.folded", n))
    for name in names[1:]:
        recorded.balance(recorded.summary(os.path.join(folder, name.replace("folded", "json"))))
        for comm, stack, count in recorded.folded(os.path.join(folder, name)):
            if comm != "deep-cfi":
                continue
            samples += count
            cut[recorded.truncation(stack)] += count
            whole_ones += count * (stack[0] == "_start" and stack.count("recurse") == ROWS_DEPTH)
    print(f"  deep-cfi, {ROWS_DEPTH} deep: {samples} samples, {whole_ones} of them whole; {dict(cut)}")
    late = cut.pop("time", 0)  # emulation is slow enough for that
    recorded.check(len(names) > 1 and samples >= 20, f"{samples} samples of deep-cfi in {names}")
    recorded.check(whole_ones >= 1, "no stack of deep-cfi is whole")
    recorded.check(whole_ones >= 0.9 * (samples - late), f"only {whole_ones} of {samples} stacks are whole: {cut}")
    recorded.check(set(cut) <= {None}, f"cut for {cut}")


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


def judge(recorded, folder):
    recorded.balance(recorded.summary(os.path.join(folder, "summary.json")))
    recorded.balance(recorded.summary(os.path.join(folder, "command.json")))
    for name in ("r.html", "r.pb.gz", "r.folded", "r.speedscope.json"):
        recorded.check(os.path.getsize(os.path.join(folder, name)) > 0, name + " is empty")
    judge_stacks(recorded, os.path.join(folder, "r.folded"), DEPTH, 20)
    judge_stacks(recorded, os.path.join(folder, "command.folded"), COMMAND_DEPTH, 20)
    judge_rows(recorded, folder)
