# SPDX-License-Identifier: Apache-2.0
"""anonymous_code - what a recording must say of code in anonymous memory

Text that a program copied there is that of its file (remap_text.c), and a process that has code of
no file names its jitdump (jitdump_marker.c). Tests import it.
"""
import collections

COPIED = ("middle", "start", "whole")  # what remap_text calls itself
CALLS = ["main", "outer", "middle", "inner"]
WHOLE_SHARE = 0.9  # least: the rest is from before the unwind table is there, and of clock()
ANONYMOUS = 1 << 12  # TM_FLAG_ANONYMOUS
NONE = 0xffffffff  # TM_FILE_NONE


def judge_text(recorded, stacks, least, cuts=()):
    """@stacks: what recorded.folded() gives. @least: {comm: stacks that it must have}. @cuts: for
    these reasons any number may be cut."""
    whole, cut, other = collections.Counter(), collections.Counter(), collections.Counter()
    for comm, frames, count in stacks:
        if comm not in COPIED:
            continue
        user = [name for name in frames if not name.endswith("_[k]")]
        called = user[0] == "_start" and (CALLS == user[-4:] or "clock" in user)
        excused = recorded.truncation(frames) in cuts
        (whole if called else cut if excused else other)[comm] += count
    for comm, wanted in least.items():
        print(f"  copied text, {comm}: {whole[comm]} stacks are whole, {other[comm]} are not; "
              f"{cut[comm]} are not judged")
        recorded.check(whole[comm] >= wanted, f"{whole[comm]} whole stacks of {comm}")
        recorded.check(whole[comm] >= WHOLE_SHARE * (whole[comm] + other[comm]),
                       f"{other[comm]} stacks of {comm} are cut or unnamed")


def jitdumps(path):
    """[(comm, PID in its namespace, paths of its jitdumps)] of all processes that have code of no
    file. @path: lines of tests/integration/programs/event_text.h."""
    files, processes = {}, {}
    with open(path, encoding="ascii") as lines:
        for word in map(str.split, lines):
            if word[0] == "F":
                parts = bytes.fromhex(word[16][1:]).split(b"\0")[:-1]
                files[int(word[7])] = "/" + b"/".join(reversed(parts)).decode(errors="replace")
            elif word[0] == "P" and int(word[6]) & ANONYMOUS:
                comm = bytes.fromhex(word[13][1:]).decode(errors="replace")
                found = processes.setdefault(tuple(word[2:5]), (comm, int(word[9]), set()))
                if int(word[12]) != NONE:
                    found[2].add(files.get(int(word[12]), "not announced"))
    return list(processes.values())


def judge_jitdumps(recorded, path, wanted):
    """@wanted: {comm: processes of that name that must show a jitdump}."""
    found = collections.Counter()
    for comm, pid, paths in jitdumps(path):
        print(f"  code of no file in {comm} ({pid}): {sorted(paths)}")
        if paths or comm == "jitdump_marker":
            recorded.check([name.rsplit("/", 1)[-1] for name in paths] == [f"jit-{pid}.dump"],
                           f"the jitdump of {comm} is {sorted(paths)}")
            found[comm] += 1
    recorded.check(found == wanted, f"processes with a jitdump: {dict(found)}, expected {wanted}")
