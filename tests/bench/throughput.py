# SPDX-License-Identifier: Apache-2.0
"""throughput - transactions a second of pgbench, without a recording and with two kinds, in turn

throughput.py TIDEMARK BPF_STATE SECONDS ROUNDS FOLDER PGBENCH ARGUMENT...
"""
import re
import statistics
import subprocess
import sys
import threading
import time

import recording

HZ = 99
SETTLE = 2.0 # after a recording has begun or ended
KINDS = (("without", None), ("record", ()), ("record --off-cpu", ("--off-cpu",)))


class Pgbench:
    """lines: [(end of a second, by time.time(); transactions a second)]"""

    def __init__(self, command):
        self.lines = []
        self.process = subprocess.Popen(
            ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"] +
            command[:1] + ["-P", "1", "--progress-timestamp"] + command[1:],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            found = re.match(r"progress: ([0-9.]+) s, ([0-9.]+) tps", line)
            if found:
                self.lines.append((float(found[1]), float(found[2])))

    def watch(self, seconds):
        """The mean of the seconds that lie within the next SECONDS."""
        begin = time.time()
        time.sleep(seconds + 1)
        inside = [tps for end, tps in self.lines if begin <= end - 1 and end <= begin + seconds + 1]
        if not inside:
            sys.exit("throughput: pgbench says nothing")
        return statistics.mean(inside)


def with_recording(pgbench, tidemark, bpf_state, seconds, folder, options):
    running = None
    if options is not None:
        running = recording.Recording(tidemark, bpf_state, HZ, folder,
                                      [*options, "-o", folder + "/x.folded"])
    time.sleep(SETTLE)
    found = pgbench.watch(seconds)
    if running:
        running.end()
    return found


def main():
    tidemark, bpf_state, seconds, rounds, folder, *command = sys.argv[1:]
    pgbench = Pgbench(command)
    found = {name: [] for name, _ in KINDS}
    try:
        for _ in range(int(rounds)):
            for name, options in KINDS:
                found[name].append(with_recording(pgbench, tidemark, bpf_state, float(seconds),
                                                  folder, options))
    finally:
        pgbench.process.kill()
    print("pgbench %s, %s rounds of %s s each: transactions a second" %
          (command[1], rounds, seconds))
    for name, each in found.items():
        shares = sorted(100 * (tps / bare - 1) for tps, bare in zip(each, found["without"]))
        low, middle, high = statistics.quantiles(shares, n=4)
        print("  %-17s median %8.0f%s" %
              (name, statistics.median(each),
               "" if name == "without" else "; against without, in pairs: median %+.1f %%, "
               "quartiles %+.1f and %+.1f %%" % (middle, low, high)))


main()
