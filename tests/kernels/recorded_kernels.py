# SPDX-License-Identifier: GPL-2.0
"""recorded_kernels - what a recording made inside a booted kernel must look like

A share is of all samples of a workload but those that were cut for time or for lack of a table:
the clock of an emulated CPU runs on while its host does something else.
"""
import collections
import os
import re

import anonymous_code
import remapped

DEPTH = 100  # of the program `deep` in the guest
COMMAND_DEPTH = 20
ROWS_DEPTH = 1000  # of deep-cfi, which has no frame pointers
REMAPS_LEAST = 5  # samples of each way to replace a mapping
SLEEPS = 40  # of the program `sleeps`
SLEEP_NS = 100000000  # each of them, at least
SLEEP_WEIGHT = 17  # a thread whose first waits were short: 2^24 ns by 1 ms
ANSWERS_NS = 500 * 2000000  # how long the answers of the program `waits` are slept for
COPIED_LEAST = 20  # whole stacks of each program that has copied its text
UIDS = range(60578, 61184)  # where the guest has no accounts for them
CAPABILITIES = {"tidemark-collec": 1 << 38 | 1 << 39}  # perfmon, bpf; the others have none
EXPECTED = ("summary.json", "command.json", "remaps.json", "r.html", "r.pb.gz", "r.folded",
            "r.speedscope.json", "command.folded", "remaps.folded", "rows.0002.json",
            "rows.0002.folded", "anonymous.json", "anonymous.folded", "anonymous.records",
            "contexts", "governed.json", "governed.folded", "off_cpu.json", "off_cpu.folded",
            "pipes.json", "pipes.folded")


class Bounds:
    """@samples, @stacks: the least number of samples and of whole stacks. @whole: the least share
    of whole stacks. @cuts: for what else than time they may be cut; for lack of a table at most
    half, since how long the emulated parser takes is a matter of what else the machine does."""

    def __init__(self, samples, stacks, whole, cuts=()):
        self.samples, self.stacks, self.whole, self.cuts = samples, stacks, whole, set(cuts)


# Stacks of `deep` are cut while it is inside execve, while it exits, and before its table is there.
FRAME_POINTERS = Bounds(samples=40, stacks=40, whole=0.8, cuts=["exec", "exiting", "no_table"])
ROWS = Bounds(samples=20, stacks=20, whole=0.9, cuts=["no_table"])


def is_whole(stack, depth):
    """From the start of its thread through every call to the leaf; nothing is missing."""
    return stack[0] in ("_start", "thread_start") and stack.count("recurse") == depth


def is_part(stack, depth):
    """Of a recursion, from where it is cut on."""
    calls = stack[1:].count("recurse")
    return calls <= depth and stack[1:calls + 1].count("recurse") == calls


def judge_stacks(recorded, name, stacks, depth, bounds):
    """@stacks: (frames, count). A stack is whole, or cut for a reason; others are `broken`."""
    found = collections.Counter()
    for stack, count in stacks:
        reason = recorded.truncation(stack)
        if is_whole(stack, depth):
            reason = "whole"
        elif reason == "time" and not is_part(stack, depth):
            reason = "broken"
        found[reason or "broken"] += count
    samples, whole = sum(found.values()), found["whole"]
    print(f"  {name}, {depth} deep: {samples} samples, {whole} of them whole; {dict(found)}")
    cuts = set(found) - {"whole", "broken", "time"}
    recorded.check(samples >= bounds.samples,
                   f"{name}: {samples} samples, expected {bounds.samples}")
    recorded.check(whole >= bounds.stacks,
                   f"{name}: {whole} stacks are whole, expected {bounds.stacks}")
    recorded.check(2 * found["no_table"] <= samples,
                   f"{name}: {found['no_table']} of {samples} stacks had no table")
    judged = samples - found["no_table"] - found["time"]
    recorded.check(whole >= bounds.whole * judged,
                   f"{name}: {whole} of {judged} stacks are whole, expected {bounds.whole:.0%}")
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


