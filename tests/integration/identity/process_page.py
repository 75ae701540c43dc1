# SPDX-License-Identifier: Apache-2.0
"""process_page - what the page tells of each process generation, for the proofs of process life"""
import collections
import math

from recorded import Page, check, truncation

Generation = collections.namedtuple("Generation", "number tgid ns_tgid comm exe cgroup")
Sample = collections.namedtuple("Sample", "generation tid comm frames count")


class ProcessPage(Page):
    """generations: one per generation; hits: samples with their generation"""

    def __init__(self, path):
        super().__init__(path)
        data, strings = self.data, self.data["strings"]
        self.generations = [Generation(i, p[0], p[1], strings[p[2]], strings[p[3]], strings[p[4]])
                      for i, p in enumerate(data["processes"])]
        threads = data["threads"][:]
        flat = iter(data["kinds"][0]["samples"])
        self.hits = []
        for (comm, _, frames, count), (_, thread, _) in zip(self.samples, zip(flat, flat, flat)):
            process, tid, _ = threads[thread]
            self.hits.append(Sample(self.generations[process], tid, comm, frames, count))


def generations(page, function, name, expected):
    """Each sample in function(N) must be of a thread called name(N) and of a generation of its own
    with expected(N) = (executable, cgroup ending or None). function is a compiled pattern; its one
    group that matches is N.

    Returns {N: samples}, and what is wrong."""
    found, owner, of_generation, wrong = collections.Counter(), {}, {}, []
    for hit in page.hits:
        numbers = {int(m.group(m.lastindex)) for m in map(function.fullmatch, hit.frames) if m}
        if not numbers:
            continue
        if len(numbers) > 1:
            wrong.append(("two functions", hit))
            continue
        number = numbers.pop()
        found[number] += hit.count
        exe, cgroup = expected(number)
        if hit.comm != name(number):
            wrong.append(("comm", hit))
        if hit.generation.exe != exe:
            wrong.append(("executable", hit))
        if cgroup is not None and not hit.generation.cgroup.endswith(cgroup):
            wrong.append(("cgroup", hit))
        if owner.setdefault(number, hit.generation.number) != hit.generation.number:
            wrong.append(("two generations of one child", hit))
        if of_generation.setdefault(hit.generation.number, number) != number:
            wrong.append(("two children in one generation", hit))
    return found, wrong


def delivered(read, samples, cpu_us, lives):
    """Of the samples that this much CPU time owes, less those that the kernel never ran. A timer
    meets each life at its own phase, so the sum over many strays by half a period each."""
    owed = read["hz"] * cpu_us / 1e6
    missing = owed - samples - read["not_run"]
    print("  %d samples of %.0f owed by %.2f s of CPU time; not run %d" %
          (samples, owed, cpu_us / 1e6, read["not_run"]))
    check(missing <= 0.001 * owed + 3 * math.sqrt(lives),
          "%.0f samples of %.0f are missing" % (missing, owed))


def in_kernel_half_way(hit):
    return truncation(hit.frames) in ("exec", "exiting")
