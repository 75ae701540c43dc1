# SPDX-License-Identifier: Apache-2.0
"""goals - the goals that the project set for its cost, and how figures compare to them"""

HZ, SECONDS = 99, 30
# CPU s of all programs plus run time of the BPF programs, per 30 s at 99 Hz on two CPUs.
COST = {"idle": 0.010, "spin": 0.050, "deep": 0.075, "pgbench": 0.115, "redis": 0.115, "gcc": 0.200,
        "python": 0.075, "node": 0.100, "forks": 0.300}
MEMORY = 32e6     # resident memory and BPF maps, idle
DELIVERED = 0.99  # of hz x busy CPU
WHOLE = 0.999     # of the user stacks
# ns of BPF of a sample, by rate: kernel stack and output included.
SAMPLE = {("deep", 99): 8000, ("pgbench", 99): 9000, ("pgbench", 20): 14000, ("spin", 99): 3000}
# ns of a user frame on a warm stack of 65.
FRAME = {"cfi": 100, "fp": 60}


def cost(load, seconds, hz):
    return COST[load] * seconds / SECONDS * hz / HZ if load in COST else None


def number(value, digits, scale=1.0, width=0):
    return ("-" if value is None else "%.*f" % (digits, value * scale)).rjust(width)


def ratio(value, goal, width=0):
    """How many times the goal."""
    return number(value / goal if value is not None and goal else None, 2, width=width)