def judge_governed(recorded, folder):
    """The rate was lowered, and what is shown stands for the same time as the samples."""
    read = recorded.summary(os.path.join(folder, "governed.json"))
    recorded.balance(read)
    lowered = {weight: seconds for weight, seconds in read["weight_seconds"].items()
               if weight != "1" and seconds}
    shown = recorded.folded_total(os.path.join(folder, "governed.folded"))
    stands_for = read["on_cpu_seconds"] * read["hz"]
    print(f"  governed: {read['exported']} samples stand for {stands_for:.1f}, shown are {shown}; "
          f"seconds by weight {lowered}; BPF programs ran for {read['bpf_seconds']} s")
    recorded.check(lowered, "governed: the rate was not lowered")
    recorded.check(stands_for > 1.01 * read["exported"],
                   f"governed: {read['exported']} samples stand for {stands_for:.1f} periods")
    recorded.check(abs(shown - stands_for) <= 0.02 * stands_for + 5,
                   f"governed: {shown} are shown of {stands_for:.1f}")
    recorded.check(read["bpf_seconds"] > 0, "governed: the programs did not measure themselves")


def judge_remaps(recorded, folder):
    recorded.balance(recorded.summary(os.path.join(folder, "remaps.json")))
    remapped.judge(recorded, recorded.folded(os.path.join(folder, "remaps.folded")), REMAPS_LEAST)


def judge_contexts(recorded, folder):
    """What named its memory is announced with what it says of itself."""
    with open(os.path.join(folder, "contexts"), encoding="ascii") as file:
        named = set(file.read().split())
    with open(os.path.join(folder, "anonymous.records"), encoding="ascii") as lines:
        texts = {bytes.fromhex(word[8][1:]) for word in map(str.split, lines) if word[0] == "C"}
    found = {name for name in ("memfd", "anon")
             if any(b"service.name" in text and name.encode() in text for text in texts)}
    print(f"  named their process context: {sorted(named)}, announced: {sorted(found)}")
    recorded.check(found == named and "memfd" in named, "a process context is missing")


def judge_anonymous(recorded, folder):
    recorded.balance(recorded.summary(os.path.join(folder, "anonymous.json")))
    anonymous_code.judge_text(recorded, recorded.folded(os.path.join(folder, "anonymous.folded")),
                              dict.fromkeys(anonymous_code.COPIED, COPIED_LEAST),
                              cuts=("no_table", "time"))  # the emulated parser takes seconds
    anonymous_code.judge_jitdumps(recorded, os.path.join(folder, "anonymous.records"),
                                  {"jitdump_marker": 2})
    judge_contexts(recorded, folder)


def judge_off_cpu(recorded, console, folder):
    """A sleep is in its function, for as long as it was asked for; what the program measures has
    its ways there and back in it. The first one of a thread is chosen by chance and may stand for
    several; the last one may begin before its thread's stack is known. What is cut for lack of a
    table, at most half, has the kernel's frames alone."""
    recorded.balance(recorded.summary(os.path.join(folder, "off_cpu.json")))
    slept = re.search(r"^TM-SLEPT (\d+)$", console, re.MULTILINE)
    recorded.check(slept, "the program did not say how long it slept")
    stacks = [(stack, ns) for comm, stack, ns
              in recorded.folded(os.path.join(folder, "off_cpu.folded"))
              if comm == "sleeps" and stack[-1] == "[interruptible]"]
    found = sum(ns for stack, ns in stacks if "sleep_here" in stack)
    kernel = sum(ns for stack, ns in stacks if any("nanosleep_[k]" in frame for frame in stack))
    cut = sum(ns for stack, ns in stacks if recorded.truncation(stack) == "no_table")
    least = SLEEPS * SLEEP_NS * 0.97 - 2 * SLEEP_NS
    most = int(slept[1]) * 1.03 + SLEEP_WEIGHT * SLEEP_NS
    print(f"  sleeps: {int(slept[1]) / 1e9:.3f} s, of which {found / 1e9:.3f} s in its function, "
          f"{kernel / 1e9:.3f} s in the kernel's; {cut / 1e9:.3f} s without a table")
    recorded.check(least <= kernel <= most,
                   f"sleeps: {kernel} ns in the kernel's function, not {least} to {most}")
    recorded.check(2 * cut <= kernel, f"sleeps: {cut} of {kernel} ns had no table")
    recorded.check(least <= found + cut and found <= most,
                   f"sleeps: {found} ns in its function, not {least} to {most}")


def without_waker(stack):
    """Of a stack up to its state: where it slept, and what woke it, from `[woken ...]` on."""
    for at, frame in enumerate(stack):
        if frame.startswith("[woken "):
            return stack[:at], stack[at:]
    return stack, []


def off_cpu_ns(recorded, stacks, function, kernel):
    """By state, the ns without a CPU in @function, called from the kernel's function; as `no_table`
    those called from there by what was cut before its table was there."""
    found = collections.Counter()
    for stack, _, ns in stacks:
        if not any(kernel in frame for frame in stack):
            continue
        if function in stack:
            found[stack[-1]] += ns
        elif recorded.truncation(stack) == "no_table":
            found["no_table"] += ns
    return found


