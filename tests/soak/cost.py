# SPDX-License-Identifier: Apache-2.0
"""cost - what tidemark costs beside an exec storm, less what it costs without

cost.py TIDEMARK FOLDER WORK SECONDS SEGMENTS: FOLDER holds the programs storm, mayfly and kept. Segments with and
without the storm take turns, so that whatever else the host does is in both; medians are told.
"""
import os
import statistics
import subprocess
import sys
import time

import room
import window

RATE = 1000
GOAL = 0.005 # of one CPU


class Storms(room.Recording):
    def __init__(self, tidemark, folder, hz, work):
        super().__init__(tidemark, os.path.join(folder, "kept"), hz, work)
        self.folder = folder

    def segment(self, seconds, storm):
        """CPU s a second of the programs, of BPF, and on_exit's (runs, ns)."""
        begin = time.monotonic()
        before, early = window.reading(self.programs)[0], self.runs()
        if storm:
            paced = [os.path.join(self.folder, "storm"), "4", str(int(RATE * seconds)), str(RATE),
                     os.path.join(self.folder, "mayfly"), "0"]
            told = subprocess.run(paced, input="go\nend\n", stdout=subprocess.PIPE, text=True, check=True)
            self.rate = float(told.stdout.split()[-1])
        else:
            time.sleep(seconds)
        after, late = window.reading(self.programs)[0], self.runs()
        length = time.monotonic() - begin
        bpf = sum(late[name][1] - early[name][1] for name in late)
        on_exit = tuple(late["on_exit"][i] - early["on_exit"][i] for i in (0, 1))
        cpu = {name: (after[name] - before[name]) / 1e9 / length for name in after}
        return cpu, bpf / 1e9 / length, on_exit


def measure(tidemark, folder, hz, seconds, segments, work):
    recording = Storms(tidemark, folder, hz, work)
    found = {True: [], False: []}
    recording.segment(seconds, True) # the first one pays for kernel symbols and first sights
    for number in range(2 * segments):
        storm = number % 2 == 1
        found[storm].append(recording.segment(seconds, storm))
    recording.end()

    def median(storm, pick):
        return statistics.median(pick(row) for row in found[storm])

    parts = {name: median(True, lambda row: row[0][name]) - median(False, lambda row: row[0][name])
             for name in window.NAMES}
    parts["BPF"] = median(True, lambda row: row[1]) - median(False, lambda row: row[1])
    runs = sum(row[2][0] for row in found[True])
    ns = sum(row[2][1] for row in found[True])
    total = sum(parts.values())
    print("  %d Hz, %.0f execs a second: %s; together %.3f %% of one CPU; on_exit %.0f ns over %d exits" %
          (hz, recording.rate, ", ".join("%s %+.3f %%" % (name, 100 * share) for name, share in parts.items()),
           100 * total, ns / max(1, runs), runs))
    print("FIGURE E5 exec storm at %d Hz | %d s x %d | %.3f %% of one CPU (BPF %.3f %%) | goal %.1f %%: %s" %
          (hz, seconds, segments, 100 * total, 100 * parts["BPF"], 100 * GOAL,
           "met" if total <= GOAL else "MISSED"))
    return ns / max(1, runs), runs


def main():
    tidemark, folder, work, seconds, segments = sys.argv[1:]
    for hz in (19, 99):
        measure(tidemark, folder, hz, float(seconds), int(segments), work)
    ns, runs = measure(tidemark, folder, 1, float(seconds), 1, work)
    print("FIGURE E5 exit hook, processes never sampled | %d exits | %.0f ns each | printed" % (runs, ns))
    if runs < RATE * float(seconds) / 2:
        sys.exit("the exit hook ran only %d times" % runs)


main()
