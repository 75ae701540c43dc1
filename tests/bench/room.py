# SPDX-License-Identifier: Apache-2.0
"""room - a recording in the background, and what its kernel room has counted so far"""
import atexit
import os
import subprocess
import time

import window

PATIENCE = 30.0 # seconds for the programs to be there


class Recording:
    """KEPT: the program tests/soak/kept, which reads maps and programs by their ids.

    ARGUMENTS for `tidemark record` beside the rate; COMMAND is what it shall start; ACCOUNT, if
    given, is entered by it. Returns once it samples; on an idle host, once it has for one second.
    """

    def __init__(self, tidemark, kept, hz, work, arguments=None, command=(), account=None):
        self.kept = kept
        arguments = arguments or ["-o", os.path.join(work, "x.folded")]
        self.log = os.path.join(work, "recording.log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [tidemark, "record", "-F", str(hz)] + arguments + (["--"] + list(command) if command else []),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                preexec_fn=account.enter if account else None)
        atexit.register(self.end) # on every way out
        self.programs = window.find(self.process.pid, self._still)
        self.collector = self.programs["collector"][0]
        self._wait_for_samples()

    def _still(self):
        if self.process.poll() is not None:
            raise SystemExit("the recording ended: %s" % window.text(self.log).strip()[:300])

    def _wait_for_samples(self):
        begun = attached = time.monotonic()
        while not self.levels().get("taken"):
            self._still()
            if not self.levels():
                attached = time.monotonic()
            if time.monotonic() - attached > 1.0:
                return
            if time.monotonic() - begun > PATIENCE:
                raise SystemExit("the recording does not begin: %s" % window.text(self.log).strip()[:300])
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

    def sampled(self):
        """Counters of the levels, and run time of the program that samples."""
        counted = self.levels()
        runs = [numbers for name, numbers in self.runs().items() if name.startswith("sample_")]
        counted["runs"] = sum(numbers[0] for numbers in runs)
        counted["ns"] = sum(numbers[1] for numbers in runs)
        return counted

    def segment(self, seconds):
        """What `sampled` counts in so many seconds from now."""
        before = self.sampled()
        time.sleep(seconds)
        after = self.sampled()
        return {name: after[name] - before[name] for name in after}

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
