# SPDX-License-Identifier: GPL-2.0
"""recorded_kernels - what a recording made inside a booted kernel must look like
"""
import os

DEPTH = 100  # of the program `deep` in the guest
COMMAND_DEPTH = 20


def whole(stack, depth):
    """From the start of its thread through every call to the leaf; nothing is missing."""
    return stack[0] in ("_start", "thread_start") and stack.count("recurse") == depth


def judge_stacks(recorded, path, depth, least):
    """Nearly all samples of `deep` reach from the thread's start to the leaf through every call."""
    samples = complete = 0
    for comm, stack, count in recorded.folded(path):
        if comm != "deep":
            continue
        samples += count
        if whole(stack, depth):
            complete += count
    print(f"  deep: {samples} samples, {complete} of them whole")
    recorded.check(samples >= least, f"{samples} samples of deep, expected {least}")
    recorded.check(complete >= 0.9 * samples, f"only {complete} of {samples} stacks are whole")


def judge(recorded, folder):
    recorded.balance(recorded.summary(os.path.join(folder, "summary.json")))
    recorded.balance(recorded.summary(os.path.join(folder, "command.json")))
    for name in ("r.html", "r.pb.gz", "r.folded", "r.speedscope.json"):
        recorded.check(os.path.getsize(os.path.join(folder, name)) > 0, name + " is empty")
    judge_stacks(recorded, os.path.join(folder, "r.folded"), DEPTH, 100)
    judge_stacks(recorded, os.path.join(folder, "command.folded"), COMMAND_DEPTH, 50)
