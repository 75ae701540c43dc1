# SPDX-License-Identifier: Apache-2.0
"""hits - what the kernel's timers owed a recording, as hit_counter counted it from outside

tidemark's own counters balance by definition. Hits are counted where the kernel's timers go off,
whatever tidemark's programs make of them.
"""
import bisect

from recorded import check


class Hits:
    """The hits in a file that hit_counter wrote. Times are nanoseconds since 1970."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            lines = [tuple(map(int, line.split())) for line in file if line.endswith("\n")]
        check(len(lines) >= 2, "%s holds no count" % path)
        self.times = [line[0] for line in lines]
        self.hits = [line[1] for line in lines]
        self.skipped = lines[-1][2]
        self.begin, self.end = self.times[0], self.times[-1]

    def at(self, when):
        """The hits until then. Between two lines they grow in proportion to the time."""
        after = bisect.bisect_right(self.times, when)
        if after == 0:
            return self.hits[0]
        if after == len(self.times):
            return self.hits[-1]
        begin, end = self.times[after - 1], self.times[after]
        added = (self.hits[after] - self.hits[after - 1]) * (when - begin) / (end - begin)
        return self.hits[after - 1] + added

    def between(self, begin, end):
        return self.at(end) - self.at(begin)


def check_taken(what, taken, hits, less=0, more=0):
    """Compares the samples @taken with the @hits counted from outside. @less is how many may be
    missing for a reason that the caller knows; @more is how many may have come before the counting
    began. A hit or two may fall between two readings at either end."""
    spare = 4 + 0.002 * hits
    print("  %s: %d taken of %d hits by the kernel's timers (%+d; allowed -%d to +%d)" %
          (what, taken, hits, taken - hits, less + spare, more + spare))
    check(hits > 100, "%s: only %d hits were counted" % (what, hits))
    check(taken >= hits - less - spare,
          "%s: %d hits are in no count of tidemark's" % (what, hits - taken))
    check(taken <= hits + more + spare,
          "%s: %d samples were taken that no timer explains" % (what, taken - hits))


def check_interval(what, pprof, taken, hits, hz, cpus):
    """Compares one report of several with the hits between the times in its pprof file; returns
    False if the hits of that interval were not all counted. A sample close to the end of an
    interval may be in either report: reports end at a watermark, which lags by some hundredths of a
    second."""
    begin, end = pprof.time_ns, pprof.time_ns + pprof.duration_ns
    if begin < hits.begin or end > hits.end:
        return False
    owed, spare = hits.between(begin, end), 4 + 0.1 * hz * cpus
    print("  %s: %d taken of %d hits in its %.3f s" % (what, taken, owed, pprof.duration_ns / 1e9))
    check(abs(taken - owed) <= spare,
          "%s: %d taken, %d hits by the kernel's timers" % (what, taken, owed))
    return True
