# SPDX-License-Identifier: Apache-2.0
"""reference - compares a recording with what perf's sideband reported of the same time

Records is what the collector pushed into the shared ring. Judgement compares each sample in it with
what the sideband reported.
"""
import collections
import os

from recorded import check
from sideband import BOOT_AHEAD, FORK, MMAP2, Sideband, same_file

EXITING, KTHREAD, IN_EXEC, USER_MODE, NO_MM = 1, 2, 4, 8, 16 # TM_FLAG_*
PATH_DELETED = 1 << 9
FILE, ANON, VDSO, KERNEL, UNRESOLVED, METHOD = range(1, 7) # enum tm_frame_kind

Identity = collections.namedtuple(
    "Identity", "dev ino size mtime_sec mtime_nsec generation ctime_ns path")
Process = collections.namedtuple(
    "Process",
    "exe_file level ns_tgid mnt_ns own_tgid jitdump comm path cgroup flags ktime")

Method = collections.namedtuple(
    "Method", "process ktime flags first_line name_width file_width lines_bytes name file in_class "
    "signature")


def method_number(frame):
    """Of a frame of kind METHOD; 0: it has none."""
    return frame >> 19 & (1 << 40) - 1


class Sample:
    __slots__ = ("ktime", "tgid", "generation", "tid", "flags", "kernel", "stop", "comm", "frames",
                 "state", "value")

    def __init__(self, word):
        self.ktime, self.tgid = int(word[1]), int(word[2])
        self.generation = (self.tgid, int(word[3]), int(word[4]))
        self.tid, self.flags, self.kernel = int(word[5]), int(word[6]), int(word[8])
        self.stop, self.comm = word[9], text(word[10])
        frames = word[11] if len(word) > 11 else "-"
        self.frames = [int(f, 16) for f in frames.split(",")] if frames != "-" else []
        self.state, self.value = (word[12], int(word[15])) if word[0] == "O" else (None, 0)


def text(word):
    return bytes.fromhex(word[1:])


def unpacked(word):
    """The path that a record holds as components, the last one first, each closed by a NUL."""
    return b"/" + b"/".join(reversed(text(word).split(b"\0")[:-1]))


class Records:
    """samples in ring order, off_cpu those of threads without a CPU;
    processes: {generation: [Process]}; exits: {generation: ktime}; methods: {number: [Method]}"""

    def __init__(self, path):
        self.samples, self.off_cpu = [], []
        self.processes, self.exits = collections.defaultdict(list), {}
        self.meanings, self.retired = collections.defaultdict(list), {}
        self.methods = collections.defaultdict(list)
        with open(path, encoding="ascii") as file:
            for line in file:
                self._take(line.split())
        self.own = {p.own_tgid for all_ in self.processes.values() for p in all_}
        self.own_of = {g[0]: all_[-1].own_tgid for g, all_ in self.processes.items()}
        self.nested = any(g[0] != all_[-1].own_tgid for g, all_ in self.processes.items())

    def _take(self, word):
        generation = (int(word[2]), int(word[3]), int(word[4]))
        if word[0] == "S":
            self.samples.append(Sample(word))
        elif word[0] == "O":
            self.off_cpu.append(Sample(word))
        elif word[0] == "P":
            self.processes[generation].append(Process(
                *map(int, word[7:13]), text(word[13]), unpacked(word[14]), unpacked(word[15]),
                int(word[6]), int(word[1])))
        elif word[0] == "F":
            number = int(word[7])
            identity = Identity(*map(int, word[8:15]), unpacked(word[16]))
            known = self.meanings[number]
            if not known or known[-1][1][:-1] != identity[:-1]:
                known.append((self.retired.get(number, 0), identity))
        elif word[0] == "X":
            check(generation not in self.exits, "two EXITs of %s" % (generation,))
            self.exits[generation] = int(word[1])
        elif word[0] == "M":
            self.methods[int(word[7])].append(Method(
                generation, *map(int, (word[1], *word[8:13])), *map(text, word[13:17])))
        elif word[0] == "R":
            self.retired[int(word[7])] = int(word[1])

    def file(self, number, ktime):
        """The Identity that the file number stood for at that time, or None."""
        for begin, identity in reversed(self.meanings.get(number, [])):
            if ktime >= begin:
                return identity
        return None

    def own_tgid(self, tgid):
        return self.own_of.get(tgid, 0 if self.nested else tgid)


def half_written(comm, old, new):
    """Whether the kernel was sampled as it wrote one name over another: new bytes, then old.
    All of the new bytes may be there before the zero that ends them."""
    return any(comm == new[:n] + old[n:] for n in range(len(new) + 1)) or comm == new


