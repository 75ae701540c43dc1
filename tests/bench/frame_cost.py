# SPDX-License-Identifier: Apache-2.0
"""frame_cost - BPF time of one user frame: a stack of 65 frames less one of 5, over the difference

frame_cost.py TIDEMARK BPF_STATE RECURSE FOLDER SECONDS ROUNDS HZ...: RECURSE holds the programs
recurse-cfi and recurse-fp. Deep and shallow stacks take turns in one recording that samples
nothing else, so the cost of a sample that does not depend on its depth cancels out.
"""
import os
import statistics
import sys
import time

import goals
import recording
from goals import number, ratio

DEEP, SHALLOW = 65, 5
HERE = os.path.dirname(os.path.abspath(__file__))
SETTLE = 0.4 # seconds after a change of program: first announcements
CASES = (("cfi", "x", "CFI, three forms"), ("cfi", "t", "CFI, saves nothing"),
         ("cfi", "m", "CFI, saves two"), ("cfi", "f", "CFI, saves six"), ("fp", "x",
          "frame pointers"))
FORM = "%-20s %4s | %8s %17s %6s %5s | %9s %9s %7s %7s"


class Driven:
    """A recording of the programs that each_cpu runs."""

    def __init__(self, tidemark, bpf_state, hz, folder, recurse):
        self.recurse = recurse
        self.path = path = os.path.join(folder, "lines")
        os.mkfifo(path)
        lines = os.open(path, os.O_RDWR) # so that neither side waits for the other
        self.lines = os.fdopen(lines, "w", buffering=1)
        self.recording = recording.Recording(tidemark, bpf_state, hz, folder,
                                             command=[os.path.join(HERE, "each_cpu"), path])

    def run(self, which, frames, form):
        self.lines.write("%s %d %s\n" %
                         (os.path.join(self.recurse, "recurse-" + which), frames, form))
        time.sleep(SETTLE)

    def wait_for_table(self):
        """Until unwind tables are used; false if they never are."""
        self.run("cfi", DEEP, "x")
        for _ in range(40):
            counted = self.recording.segment(0.25)
            if counted.get("steps_by_table", 0) > DEEP / 2 * counted["taken"] > 0:
                return True
        return False

    def end(self):
        self.recording.end()
        self.lines.close()
        os.unlink(self.path)


def measure(driven, which, form, seconds, rounds):
    """[(ns a frame, ns of a deep sample, of a shallow one, frames seen in the deep one)]"""
    found = []
    for _ in range(rounds):
        pair = []
        for frames in (DEEP, SHALLOW):
            driven.run(which, frames, form)
            counted = driven.recording.segment(seconds)
            taken = max(1, counted["taken"])
            pair.append((counted["ns"] / taken,
                         1 + (counted.get("steps_by_table", 0) +
                              counted.get("steps_by_frame_pointer", 0)) / taken))
        (deep, seen), (shallow, _) = pair
        found.append(((deep - shallow) / (DEEP - SHALLOW), deep, shallow, seen))
    return found


def line(name, hz, found, goal):
    each = [row[0] for row in found]
    middle = [statistics.median(column) for column in zip(*found)]
    print(FORM % (name, hz, number(middle[0], 1), "(%.1f, %.1f)" % (min(each), max(each)),
                  number(goal, 0), ratio(middle[0], goal), number(middle[1], 0),
                  number(middle[2], 0), number(middle[3], 1), len(found)), flush=True)


def main():
    tidemark, bpf_state, recurse, folder, seconds, rounds, *rates = sys.argv[1:]
    print(FORM % ("stack", "hz", "ns/frame", "(least, most)", "goal", "x", "deep ns", "shallow",
                  "frames", "rounds"))
    for hz in map(int, rates):
        driven = Driven(tidemark, bpf_state, hz, folder, recurse)
        if not driven.wait_for_table():
            print("%-20s %4d | no unwind table is used: all is by frame pointer, or cut" %
                  ("", hz))
        for which, form, name in CASES:
            found = measure(driven, which, form, float(seconds), int(rounds))
            line(name, hz, found, goals.FRAME[which])
        driven.end()


if __name__ == "__main__":
    main()
