# SPDX-License-Identifier: Apache-2.0
"""unloading_check - compares the classes in samples with those that ran then

usage: unloading_check.py NAME WHAT CLASSES - NAME and NAME.N of UnloadingProgram, NAME.records of
ring_recorder, NAME.NNNN.otlp and NAME.NNNN.json, a report each
"""
import bisect
import collections
import glob
import re
import sys

import java_stacks
import otlp
from recorded import Wrong, balance, check, summary
from reference import METHOD, Records, method_number

MADE = re.compile(r"^N(\d{7})OfOneShape$")
UNLOADED_MIN = 0.8   # of the classes: else their memory was never used again
NAMELESS_MAX = 0.01  # of the methods in samples: their announcement was over budget
WITHOUT_MAX = 0.05   # of the samples while a class ran, which have no method of it
LEAST = 0.1          # of the classes are seen at least
CLOCK_NS = 5_000_000 # by which the clocks of report and program may differ: one counts ms


class Thread:
    """when: [(made, begin, end, class)], sorted"""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            self.tid = int(next(file).split()[1])
            self.when = [(*map(int, times), int(made))
                         for made, *times in map(str.split, file)]
        self.made = [when[0] for when in self.when]

    def at(self, ktime):
        """The class that was there then, or None; whether it ran."""
        index = bisect.bisect_right(self.made, ktime) - 1
        if index < 0 or ktime > self.when[index][2]:
            return None, False
        return self.when[index][3], ktime >= self.when[index][1]


class Ring:
    """What the samples and METHOD records say, sample by sample."""

    def __init__(self, path, threads):
        self.records = Records(path)
        self.stale, self.counts = collections.Counter(), collections.Counter()
        self.without = collections.Counter()  # kinds of the frames next to the leaf
        self.classes = set()
        self.names = {number: {(m.in_class, m.name) for m in all_ if m.name}
                      for number, all_ in self.records.methods.items()}
        of = {thread.tid: thread for thread in threads}
        # Before, the runtime had no descriptor: when the parser has made it is up to the host.
        described = min((sample.ktime for sample in self.records.samples
                         if any(frame >> 60 == METHOD for frame in sample.frames)), default=0)
        for sample in self.records.samples:
            thread = of.get(sample.tid)
            if thread and sample.ktime >= described:
                self.add(sample, *thread.at(sample.ktime))
            self.counts["before"] += bool(thread) and sample.ktime < described

    def add(self, sample, there, has_run):
        shown = set()
        for frame in sample.frames:
            if frame >> 60 != METHOD:
                continue
            names = self.names.get(method_number(frame), set())
            self.counts["methods"] += 1
            self.counts["nameless"] += not names
            for in_class, _ in names:
                found = MADE.match(in_class.decode("utf-8", "replace"))
                if found:
                    shown.add(int(found.group(1)))
        self.classes |= shown
        for made in shown - {there}:
            self.stale["class %d, while %s was there" % (made, there)] += 1
        self.counts["running"] += has_run
        if has_run and there not in shown:
            self.counts["without"] += 1
            self.without[" ".join(str(frame >> 60) for frame in sample.frames[:6])] += 1

    def check(self, classes, counts):
        several = [names for names in self.names.values() if len(names) > 1]
        check(not several, "%d numbers mean several methods: %s" % (len(several), several[:2]))
        check(not self.stale, "%d classes did not run then: %s" %
              (sum(self.stale.values()), self.stale.most_common(3)))
        check(len(self.classes) >= LEAST * classes, "only %d classes were seen" %
              len(self.classes))
        check(self.counts["nameless"] <= NAMELESS_MAX * self.counts["methods"],
              "%d of %d methods have no name: %s" %
              (self.counts["nameless"], self.counts["methods"], counts))
        check(self.counts["without"] <= WITHOUT_MAX * self.counts["running"],
              "%d of %d samples lack the class that ran: %s; frames of these kinds: %s" %
              (self.counts["without"], self.counts["running"], counts,
               self.without.most_common(5)))


def check_reports(paths, threads, ahead):
    """Each class in a report ran in the time of that report."""
    when = {made: (begin + ahead, end + ahead)
            for thread in threads for begin, _, end, made in thread.when}
    seen, wrong = set(), []
    for path in paths:
        for sample in otlp.read(path).samples:
            begin, end = sample["time"], sample["time"] + sample["duration"]
            for frame in java_stacks.frames(sample):
                found = MADE.match(frame.name.split(".")[0])
                if not found:
                    continue
                made = int(found.group(1))
                ran = when.get(made, (0, 0))
                seen.add(made)
                if ran[0] > end + CLOCK_NS or ran[1] < begin - CLOCK_NS:
                    wrong.append((path[-9:-5], made))
    print("  %d reports show %d classes, %d of them wrongly" % (len(paths), len(seen), len(wrong)))
    check(len(paths) >= 3, "only %d reports" % len(paths))
    check(not wrong, "classes that did not run at the time of their report: %s" % wrong[:5])
    return seen


def main(name, what, classes):
    classes = int(classes)
    threads = [Thread(path) for path in sorted(glob.glob(name + ".[0-9]"))]
    with open(name, encoding="ascii") as file:
        ahead, unloaded = map(int, file.read().split())
    ring = Ring(name + ".records", threads)
    reports = list(map(summary, sorted(glob.glob(name + ".[0-9][0-9][0-9][0-9].json"))))
    counts = "methods_written %d, late %d, lost %d, limited %d" % tuple(
        sum(report["methods_" + key] for report in reports)
        for key in ("written", "late", "lost", "limited"))
    print("FIGURE java unloading: %s | %d classes, %d unloaded; %d of them in %d samples, %d "
          "shown while others ran; %d of %d methods without a name; %d samples lack the class "
          "that ran; %d before the descriptor; %s | none while others ran" %
          (what, classes, unloaded, len(ring.classes), ring.counts["running"],
           sum(ring.stale.values()), ring.counts["nameless"], ring.counts["methods"],
           ring.counts["without"], ring.counts["before"], counts))
    for report in reports:
        balance(report)
    check(sum(len(thread.when) for thread in threads) == classes, "the program did not run all")
    check(unloaded >= UNLOADED_MIN * classes, "only %d classes were unloaded" % unloaded)
    ring.check(classes, counts)
    seen = check_reports(sorted(glob.glob(name + ".[0-9][0-9][0-9][0-9].otlp")), threads, ahead)
    check(len(seen) >= LEAST * classes, "only %d classes are in reports" % len(seen))


try:
    main(*sys.argv[1:])
except Wrong as found_wrong:
    print("  WRONG: %s" % found_wrong)
    sys.exit(1)
