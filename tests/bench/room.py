# SPDX-License-Identifier: Apache-2.0
"""room - a recording of the whole host, and what its kernel room has counted so far"""
import atexit
import os
import subprocess
import time

import window


class Recording:
    """KEPT: the program tests/soak/kept, which reads maps and programs by their ids."""

    def __init__(self, tidemark, kept, hz, work):
        self.kept = kept
        self.process = subprocess.Popen(
            [tidemark, "record", "-F", str(hz), "-o", os.path.join(work, "x.folded")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.end) # on every way out
        self.programs = window.find(self.process.pid)
        self.collector = self.programs["collector"][0]
        while not self.levels().get("taken"):
            if self.process.poll() is not None:
                raise SystemExit("the recording ended: %d" % self.process.returncode)
            time.sleep(0.05)

    def _told(self, mode):
        """{name: numbers}; nothing before the programs are loaded."""
        out = subprocess.run([self.kept, str(self.collector), mode], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False).stdout
        return {words[0]: [int(n) for n in words[1:]] for words in map(str.split, out.splitlines())}

    def levels(self):
        """{counter: number} of struct tm_level_counts."""
        return {name: numbers[0] for name, numbers in self._told("levels").items()}

    def runs(self):
        """{program: (runs, ns)}"""
        return {name: (numbers[0], numbers[1]) for name, numbers in self._told("programs").items()}

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
