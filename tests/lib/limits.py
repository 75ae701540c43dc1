# SPDX-License-Identifier: Apache-2.0
"""limits - the resource limits of a process, and what they must be for each program of tidemark

They are read from /proc/PID/limits.
"""
import re

from recorded import check

UNLIMITED = float("inf")
GIB = 1 << 30
SENDS = 4096  # TM_FDPASS_DESCRIPTORS of shared/fdpass.h, of who sends descriptors
# {program: {limit: the most it may be}}; a limit that is not listed must be that of whoever started
# tidemark.
OWN = {
    "tidemark": {"Max core file size": 0, "Max open files": 128},
    "tidemark-collector": {"Max core file size": 0, "Max open files": None},
    "tidemark-opener": {"Max core file size": 0, "Max open files": SENDS, "Max file size": 0},
    "tidemark-symbolizer": {"Max core file size": 0, "Max open files": 4096 + 64,
                            "Max address space": 4 * GIB},
    "tidemark-parser": {"Max core file size": 0, "Max open files": SENDS},
    "tidemark-debuginfod": {"Max core file size": 0, "Max open files": SENDS,
                            "Max file size": GIB // 2, "Max address space": GIB},
    "tidemark-exporter": {"Max core file size": 0, "Max open files": 64,
                          "Max address space": GIB},
    "tidemark-spool": {"Max core file size": 0, "Max open files": SENDS,
                       "Max address space": GIB // 4},
}
COLLECTOR_DESCRIPTORS = 256, 8 # spare, and for each CPU


def of(path):
    """{limit: (soft, hard)}"""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()[1:]
    found = {}
    for line in lines:
        name, soft, hard = re.match(r"(Max .*?)\s{2,}(\S+)\s+(\S+)", line).groups()
        found[name] = tuple(UNLIMITED if text == "unlimited" else int(text)
                            for text in (soft, hard))
    return found


def check_all(program, limits, inherited, cpus):
    check(len(limits) >= 16 and set(limits) == set(inherited),
          "%s has the limits %s" % (program, sorted(limits)))
    for name, (soft, hard) in limits.items():
        most = OWN[program].get(name, UNLIMITED)
        if most is None:
            most = COLLECTOR_DESCRIPTORS[0] + COLLECTOR_DESCRIPTORS[1] * cpus
        if name in OWN[program]:
            check(soft == hard <= most, "%s: %s is %s, %s and may be %s" %
                  (program, name, soft, hard, most))
        # The command raises that of locked memory on kernels that count BPF maps as such.
        elif name != "Max locked memory":
            check((soft, hard) == inherited[name], "%s: %s is %s, with its caller %s" %
                  (program, name, (soft, hard), inherited[name]))
