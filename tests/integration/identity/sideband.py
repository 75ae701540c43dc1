# SPDX-License-Identifier: Apache-2.0
"""sideband - what perf's sideband reported: who was which program when, and what it had mapped"""
import bisect
import collections
import os
import struct
import time

from recorded import check

COMM, EXIT, FORK, MMAP2, LOST = 3, 4, 7, 10, 2 # enum perf_event_type
COMM_EXEC = 1 << 13                            # PERF_RECORD_MISC_COMM_EXEC

def boot_ahead():
    """How far start_boottime is ahead of CLOCK_MONOTONIC, the clock of all other times here, which
    stands still while the host is suspended."""
    between = [-time.clock_gettime_ns(time.CLOCK_MONOTONIC) +
               time.clock_gettime_ns(time.CLOCK_BOOTTIME) for _ in range(100)]
    # Less than a millisecond is only the time between the two readings.
    return min(between) if min(between) > 1000000 else 0


BOOT_AHEAD = boot_ahead()

Mapping = collections.namedtuple("Mapping", "dev ino generation offset bytes path")


def overlays():
    """The device numbers of the overlay file systems that are mounted."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
        lines = [line.split() for line in file]
    numbers = [line[2].split(":") for line in lines if line[line.index("-") + 1] == "overlay"]
    return {int(major) << 20 | int(minor) for major, minor in numbers}


OVERLAYS = overlays()


def same_file(mapping, identity):
    """Whether both mean one file. Of a file on an overlay the sideband reports the overlay's own
    inode, while the kernel maps the one behind it; there path, size and time are compared."""
    if mapping.dev in OVERLAYS and identity.dev not in OVERLAYS:
        seen = os.stat(mapping.path)
        return mapping.path == identity.path and seen.st_size == identity.size and \
            seen.st_mtime_ns == identity.mtime_sec * 1000000000 + identity.mtime_nsec and \
            seen.st_ctime_ns == identity.ctime_ns
    return mapping[:3] == (identity.dev, identity.ino, identity.generation)


class Incarnation:
    """What one process was from its birth, or from an exec, to the next exec or its end."""

    def __init__(self, tgid, begin, how, before=None):
        self.tgid, self.begin, self.how = tgid, begin, how
        self.maps = list(before.maps) if before else []
        self.exe = before.exe if before else None # Mapping of the executable
        self.end = 0

    def add(self, mapping):
        self.maps.append(mapping)
        if self.exe is None:
            self.exe = mapping # exec maps the program itself before all else

    def holds(self, identity, offset):
        return any(same_file(m, identity) and m.offset <= offset <= m.offset + m.bytes
                   for m in self.maps)


class Sideband:
    """incarnations: {tgid: [Incarnation]}; comms: {tid: ([time], [comm])}"""

    def __init__(self, path):
        self.incarnations, self.comms, self.lost = collections.defaultdict(list), {}, 0
        self.processes = {} # what _processes() has returned so far
        self.counts = collections.Counter()
        with open(path, "rb") as file:
            data = file.read()
        records, at = [], 0
        while at < len(data):
            kind, misc, size = struct.unpack_from("<IHH", data, at)
            check(size >= 24, "the file of the sideband is not complete")
            body = data[at + 8:at + size - 16]
            _, _, when = struct.unpack_from("<IIQ", data, at + size - 16)
            records.append((when, len(records), kind, misc, body))
            at += size
        for record in sorted(records, key=lambda r: r[:2]):
            self._take(record[0], *record[2:])

    def _take(self, when, kind, misc, body):
        self.counts[kind] += 1
        if kind == LOST:
            self.lost += struct.unpack_from("<QQ", body)[1]
        elif kind == FORK:
            pid, ppid, tid, ptid = struct.unpack_from("<IIII", body)
            if pid == tid:
                parent = self.last(ppid) or Incarnation(ppid, 0, "unseen")
                self.incarnations[pid].append(Incarnation(pid, when, "birth", parent))
            if ptid in self.comms:
                self._name(tid, when, self.comms[ptid][1][-1])
        elif kind == EXIT:
            pid, _, tid = struct.unpack_from("<III", body)
            if pid == tid and self.last(pid):
                self.last(pid).end = when
        elif kind == COMM:
            pid, tid = struct.unpack_from("<II", body)
            self._name(tid, when, body[8:].split(b"\0")[0])
            if misc & COMM_EXEC:
                if self.last(pid):
                    # That was the end of its first thread only, as another thread executes.
                    self.last(pid).end = 0
                self.incarnations[pid].append(Incarnation(pid, when, "exec"))
        elif kind == MMAP2:
            pid, _, _, length, offset, major, minor, inode, generation = struct.unpack_from(
                "<IIQQQIIQQ", body)
            path = body[64:].split(b"\0")[0]
            known = self.last(pid)
            if known and inode:
                known.add(Mapping(major << 20 | minor, inode, generation, offset, length, path))

    def _name(self, tid, when, comm):
        times, comms = self.comms.setdefault(tid, ([], []))
        times.append(when)
        comms.append(comm)

    def last(self, tgid):
        return self.incarnations[tgid][-1] if self.incarnations.get(tgid) else None

    def of(self, tgid, start, when):
        """The incarnation, at that time, of the process that was born at that start, and the time
        at which the next process got its number. The incarnation is None if the process began
        before the sideband did; the time is None if there is no next process.

        A process that is reaped on one CPU may still be leaving another one when its number already
        belongs to the next process."""
        births, processes = self._processes(tgid)
        found = bisect.bisect_left(births, start)
        # It was born before the sideband began, but an exec of it may have been reported.
        if found == len(births):
            begins, known = processes[-1] if processes and not births else ([], [])
            found = bisect.bisect_right(begins, when)
            return (known[found - 1] if found else None), None
        begins, mine = processes[found]
        side = mine[max(0, bisect.bisect_right(begins, when) - 1)]
        return side, births[found + 1] if found + 1 < len(births) else None

    def _processes(self, tgid):
        """The times at which processes with this number were born, and for each of these processes
        ([time], [Incarnation]). Where no birth was reported, there is only the latter."""
        if tgid not in self.processes:
            births, processes = [], []
            for one in self.incarnations.get(tgid, []):
                if one.how == "birth":
                    births.append(one.begin)
                if one.how == "birth" or not processes:
                    processes.append(([], []))
                processes[-1][0].append(one.begin)
                processes[-1][1].append(one)
            # What came before the first birth belongs to no process that is known.
            processes = processes[-len(births):]
            self.processes[tgid] = births, processes
        return self.processes[tgid]

    def lifetimes_ms(self, how):
        """How long each incarnation lasted that began by `how`, birth or exec, and has ended."""
        for list_ in self.incarnations.values():
            for one in list_:
                if one.how == how and one.end:
                    yield (one.end - one.begin) / 1e6

    def comms_at(self, tid, when):
        """The comm at that time, and the next one, since the kernel changes a name before it
        reports the change."""
        times, comms = self.comms.get(tid, ([], []))
        found = bisect.bisect_right(times, when)
        return (comms[found - 1] if found else None), \
            (comms[found] if found < len(comms) else None)
