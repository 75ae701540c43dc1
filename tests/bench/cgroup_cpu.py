# SPDX-License-Identifier: Apache-2.0
"""cgroup_cpu - CPU time of an agent and of all that it started, by a cgroup of its own

It includes children that lived for a moment. Where no cgroup can be made (`exact` is False), the
caller adds up /proc/PID/schedstat instead.
"""
import atexit
import os
import time

V1 = "/sys/fs/cgroup/cpuacct"
V2 = "/sys/fs/cgroup"


class CgroupCpu:
    number = 0

    def __init__(self):
        CgroupCpu.number += 1
        name = "tidemark-bench-%d-%d" % (os.getpid(), CgroupCpu.number)
        self.path, self.exact = None, False
        for root, file in ((V1, "cpuacct.usage"), (V2, "cpu.stat")):
            path = os.path.join(root, name)
            try:
                os.mkdir(path)
            except OSError:
                continue
            self.path, self.usage = path, os.path.join(path, file)
            self.exact = os.path.exists(self.usage)
            atexit.register(self.end)
            if self.exact:
                break
            self.end()

    def enter(self):
        """In the child, before it executes the agent."""
        if self.exact:
            with open(os.path.join(self.path, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write("%d" % os.getpid())

    def ns(self):
        with open(self.usage, encoding="ascii") as file:
            text = file.read()
        if self.path.startswith(V1):
            return int(text)
        return 1000 * int(dict(line.split() for line in text.splitlines())["usage_usec"])

    def end(self):
        for _ in range(100): # the last process may be on its way out
            try:
                if self.path:
                    os.rmdir(self.path)
                self.path = None
                return
            except OSError:
                time.sleep(0.02)
