#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""boot_judge_test - a boot whose console lacks anything is judged a failure

usage: boot_judge_test.py SOURCE-FOLDER. Needs no qemu: the console and the recordings are made up.
"""
import base64
import contextlib
import io
import json
import os
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "tests", "lib"))
import anonymous_code
import boot
import recorded
import recorded_kernels
import remapped

SUMMARY = {**dict.fromkeys(recorded.SUMMARY_KEYS, 0), "dropped": {}, "truncated": {}, "unnamed": {},
           "taken": 9, "exported": 9}
GOVERNED = {**SUMMARY, "hz": 997, "on_cpu_seconds": 2.0, "taken": 600, "exported": 600,
            "weight_seconds": {"1": 1.0, "4": 2.0, "8": 0.0}, "bpf_seconds": 0.2}
SLEPT = 40 * recorded_kernels.SLEEP_NS
ANSWERS = recorded_kernels.ANSWERS_NS
IDENTITIES = ("tidemark-collec 60578", "tidemark-opener 60578", "tidemark-symbol 60579",
              "tidemark-parser 60579", "tidemark 60580", "tidemark-starte 0")


def folded(comm, stack, count):
    return f"{comm};{';'.join(stack)} {count}\n"


def recursion(comm, depth, whole, **cut):
    """Whole stacks, and some that are cut for a reason."""
    stack = ["_start", *["recurse"] * depth, "leaf"]
    return folded(comm, stack, whole) + "".join(
        folded(comm, [f"[truncated: {reason}]", *stack[2:]], count)
        for reason, count in cut.items())


def remaps(variant):
    return "".join(folded("remaps", [way, "calls_a", variant], 50) for way in remapped.WAYS)


def copied(leaf):
    stack = ["_start", *anonymous_code.CALLS[:-1], leaf]
    return "".join(folded(what, stack, 40) for what in anonymous_code.COPIED)


def without_table(count):
    return "".join(folded(what, ["[truncated: no_table]", "inner"], count)
                   for what in anonymous_code.COPIED)


def marker(pid, number):
    """The records of a process, which names the jitdump with this number."""
    path, comm = b"jit-%d.dump\0tmp\0" % pid, b"jitdump_marker"
    return (f"F 1 {pid} 1 1 1 0 {pid} 0 0 0 0 0 0 0 0 ={path.hex()}\n"
            f"P 1 {pid} 1 1 1 {anonymous_code.ANONYMOUS} 0 0 {pid} 0 0 {number} "
            f"={comm.hex()} = =\n")


def context(name):
    return "C 1 9 1 1 1 0 1 =%s\n" % (b"service.name" + name.encode()).hex()


def sleeps(ns, function="sleep_here", state="[interruptible]", cut=0):
    return folded("sleeps", ["_start", "main", function, "do_nanosleep_[k]", state], ns) + \
        folded("sleeps", ["[truncated: no_table]", "do_nanosleep_[k]", state], cut)


ANSWERED = ["[woken by waits]", "thread_start", "answer", "write_byte"]
RANG = ["[woken in interrupt]", "asm_sysvec_apic_timer_interrupt_[k]"]


def pipes(asks, answers, state="[interruptible]", answered=ANSWERED, rang=RANG):
    return folded("waits", ["_start", "ask", "read_byte", "pipe_read_[k]", state, *answered],
                  asks) + \
        folded("waits", ["thread_start", "answer", "sleep_for", "do_nanosleep_[k]", state, *rang],
               answers)


def recordings(**changed):
    files = {name: "something" for name in recorded_kernels.EXPECTED}
    files |= {name: json.dumps(SUMMARY) for name in files if name.endswith(".json")}
    files |= {"rows.0001.folded": "",
              "r.folded": recursion("deep", recorded_kernels.DEPTH, 90, time=4, no_table=6),
              "command.folded": recursion("deep", recorded_kernels.COMMAND_DEPTH, 100),
              "rows.0002.folded": recursion("deep-cfi", recorded_kernels.ROWS_DEPTH, 60, time=40),
              "governed.json": json.dumps(GOVERNED),
              "governed.folded": folded("deep", ["_start"], 1994),
              "remaps.folded": remaps("variant_a"),
              "anonymous.folded": copied("inner") + without_table(9),
              "anonymous.records": marker(7, 7) + marker(8, 8) + context("memfd"),
              "contexts": "memfd\n",
              "off_cpu.folded": sleeps(SLEPT - SLEPT // 3, cut=SLEPT // 3),
              "pipes.folded": pipes(ANSWERS, ANSWERS)}
    return {**files, **changed}


def packed(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            if text is None:
                continue
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return base64.encodebytes(out.getvalue()).decode()


def console(files):
    lines = ["TM-PARANOID 3"]
    lines += [f"TM-RESULT {name} 0" for name in boot.LOOKUPS + boot.PERIODS + boot.RECORDS]
    lines += [f"TM-SLEPT {SLEPT}", f"TM-ASKED {ANSWERS * 2}"]
    lines += [f"TM-IDENTITY {name},{name.split()[1]} 0" for name in IDENTITIES]
    return "\n".join(lines) + f"\n--- TM-OUT\n{packed(files)}--- TM-OUT-END\nTM-END\n"


def verdict(text):
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        return boot.judge(text, folder), said.getvalue()


def without(text, part):
    assert part in text, part
    return text.replace(part, "", 1)


def boots():
    """Only a removed breakpoint is a reason to boot again, and only once."""
    died, panicked = "[ 1.5] Oops: int3: 0000 [#1]\n", "Kernel panic - not syncing\n"
    for consoles, last in (([died, "whole"], "whole"), ([died, died, "whole"], died),
                           ([panicked, "whole"], panicked), (["whole", died], "whole")):
        left = iter(consoles)
        with contextlib.redirect_stdout(io.StringIO()):
            assert boot.boot_again(lambda: next(left)) == last, consoles


def main():
    boots()
    good = console(recordings())
    half = good.index("--- TM-OUT\n") + len(packed(recordings())) // 2
    deep, rows = recorded_kernels.COMMAND_DEPTH, recorded_kernels.ROWS_DEPTH
    cases = {
        "no start of the recordings": without(good, "--- TM-OUT\n"),
        "no end of the recordings": without(good, "--- TM-OUT-END\n"),
        "no recordings": good[:good.index("--- TM-OUT\n")] + "TM-END\n",
        "half of the recordings": good[:half] + "\n--- TM-OUT-END\nTM-END\n",
        "no end of the guest": without(good, "TM-END\n"),
        "another paranoid": without(good, "TM-PARANOID 3\n"),
        "an identity is missing": without(good, "TM-IDENTITY tidemark-symbol 60579,60579 0\n"),
    }
    for name in boot.LOOKUPS + boot.PERIODS + boot.RECORDS:
        cases[f"no result of {name}"] = without(good, f"TM-RESULT {name} 0\n")
    for name in recorded_kernels.EXPECTED:
        cases[f"no {name}"] = console(recordings(**{name: None}))
    for title, text in {
            "a whole stack among cuts for time": recursion("deep-cfi", rows, 1, time=99),
            "another frame among cuts for time": recursion("deep-cfi", rows, 90) +
                                                folded("deep-cfi", ["[truncated: time]", "recurse",
                                                                    "other", "recurse"], 10),
            "too many frames among cuts for time": recursion("deep-cfi", rows, 90) +
                                                  recursion("deep-cfi", rows + 2, 0, time=10),
            "too few whole stacks": recursion("deep-cfi", rows, 19, time=3),
            "too few samples": recursion("deep-cfi", rows, 15),
            "rows cut for another reason": recursion("deep-cfi", rows, 90, stack_fault=1),
            "a frame is missing": recursion("deep-cfi", rows - 1, 10) +
                                  recursion("deep-cfi", rows, 90)}.items():
        cases[title] = console(recordings(**{"rows.0002.folded": text}))
    cases["cut for a lost frame pointer"] = console(
        recordings(**{"command.folded": recursion("deep", deep, 80, frame_pointer=20)}))
    for title, changed in {"the rate is not lowered": {"weight_seconds": {"1": 3.0, "4": 0.0}},
                           "samples stand for one period": {"on_cpu_seconds": 600 / 997},
                           "no clock of their own": {"bpf_seconds": 0}}.items():
        cases[title] = console(recordings(**{"governed.json": json.dumps(GOVERNED | changed)}))
    cases["less is shown than sampled"] = console(
        recordings(**{"governed.folded": folded("deep", ["_start"], 600)}))
    cases["another file is named"] = console(recordings(**{"remaps.folded": remaps("variant_b")}))

    cases["copied text has no names"] = console(
        recordings(**{"anonymous.folded": copied("[anon]")}))
    cases["no copied text has a table"] = console(
        recordings(**{"anonymous.folded": without_table(90)}))
    for title, number in (("no jitdump", anonymous_code.NONE), ("another jitdump", 7)):
        cases[title] = console(recordings(
            **{"anonymous.records": marker(7, 7) + marker(8, number) + context("memfd")}))
    for title, names in (("no process context", ()), ("one that was not named", ("memfd", "anon"))):
        cases[title] = console(recordings(
            **{"anonymous.records": marker(7, 7) + marker(8, 8) + "".join(map(context, names))}))

    for title, text in {"half of the sleeps": sleeps(SLEPT // 2), "twice": sleeps(2 * SLEPT),
                        "sleeps without a name": sleeps(SLEPT, "sleeps+0x10"),
                        "too few sleeps have a table": sleeps(SLEPT * 2 // 5, cut=SLEPT * 3 // 5),
                        "sleeps in another state": sleeps(SLEPT, state="[io_wait]")}.items():
        cases[title] = console(recordings(**{"off_cpu.folded": text}))
    for title, text in {"half of the answers": pipes(ANSWERS, ANSWERS // 2),
                        "half of the questions": pipes(ANSWERS // 2, ANSWERS),
                        "longer than all took": pipes(3 * ANSWERS, ANSWERS),
                        "answers in another state": pipes(ANSWERS, ANSWERS, "[io_wait]"),
                        "no wakers": pipes(ANSWERS, ANSWERS, answered=[], rang=[]),
                        "another thread woke": pipes(ANSWERS, ANSWERS,
                                                     answered=["[woken by waits]", "_start"]),
                        "an interrupted thread is shown": pipes(ANSWERS, ANSWERS,
                                                                rang=RANG + ["ask"])}.items():
        cases[title] = console(recordings(**{"pipes.folded": text}))
    cases["no truth of the answers"] = without(good, f"TM-ASKED {ANSWERS * 2}\n")
    cases["no truth of the sleeps"] = without(good, f"TM-SLEPT {SLEPT}\n")

    code, said = verdict(good)
    failed = [f"the good boot is judged a failure: {said}"] if code else []
    failed += [f"passes: {title}" for title, text in cases.items() if not verdict(text)[0]]
    for sentence in failed:
        print("FAIL:", sentence)
    print(f"{len(cases) + 1} consoles judged, {len(failed)} wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