class Judgement:
    """Compares each sample of a process that the sideband knows with what the sideband reported.

    wrong: [(what, ktime, generation, comm, flags)], one for each thing wrong with a sample
    """

    def __init__(self, sideband, records):
        self.sideband, self.records, self.wrong = sideband, records, []
        self.counts = collections.Counter()
        # {generation: times of its samples that were taken when it was already exiting}
        self.dying = collections.defaultdict(set)
        self.side_of, self.generation_of = {}, {}
        self.names = {comm for _, comms in sideband.comms.values() for comm in comms}
        check(sideband.lost == 0, "the sideband lost %d events" % sideband.lost)
        for sample in records.samples:
            self._judge(sample)

    def _judge(self, sample):
        own = self.records.own_tgid(sample.tgid)
        side, next_birth = None, None
        # Without a number of its own it is not of this namespace, or was never announced there.
        if own:
            side, next_birth = self.sideband.of(
                own, sample.generation[1] - BOOT_AHEAD, sample.ktime)
        if sample.flags & KTHREAD or (side is None and sample.comm not in self.names):
            self.counts["of others"] += 1 # whatever else runs on this host
        elif side is None or not side.maps:
            self.counts["unjudged"] += 1
        elif sample.flags & IN_EXEC:
            self.counts["in_exec"] += 1
            if sample.frames or sample.stop != "exec":
                self._say("frames inside execve", sample)
        else:
            self._side(sample, side)
            when = sample.ktime
            if sample.flags & EXITING:
                self.dying[sample.generation].add(when)
            if next_birth and when >= next_birth:
                self.counts["after the next birth"] += 1
                when = next_birth - 1
                if not sample.flags & NO_MM:
                    self._say("its process number already belongs to another process", sample)
            if sample.tid == sample.tgid:
                self._comm(sample, own, when)
            elif not self.records.nested:
                # In a nested namespace the sideband knows this thread by another number.
                self._comm(sample, sample.tid, when)
            if sample.flags & NO_MM:
                self.counts["dying"] += 1
                if not sample.flags & EXITING or sample.frames:
                    self._say("no mm, yet not exiting", sample)
            else:
                self.counts["whole"] += 1
                self._process(sample, side)
                self._frames(sample, side)

    def _say(self, what, sample):
        self.wrong.append((what, sample.ktime, sample.generation, sample.comm, sample.flags))

    def _side(self, sample, side):
        """Each generation must belong to one incarnation, and each incarnation to one generation.
        Otherwise a sample was put on the wrong side of an exec."""
        if self.side_of.setdefault(sample.generation, side) is not side:
            self._say("a generation on both sides of an exec", sample)
        if self.generation_of.setdefault(side, sample.generation) != sample.generation:
            self._say("two generations between two execs", sample)

    def _comm(self, sample, tid, when):
        now, then = self.sideband.comms_at(tid, when)
        if now is None:
            self.counts["comm unknown"] += 1
        elif sample.comm == now:
            pass
        # A hit in the kernel may come without kernel frames: the hit's own mode decides.
        elif sample.flags & USER_MODE or not half_written(sample.comm, now, then or b""):
            self._say("comm %r, not %r; the next is %r" % (sample.comm, now, then), sample)

    def _process(self, sample, side):
        known = self.records.processes.get(sample.generation)
        if not known:
            self._say("no PROCESS", sample)
            return
        for process in known:
            if process.own_tgid != self.records.own_tgid(sample.tgid):
                self._say("number %d in our PID namespace" % process.own_tgid, sample)
            if process.path != self.path_of(side.exe.path, process.flags):
                self._say("path %r, not %r" % (process.path, side.exe.path), sample)
            exe = self.records.file(process.exe_file, sample.ktime)
            if exe and not same_file(side.exe, exe):
                self._say("executable %s, not %s" % (exe, side.exe), sample)
            self.counts["with identity"] += exe is not None and process is known[0]

    @staticmethod
    def path_of(path, flags):
        deleted = b" (deleted)"
        return path[:-len(deleted)] if flags & PATH_DELETED and path.endswith(deleted) else path

    def _frames(self, sample, side):
        kinds = collections.Counter(frame >> 60 for frame in sample.frames)
        if sample.flags & USER_MODE:
            self.counts["user hits"] += 1
            self.counts["user hits by file"] += \
                bool(kinds) and kinds[FILE] + kinds[VDSO] + kinds[METHOD] == len(sample.frames)
        for frame in sample.frames:
            if frame >> 60 != FILE:
                continue
            number, offset = frame >> 40 & 0x7FFFF, frame & (1 << 40) - 1
            identity = self.records.file(number, sample.ktime)
            if identity is None:
                self._say("file %d has no FILE" % number, sample)
            elif not side.holds(identity, offset):
                self._say("%s+0x%x was not mapped" % (identity, offset), sample)
            else:
                self.counts["frames"] += 1


