# SPDX-License-Identifier: Apache-2.0
"""wait_truth - what wait_states says about its waits, and what a recording found of them

See tests/integration/programs/wait_states.h for the bounds that the program gives.
"""
import collections
import math

from recorded import check, folded

# Without a CPU though the thread could run.
WAITING = ("runnable", "preempted", "yielded", "new")
# The first stratum, of which each shorter time has a sample by chance: 2^OFF_CPU_RATE_SHIFT_FIRST.
FIRST_STRATUM = 1 << 24
# Of these the program knows when they were woken.
EXACT = ("ask_pipe", "answer_pipe")
NAMES = ("count", "off_cpu", "queued", "calls", "asleep")


class Truth:
    """waits: {function: {"states", "count", ...}}, stolen: {function or case: ns},
    others: [[word]]"""

    def __init__(self, path):
        self.waits, self.stolen, self.others, case = {}, {}, [], []
        with open(path, encoding="utf-8") as file:
            for words in map(str.split, file):
                if len(words) == 2 + len(NAMES) and all(map(str.isdigit, words[2:])):
                    self.waits[words[0]] = dict(zip(NAMES, map(int, words[2:])),
                                                states=words[1].split("|"))
                    case.append(words[0])
                elif len(words) == 3 and words[1] == "stolen":
                    self.stolen.update((name, int(words[2])) for name in case + [words[0]])
                    case = []
                else:
                    self.others.append(words)


def found_by_function(path):
    """{function: Counter of ns by state}; a stack counts for each function in it."""
    found = collections.defaultdict(collections.Counter)
    for _, frames, ns in folded(path):
        state = frames[-1] if frames else ""
        if state.startswith("[") and not state.startswith("[truncated"):
            for function in set(frames[:-1]):
                found[function][state[1:-1]] += ns
    return found


def deviation(total, stratum):
    """At most this is the standard deviation of the estimate of a sum of times: that of choices
    that do not depend on each other."""
    return math.sqrt(total * stratum)


def judge(function, truth, found, off_cpu, share=0.01, exact=False):
    """Whether the times of a function lie within what its program measured, but for the share, for
    four standard deviations and for what was dropped or stolen; and whether they are of the right
    states. @exact: ASLEEP is a bound on both sides.

    What waited for a CPU behind a sleep whose waking was not seen counts as sleep. Here no program
    of ours runs for what interrupts the machine's own agent (process 1), as its kernel has it.
    """
    wait, stolen = truth.waits[function], truth.stolen[function]
    total = sum(found.values())
    right = sum(found[state] for state in wait["states"])
    waiting = sum(found[state] for state in WAITING if state not in wait["states"])
    away = found["preempted"] if "preempted" not in wait["states"] else 0
    most = max(wait["off_cpu"], wait["calls"])
    slack = share * most + 4 * deviation(most, off_cpu["stratum_ns"])
    least = slack + stolen + sum(off_cpu["dropped_ns"].values())
    unseen = off_cpu["waking_unseen_ns"]
    print("  %-17s %-22s n %d; off-CPU %.4f s, in calls %.4f s; found %.4f s, %+.2f %%: %s; "
          "queued %.4f s; asleep %.4f s; stolen %.2f s; slack %.4f s" %
          (function, "|".join(wait["states"]), wait["count"], wait["off_cpu"] / 1e9,
           wait["calls"] / 1e9, total / 1e9,
           100 * (total / wait["off_cpu"] - 1) if wait["off_cpu"] else 0,
           {state: round(ns / 1e9, 4) for state, ns in found.items()}, wait["queued"] / 1e9,
           wait["asleep"] / 1e9, stolen / 1e9, slack / 1e9))
    check(total >= wait["off_cpu"] - least, "%s: %d ns were found, it was off-CPU for %d" %
          (function, total, wait["off_cpu"]))
    check(total - away <= most + slack, "%s: %d ns were found, its calls took %d" %
          (function, total - away, most))
    # A sleep is followed by a wait for a CPU; without a sleep, there is one kind of wait.
    others = total - right - (0 if set(wait["states"]) <= set(WAITING) else waiting)
    check(others <= slack, "%s was found in states %s" % (function, dict(found)))
    check(right >= wait["asleep"] - least, "%s: %d ns are %s, it slept %d" %
          (function, right, wait["states"], wait["asleep"]))
    check(not exact or right <= wait["asleep"] + least + unseen, "%s: %d ns are %s, it slept %d" %
          (function, right, wait["states"], wait["asleep"]))
    # How long it takes from a waking until the thread is on a run queue, only the machine knows.
    check(right >= (wait["off_cpu"] - wait["queued"] - least) / 4, "%s: only %d ns are %s" %
          (function, right, wait["states"]))
    queued = wait["queued"] - least - unseen
    check(waiting >= queued or right + waiting >= wait["queued"] - least and
          "preempted" in wait["states"], "%s: %d ns wait for a CPU, the scheduler says %d" %
          (function, waiting, wait["queued"]))


def observed(off_cpu, share=0.01):
    """What was observed, each time at its length, is what samples stand for, dropped or not.

    The strata of the first thread, which waits until they are short (SETTLE), are at first long
    and are halved again and again: so the times before are off by less than two of the first.
    """
    seen, taken = off_cpu["observed_ns"], off_cpu["taken_ns"]
    print("  observed %.4f s, samples stand for %.4f s: %+.3f %%; stratum %d ns" %
          (seen / 1e9, taken / 1e9, 100 * (taken / seen - 1), off_cpu["stratum_ns"]))
    check(abs(taken - seen) <= share * seen + 2 * FIRST_STRATUM + off_cpu["stratum_ns"],
          "observed %d ns, samples stand for %d" % (seen, taken))
