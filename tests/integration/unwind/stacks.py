# SPDX-License-Identifier: Apache-2.0
"""stacks - whether user stacks are whole, according to tidemark and to their outermost frame"""
import collections
import os

import root_frames
from recorded import check
from reference import ANON, EXITING, FILE, IN_EXEC, KTHREAD, NO_MM, USER_MODE, VDSO, Records

RETURN = 1 << 59
NUMBER = 0x7FFFF # TM_FRAME_FILE_MAX
IO_WORKER = 1 << 5
LEAF_KINDS = {FILE: "file", ANON: "anonymous", VDSO: "vdso"}


def is_here(path, identity):
    """Whether the file at this path is the one that was sampled.

    Only size and time are compared, because not every file system reports the same device and
    inode everywhere.
    """
    try:
        seen = os.stat(path)
    except OSError:
        return False
    return (seen.st_size, int(seen.st_mtime)) == (identity.size, identity.mtime_sec)


def aliases(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t") for line in file)


class Stacks(Records):
    """The samples of a recording.

    user: the samples that have a user stack, sorted by ktime; without: how many samples have none,
    by reason. off_cpu: the samples are those of threads without a CPU instead.
    """

    def __init__(self, path, alias=None, off_cpu=False):
        super().__init__(path)
        if off_cpu:
            self.samples = self.off_cpu
        self.alias, self.user, self.without = alias or {}, [], collections.Counter()
        self.samples.sort(key=lambda sample: sample.ktime)
        for sample in self.samples:
            if sample.flags & (KTHREAD | IO_WORKER):
                self.without["kernel thread"] += 1
            elif sample.flags & IN_EXEC:
                self.without["exec"] += 1
            elif sample.flags & NO_MM:
                self.without["exiting"] += 1
            elif sample.state == "new":
                self.without["never ran"] += 1
            else:
                self.user.append(sample)

    def place(self, sample, frame):
        """(path, offset) of the code of a frame, or None if the code is not in a file."""
        if frame >> 60 != FILE:
            return None
        identity = self.file(frame >> 40 & NUMBER, sample.ktime)
        if identity is None:
            return None
        path = identity.path.decode("utf-8", "replace")
        offset = (frame & (1 << 40) - 1) - (1 if frame & RETURN else 0)
        return self.alias.get(path, path), offset

    def root(self, sample):
        """Why the outermost frame is a root (root_frames.root), or None if it is no root.

        "unread" if the path leads to another file here: the sampled file was in a container or a
        chroot, or has been replaced since.
        """
        place = self.place(sample, sample.frames[-1]) if sample.frames else None
        if not place:
            return None
        identity = self.file(sample.frames[-1] >> 40 & NUMBER, sample.ktime)
        if place[0] not in self.alias.values() and not is_here(place[0], identity):
            return "unread"
        return root_frames.root(*place)

    def name(self, sample, frame):
        place = self.place(sample, frame)
        if place:
            return root_frames.name(*place)
        return LEAF_KINDS.get(frame >> 60, "unresolved %d" % (frame & 0xFF))

    def ends(self, sample, count=3):
        """The outermost frames as text, the innermost of them last."""
        outermost = reversed(sample.frames[-count:])
        return " < ".join(self.name(sample, f) for f in outermost) or "no frame"

    def just_met(self, seconds):
        """The samples that were cut because the file of their outermost frame had no unwind table,
        and had been sampled first less than this many seconds before."""
        first, young = {}, set()
        for sample in self.user:
            for frame in sample.frames:
                if frame >> 60 == FILE:
                    first.setdefault(frame >> 40 & NUMBER, sample.ktime)
            if sample.stop != "no_table" or not sample.frames:
                continue
            met = first.get(sample.frames[-1] >> 40 & NUMBER, 0)
            if sample.ktime - met < seconds * 1e9:
                young.add(sample)
        return young


class Tally:
    """How many of some samples are whole according to tidemark and how many according to ELF files.

    silent: reported as whole, but the outermost frame is no root. modest: reported as cut, but the
    outermost frame is a root.
    """

    def __init__(self, stacks, samples):
        self.total = self.whole = self.rooted = self.unread = 0
        self.reasons, self.cut = collections.Counter(), collections.Counter()
        self.silent, self.modest = collections.Counter(), collections.Counter()
        for sample in samples:
            said, root = sample.stop == "none", stacks.root(sample)
            self.total += 1
            self.whole += said
            self.unread += root == "unread"
            self.rooted += root not in (None, "unread")
            if not said:
                self.reasons[sample.stop] += 1
                self.cut[sample.stop, stacks.ends(sample)] += 1
            if said and root is None:
                self.silent[stacks.ends(sample)] += 1
            if root not in (None, "unread") and not said:
                self.modest[sample.stop, stacks.ends(sample)] += 1

    def share(self):
        return 100.0 * self.whole / max(1, self.total)

    def print(self, indent="    ", most=4):
        for (reason, ends), count in self.cut.most_common(most):
            print("%s%d cut, %s: %s" % (indent, count, reason, ends))
        for ends, count in self.silent.most_common(most):
            print("%s%d reported as whole, but do not begin at a root: %s" % (indent, count, ends))
        for (reason, ends), count in self.modest.most_common(most):
            print("%s%d reported as cut (%s), but begin at a root: %s" %
                  (indent, count, reason, ends))