def judge_wakers(recorded, stacks, caller, kernel, waker, least):
    """Who ended the sleeps of @caller: so much of its time has a waker, and nearly all of that one
    the frames of @waker: a sleep's first waking may come before its stack."""
    found = collections.Counter()
    for stack, woken_by, ns in stacks:
        if caller in stack and any(kernel in frame for frame in stack) and woken_by:
            found[waker(woken_by)] += ns
    print(f"  waits: {caller} was woken as expected for {found[True] / 1e9:.3f} s, otherwise for "
          f"{found[False] / 1e9:.3f} s")
    recorded.check(found[True] >= least, f"waits: {caller} has wakers for {found[True]} ns only")
    recorded.check(found[False] <= 0.05 * found[True],
                   f"waits: {caller} was woken otherwise for {found[False]} ns")


def judge_pipes(recorded, console, folder):
    """One thread asks through a pipe and waits for the other one, which sleeps before it answers:
    both wait for as long as it sleeps at least, and for no longer than all took."""
    summary = recorded.summary(os.path.join(folder, "pipes.json"))
    recorded.balance(summary)
    asked = re.search(r"^TM-ASKED (\d+)$", console, re.MULTILINE)
    recorded.check(asked, "the program did not say how long its answers took")
    stacks = [(*without_waker(stack), ns) for comm, stack, ns
              in recorded.folded(os.path.join(folder, "pipes.folded")) if comm == "waits"]
    cut = {}
    for caller, kernel in (("ask", "pipe_read_[k]"), ("answer", "nanosleep_[k]")):
        found = off_cpu_ns(recorded, stacks, caller, kernel)
        blocked, most = found["[interruptible]"], int(asked[1]) * 1.1
        cut[caller] = found["no_table"]
        every = sum(found[state] for state in ("[interruptible]", "[runnable]", "[preempted]"))
        print(f"  waits: {int(asked[1]) / 1e9:.3f} s, of which {caller} is blocked for "
              f"{blocked / 1e9:.3f} s and has no CPU for {every / 1e9:.3f} s; without a table "
              f"{cut[caller] / 1e9:.3f} s")
        recorded.check(2 * cut[caller] <= ANSWERS_NS,
                       f"waits: {cut[caller]} ns of {caller} had no table")
        recorded.check(ANSWERS_NS * 0.8 <= blocked + cut[caller],
                       f"waits: {blocked} ns in {caller}, not at least {ANSWERS_NS} or nearly")
        recorded.check(every <= most, f"waits: {every} ns in {caller}, not at most {most}")
    judge_wakers(recorded, stacks, "ask", "pipe_read_[k]",
                 lambda frames: frames[0] == "[woken by waits]" and "answer" in frames,
                 ANSWERS_NS * 0.7 - cut["ask"])
    judge_wakers(recorded, stacks, "answer", "nanosleep_[k]",
                 lambda frames: frames[0] == "[woken in interrupt]" and
                 not any(frame in frames for frame in ("ask", "answer", "_start")),
                 ANSWERS_NS * 0.7 - cut["answer"])


def judge_identities(recorded, console):
    """None but the starter is root or able to do more than it must, once sampling."""
    seen = {}
    for name, uid, effective, caps in re.findall(
            r"^TM-IDENTITY (\S+) (\d+),(\d+) ([0-9a-f]+)$", console, re.MULTILINE):
        print(f"  {name}: uid {uid}, capabilities {caps}")
        seen[name] = int(uid)
        if name == "tidemark-starte":
            continue  # root: its capabilities are looked at in record/privileges.sh
        recorded.check(int(uid) in UIDS and uid == effective, f"{name} has uid {uid},{effective}")
        if name != "tidemark-opener":
            recorded.check(int(caps, 16) & ~CAPABILITIES.get(name, 0) == 0,
                           f"{name} has capabilities {caps}")
    own = {seen.get(name) for name in ("tidemark", "tidemark-collec", "tidemark-symbol")}
    recorded.check(len(own) == 3 and len(seen) == 6,
                   f"not six processes under four identities: {seen}")


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
            lambda: judge_governed(recorded, folder),
            lambda: judge_remaps(recorded, folder),
            lambda: judge_anonymous(recorded, folder),
            lambda: judge_off_cpu(recorded, console, folder),
            lambda: judge_pipes(recorded, console, folder)):
        try:
            part()
        except (recorded.Wrong, OSError, ValueError) as error:
            wrong.append(str(error))
    return wrong
