# SPDX-License-Identifier: Apache-2.0
"""short_check - judges the records of JVMs that live for a moment

usage: short_check.py NAME JAVA FIRST RUNS NAMELESS_MAX WITHOUT_MAX - NAME.records, NAME.json; FIRST
is the process that was there before the description of its HotSpot
"""
import collections
import sys

from recorded import Wrong, check, summary
from reference import METHOD, Records, method_number

LEAST = 20 # samples of a process


def methods_of(sample):
    return [f for f in sample.frames if f >> 60 == METHOD]


class Names:
    def __init__(self, records):
        self.named = {number: [(m.in_class, m.name) for m in all_ if m.name]
                      for number, all_ in records.methods.items()}

    def has(self, number, name):
        return name in self.named.get(number, [])

    def is_main(self, sample):
        return any(self.has(method_number(f), (b"ShortProgram", b"main"))
                   for f in methods_of(sample))


class Process:
    """samples of one generation, judged"""

    def __init__(self, samples, names):
        self.samples, self.without, self.frames, self.nameless = samples, 0, 0, 0
        self.unsaid = 0 # frames of methods without a METHOD record, among the nameless
        self.methods = set()
        threads = collections.defaultdict(list)
        for sample in samples:
            threads[sample.tid].append(sample)
            mine = [method_number(f) for f in methods_of(sample)]
            self.methods |= set(mine)
            self.frames += len(mine)
            self.nameless += sum(not names.named.get(number) for number in mine)
            self.unsaid += sum(number not in names.named for number in mine)
        self.has_main = False
        for thread in threads.values():
            running = [s.ktime for s in thread if names.is_main(s)]
            self.has_main |= bool(running)
            self.without += sum(s.stop == "none" and not methods_of(s) and
                                running[0] < s.ktime < running[-1] for s in thread if running)


def main(path, java, first, runs, nameless_max, without_max):
    first, runs = int(first), int(runs)
    records, read = Records(path + ".records"), summary(path + ".json")
    records.samples.sort(key=lambda s: s.ktime)
    names = Names(records)
    jvms = {g for g, p in records.processes.items() if p[-1].path.endswith(b"/java")}
    begin = [g for g in jvms if g[0] == first]
    check(len(begin) == 1, "%d first processes" % len(begin))
    seen = [s.ktime for s in records.samples if s.generation == begin[0] and methods_of(s)]
    check(seen, "the first process has no method")
    late = [Process([s for s in records.samples if s.generation == g], names)
            for g in sorted(jvms, key=lambda g: g[1]) if g[0] != first]
    frames, nameless, unsaid, without, samples = (
        sum(values) for values in zip(*((p.frames, p.nameless, p.unsaid, p.without, len(p.samples))
                                        for p in late))) if late else (0, 0, 0, 0, 0)
    print("FIGURE java short: %s | first process: %.0f ms from start to the first method | %d JVMs "
          "of 300 ms: %d samples, %d of them between others in main without methods; %d methods in "
          "%d frames, %d without a name, %d of them without a record; methods_written %d, late %d, "
          "lost %d | at most 1 %% without a name" %
          (java, (min(seen) - begin[0][1]) / 1e6, len(late), samples, without,
           sum(len(p.methods) for p in late), frames, nameless, unsaid,
           read["methods_written"], read["methods_late"], read["methods_lost"]))
    check(len(late) == runs, "%d processes" % len(late))
    check(all(p.has_main for p in late), "main was never seen in %d processes" %
          sum(not p.has_main for p in late))
    check(samples >= LEAST * runs, "only %d samples" % samples)
    check(frames >= samples, "only %d frames of methods" % frames)
    check(nameless <= float(nameless_max) * frames, "%d of %d methods have no name" %
          (nameless, frames))
    check(without <= float(without_max) * samples, "%d of %d samples have no method" %
          (without, samples))


try:
    main(*sys.argv[1:])
except Wrong as found:
    print("  WRONG: %s" % found)
    sys.exit(1)