def check_page(records, page, tgids):
    """The page must show as many samples of each process, path and comm as the records hold."""
    wanted, shown = collections.Counter(), collections.Counter()
    for sample in records.samples:
        if sample.tgid in tgids:
            known = records.processes.get(sample.generation)
            path = known[-1].path.decode() if known else ""
            wanted[sample.tgid, path, sample.comm.decode()] += 1
    for hit in page.hits:
        if hit.generation.tgid in tgids:
            shown[hit.generation.tgid, hit.generation.exe, hit.comm] += hit.count
    differ = [(key, wanted[key], shown[key])
              for key in wanted | shown if wanted[key] != shown[key]]
    check(not differ, "records and page differ for %d processes: %s" % (len(differ), differ[:3]))
    return sum(wanted.values())


def check_exits(judged):
    """Each announced process that has ended must have one EXIT, whatever it was and wherever it
    ran, and no other process may have one. Upstream lost them for processes without an interpreter
    (#338: it recorded the exit state only under a condition) and in PID namespaces (#1538: a
    feature flag disabled the exit path)."""
    records, missing, early, known, late = judged.records, [], [], 0, 0
    for generation, side in judged.side_of.items():
        if generation not in records.processes:
            continue
        if side.end and records.processes[generation][0].ktime in judged.dying.get(generation, ()):
            late += 1
        elif side.end:
            known += 1
            if generation not in records.exits:
                missing.append((generation, side.how, side.exe and side.exe.path))
        elif generation in records.exits:
            early.append(generation)
    print("  EXIT: %d announced generations ended, and %d of them have no EXIT; %d have one that "
          "went on by exec; %d were already dying when they were first met" %
          (known, len(missing), len(early), late))
    check(known > 0, "no announced generation ended, so EXIT is not tested")
    check(not missing, "generations that ended have no EXIT: %s" % missing[:3])
    check(not early, "generations that went on by exec have an EXIT: %s" % early[:3])


def sideband_tgids(sideband, records):
    """The process numbers, in the initial PID namespace, of those whose birth the sideband saw."""
    born = {t for t, list_ in sideband.incarnations.items() if t and list_[0].how == "birth"}
    return {s.tgid for s in records.samples if records.own_tgid(s.tgid) in born}


def check_delivered(records, ran, tgids):
    """Each timer that went off while these processes ran must have become a sample of the same
    process, except where the kernel did not run the sampling program after it."""
    fired, skipped, _ = ran
    samples = collections.Counter((s.tgid, s.generation[1])
                                  for s in records.samples if s.tgid in tgids)
    owed = {key: count for key, count in fired.items() if key[0] in tgids}
    total = sum(owed.values())
    missing = sum(max(0, count - samples[key]) for key, count in owed.items())
    more = sum(max(0, count - owed.get(key, 0)) for key, count in samples.items())
    lost = max(0, missing - skipped)
    delivered, of_run = (100.0 * (1 - n / max(1, total)) for n in (missing, lost))
    print("  P2: %d timers went off for them, %d without a sample; the kernel skipped %d of all: "
          "%.3f %% delivered, %.3f %% of what it ran" %
          (total, missing, skipped, delivered, of_run))
    check(more == 0, "%d samples belong to no timer, so the counting is wrong" % more)
    check(total > 0 and lost <= 0.001 * total, "%d samples of %d are missing" % (lost, total))
    # The kernel does not tell whose timers it skipped. Most are of processes that call bpf().
    check(missing <= 0.01 * total + 3,
          "%d samples are missing, more than skipping explains" % missing)


def timer_hits(path):
    """{(tgid, start): timers that went off}, how many the kernel skipped, of all processes, and
    {tgid: its number in the PID namespace of the reference}"""
    with open(path, encoding="ascii") as file:
        skipped = int(file.readline().split()[1])
        lines = [list(map(int, line.split())) for line in file]
    return {(tgid, start): fired for tgid, start, fired, _ in lines}, skipped, \
        {tgid: own for tgid, _, _, own in lines if own}


def read_recording(work, name):
    """The Sideband, the Records and the timer hits of one recording; prints how many there are."""
    prefix = os.path.join(work, name)
    sideband, records = Sideband(prefix + ".sideband"), Records(prefix + ".records")
    ran = timer_hits(prefix + ".hits")
    records.own_of.update(ran[2])
    execs = sum(i.how == "exec" for all_ in sideband.incarnations.values() for i in all_)
    print("  reference: %d samples, %d generations announced; sideband %d births, %d execs, "
          "%d mappings" %
          (len(records.samples), len(records.processes), sideband.counts[FORK], execs,
           sideband.counts[MMAP2]))
    return sideband, records, ran
