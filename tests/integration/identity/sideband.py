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
    """start_boottime counts on where CLOCK_MONOTONIC, the clock of all other times here, stands still."""
    between = [-time.clock_gettime_ns(time.CLOCK_MONOTONIC) + time.clock_gettime_ns(time.CLOCK_BOOTTIME)
               for _ in range(100)]
    return min(between) if min(between) > 1000000 else 0 # less is the time between two readings


BOOT_AHEAD = boot_ahead()

Mapping = collections.namedtuple("Mapping", "dev ino generation offset bytes path")


def overlays():
    """Devices of the overlay file systems that are mounted."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
        lines = [line.split() for line in file]
    numbers = [line[2].split(":") for line in lines if line[line.index("-") + 1] == "overlay"]
    return {int(major) << 20 | int(minor) for major, minor in numbers}


OVERLAYS = overlays()


def same_file(mapping, identity):
    """The sideband tells of an overlay's own inode where the kernel maps the one behind it: there the
    path, the size and the times must do."""
    if mapping.dev in OVERLAYS and identity.dev not in OVERLAYS:
        seen = os.stat(mapping.path)
        return mapping.path == identity.path and seen.st_size == identity.size and \
            seen.st_mtime_ns == identity.mtime_sec * 1000000000 + identity.mtime_nsec
    return mapping[:3] == (identity.dev, identity.ino, identity.generation)


class Incarnation:
    """What one process was from a birth or an exec to the next."""

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
        return any(same_file(m, identity) and m.offset <= offset <= m.offset + m.bytes for m in self.maps)


class Sideband:
    """incarnations: {tgid: [Incarnation]}; comms: {tid: ([time], [comm])}"""

    def __init__(self, path):
        self.incarnations, self.comms, self.lost = collections.defaultdict(list), {}, 0
        self.processes = {} # of the finished incarnations, as asked for
        self.counts = collections.Counter()
        with open(path, "rb") as file:
            data = file.read()
        records, at = [], 0
        while at < len(data):
            kind, misc, size = struct.unpack_from("<IHH", data, at)
            check(size >= 24, "the sideband is not whole")
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
                self.incarnations[pid].append(
                    Incarnation(pid, when, "birth", self.last(ppid) or Incarnation(ppid, 0, "unseen")))
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
                    self.last(pid).end = 0 # its first thread's, in favour of the one that executes
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
        """The incarnation then of the process that was born at that start, and when the next process got
        its number. None: it began before the sideband did.

        A process that is reaped on one CPU may still be leaving another, when its number has gone on."""
        births, processes = self._processes(tgid)
        found = bisect.bisect_left(births, start)
        if found == len(births): # born before, but perhaps not before its first exec that was reported
            begins, known = processes[-1] if processes and not births else ([], [])
            found = bisect.bisect_right(begins, when)
            return (known[found - 1] if found else None), None
        begins, mine = processes[found]
        side = mine[max(0, bisect.bisect_right(begins, when) - 1)]
        return side, births[found + 1] if found + 1 < len(births) else None

    def _processes(self, tgid):
        """Times of birth, and beside each ([time], [Incarnation]) of that process; those alone where no
        birth was reported."""
        if tgid not in self.processes:
            births, processes = [], []
            for one in self.incarnations.get(tgid, []):
                if one.how == "birth":
                    births.append(one.begin)
                if one.how == "birth" or not processes:
                    processes.append(([], []))
                processes[-1][0].append(one.begin)
                processes[-1][1].append(one)
            processes = processes[-len(births):] # what came before the first birth is nobody's
            self.processes[tgid] = births, processes
        return self.processes[tgid]

    def lifetimes_ms(self, how):
        """Of the processes that have ended; exec: only of those that executed something."""
        for list_ in self.incarnations.values():
            for one in list_:
                if one.how == how and one.end:
                    yield (one.end - one.begin) / 1e6

    def comms_at(self, tid, when):
        """The comm then, and the next: the kernel writes a name before it tells of it."""
        times, comms = self.comms.get(tid, ([], []))
        found = bisect.bisect_right(times, when)
        return (comms[found - 1] if found else None), (comms[found] if found < len(comms) else None)
