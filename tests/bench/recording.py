# SPDX-License-Identifier: Apache-2.0
"""recording - a recording in the background, and what its BPF side has counted so far"""
import atexit
import os
import subprocess
import time

import proc_usage

START_SECONDS = 30.0 # within which a recording must begin


class Recording:
    """BPF_STATE: the program tests/soak/bpf_state, which reads maps and programs by their ids.

    ARGUMENTS are those of `tidemark record` beside the rate. COMMAND is what it starts. It enters
    CGROUP if given. Returns once a sample was taken or, on an idle host, a second after the attach.
    """

    def __init__(self, tidemark, bpf_state, hz, work, arguments=None, command=(), cgroup=None):
        self.bpf_state = bpf_state
        arguments = arguments or ["-o", os.path.join(work, "x.folded")]
        self.log = os.path.join(work, "recording.log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [tidemark, "record", "-F", str(hz)] + arguments +
                (["--"] + list(command) if command else []),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                preexec_fn=cgroup.enter if cgroup else None)
        atexit.register(self.end) # on every way out
        self.programs = proc_usage.find(self.process.pid, self._check_running)
        self.collector = self.programs["collector"][0]
        self._wait_for_samples()

    def _check_running(self):
        if self.process.poll() is not None:
            raise SystemExit("the recording ended: %s" % proc_usage.text(self.log).strip()[:300])

    def _wait_for_samples(self):
        begun = attached = time.monotonic()
        while not self.levels().get("taken"):
            self._check_running()
            if not self.levels():
                attached = time.monotonic()
            if time.monotonic() - attached > 1.0:
                return
            if time.monotonic() - begun > START_SECONDS:
                raise SystemExit("the recording does not begin: %s" %
                                 proc_usage.text(self.log).strip()[:300])
            time.sleep(0.05)

    def _read(self, mode):
        """{name: numbers}; empty before the programs are loaded."""
        out = subprocess.run([self.bpf_state, str(self.collector), mode], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False).stdout
        return {words[0]: [int(n) for n in words[1:]] for words in map(str.split, out.splitlines())}

    def levels(self):
        """{counter: number} of struct tm_level_counts."""
        return {name: numbers[0] for name, numbers in self._read("levels").items()}

    def runs(self):
        """{program: (runs, ns)}"""
        return {name: (numbers[0], numbers[1]) for name, numbers in self._read("programs").items()}

    def sampled(self):
        """Counters of the nesting levels, and run time of the sampling program."""
        counted = self.levels()
        runs = [numbers for name, numbers in self.runs().items() if name.startswith("sample_")]
        counted["runs"] = sum(numbers[0] for numbers in runs)
        counted["ns"] = sum(numbers[1] for numbers in runs)
        return counted

    def segment(self, seconds):
        """What `sampled` counts in the next SECONDS."""
        before = self.sampled()
        time.sleep(seconds)
        after = self.sampled()
        return {name: after[name] - before[name] for name in after}

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
