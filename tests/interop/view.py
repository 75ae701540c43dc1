#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""view - windows of a spool: exact sums, and what is damaged, missing or hostile is named

view.py TIDEMARK MAKE_SPOOL TIDEMARK_SPOOL
"""
import collections
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import segments  # pylint: disable=wrong-import-position
import spool as keeper  # pylint: disable=wrong-import-position

START = 1795400000 # of the spool: 2026-11-23T02:13:20Z
REPORTS, SECONDS, SAMPLES = 120, 5, 400
FIRST, END = 30, 50 # of the window whose folded text is known


class Wrong(Exception):
    pass


def check(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def rfc3339(number):
    """When report `number` begins; halves are within reports."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + int(number * SECONDS)))


def folded(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, number = line.rsplit(" ", 1)
            sums[stack] += int(number)
    return sums


class Spool:
    """A folder with segments, and what tidemark says about it."""

    def __init__(self, tidemark, folder):
        self.tidemark, self.folder = tidemark, folder
        self.text, self.status = "", 0

    def segments(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".segment"))

    def view(self, first, end, *options, command="view"):
        """The folded text of reports `first` to `end`, or None if there is none."""
        output = os.path.join(self.folder, "view.folded")
        if os.path.exists(output):
            os.unlink(output)
        window = (("--from", rfc3339(first), "--to", rfc3339(end)) if command == "view" else
                  (first, end))
        done = subprocess.run(
            [self.tidemark, command, "--spool", self.folder, *window, "-o", output, *options],
            capture_output=True, text=True, check=False, env={"TZ": "UTC"}, timeout=120)
        self.status, self.text = done.returncode, done.stdout + done.stderr
        return folded(output) if self.status == 0 and command == "view" else output

    def change(self, name, at, data):
        with open(os.path.join(self.folder, name), "r+b") as file:
            file.seek(at)
            file.write(data)


def record_at(folder, sequence):
    """(segment, offset of the record, of its body, bytes of its body)"""
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".segment")):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        at = int.from_bytes(data[12:16], "little")
        while at + 152 <= len(data):
            body_bytes = int.from_bytes(data[at + 32:at + 40], "little")
            if int.from_bytes(data[at + 16:at + 24], "little") == sequence:
                return name, at, at + 152, body_bytes
            at += (152 + body_bytes + 7) & ~7
    raise Wrong("there is no report %d" % sequence)


def copy_of(spool, work, name):
    folder = os.path.join(work, name)
    shutil.copytree(spool.folder, folder, ignore=shutil.ignore_patterns("*.folded"))
    return Spool(spool.tidemark, folder)


def a_window_is_the_sum_of_its_reports(spool, wanted, _):
    check(len(spool.segments()) > 1, "the spool is one segment")
    found = spool.view(FIRST, END)
    check(found == wanted, "it is another sum")
    check("%d reports from" % (END - FIRST) in spool.text, spool.text)
    check("damaged" not in spool.text and "missing" not in spool.text, spool.text)


def a_report_of_which_a_part_is_in_the_window_is_shown_whole(spool, wanted, _):
    check(spool.view(FIRST + .5, END - .5) == wanted, "it is another sum")


def times_are_local(spool, wanted, _):
    local = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(START + number * SECONDS))
             for number in (FIRST, END)]
    output = os.path.join(spool.folder, "view.folded")
    subprocess.run([spool.tidemark, "view", "--spool", spool.folder, "--from", local[0], "--to",
                    local[1], "-o", output], check=True, env={"TZ": "UTC"}, capture_output=True)
    check(folded(output) == wanted, "it is another sum")


def processes_add_up_to_all(spool, wanted, _):
    all_of_them = collections.Counter()
    for pid in range(1000, 1040):
        found = spool.view(FIRST, END, "--pid", str(pid))
        check(len(found) > 0 or "no such sample" in spool.text, spool.text)
        all_of_them += found
    check(all_of_them == wanted, "it is another sum")
    check(spool.view(FIRST, END, "--comm", "server") == wanted, "not all are `server`")
    check(not spool.view(FIRST, END, "--comm", "serve"), "`serve` is a thread")


def an_empty_window_says_how_far_the_spool_reaches(spool, _, __):
    spool.view(-20, -10)
    check(spool.status == 1, "it exited with %d" % spool.status)
    check("the spool reaches from 2026-11-23 02:13:20 to 2026-11-23 02:23:20" in spool.text,
          spool.text)
    check(not os.path.exists(os.path.join(spool.folder, "view.folded")), "something is written")


def a_damaged_body_is_named_and_the_rest_is_shown(spool, wanted, work):
    damaged = copy_of(spool, work, "body")
    name, _, body, count = record_at(damaged.folder, FIRST + 6) # sequences start at 1
    damaged.change(name, body + count // 2, b"\xff\x00\xff")
    found = damaged.view(FIRST, END)
    check("%s: report %d is missing" % (name, FIRST + 6) in damaged.text, damaged.text)
    check("does not match its digest" in damaged.text, damaged.text)
    check("no report covers 5.0 s of it" in damaged.text, damaged.text)
    check(found and not found - wanted and sum((wanted - found).values()) == SAMPLES,
          "more than one report is missing")


def a_damaged_header_is_named_and_the_rest_is_shown(spool, wanted, work):
    damaged = copy_of(spool, work, "header")
    name, at, _, _ = record_at(damaged.folder, FIRST + 6)
    damaged.change(name, at + 40, b"\xff")
    found = damaged.view(FIRST, END)
    check("no record begins here" in damaged.text, damaged.text)
    check("report %d is missing" % (FIRST + 6) in damaged.text, damaged.text)
    check(sum((wanted - found).values()) == SAMPLES, "more than one report is missing")


def a_cut_segment_and_one_that_is_none_are_named(spool, wanted, work):
    damaged = copy_of(spool, work, "cut")
    last = damaged.segments()[-1]
    os.truncate(os.path.join(damaged.folder, last),
                os.path.getsize(os.path.join(damaged.folder, last)) - 20)
    with open(os.path.join(damaged.folder, "%020d.segment" % 900000), "wb") as file:
        file.write(os.urandom(10000))
    check(damaged.view(FIRST, END) == wanted, "it is another sum")
    check("%s, " % last in damaged.text and "in the middle of a record" in damaged.text,
          damaged.text)
    check("neither header of the file checks" in damaged.text, damaged.text)


def a_report_that_is_being_written_is_no_damage(spool, wanted, work):
    growing = copy_of(spool, work, "growing")
    last = growing.segments()[-1]
    os.truncate(os.path.join(growing.folder, last),
                os.path.getsize(os.path.join(growing.folder, last)) - 20)
    check(growing.view(FIRST, END) == wanted, "it is another sum")
    check("damaged" not in growing.text and last not in growing.text, growing.text)


def with_shares(spool, work, name, end=None):
    """The reports, up to number `end`, in three shares by turns."""
    folder = os.path.join(work, name)
    os.mkdir(folder)
    with keeper.Spool(sys.argv[3], folder, max_bytes=1 << 30) as program:
        for number, report in enumerate(segments.reports(spool.folder)[:end]):
            stored = program.store(
                report.body, samples=report.samples, uncompressed=report.uncompressed,
                flags=report.flags | number % 3 << keeper.SHARE_SHIFT, start=report.start,
                end=report.end, boottime=report.boottime, realtime=report.realtime)
            check(stored == (keeper.DONE, report.sequence), "not stored: %s" % (stored,))
        check(program.finish() == (0, ""), "the spool ended with an error")
    return Spool(spool.tidemark, folder)


def reports_of_several_shares_are_one_sum(spool, wanted, work):
    shares = with_shares(spool, work, "shares")
    check(shares.view(FIRST, END) == wanted, "it is another sum")
    check("damaged" not in shares.text and "missing" not in shares.text, shares.text)
    last = {segments.reports_of(path)[0].share: path for path in segments.paths(shares.folder)}
    check(len(last) == 3, "not three shares")
    for path in last.values():
        os.truncate(path, os.path.getsize(path) - 20)
    check(shares.view(FIRST, END) == wanted, "it is another sum")
    check("damaged" not in shares.text and "segment" not in shares.text, shares.text)
    name, at, _, _ = record_at(shares.folder, FIRST + 6)
    shares.change(name, at + 40, b"\xff")
    found = shares.view(FIRST, END)
    check("%s: of the reports %d to %d those of this file are missing" %
          (name, FIRST + 4, FIRST + 8) in shares.text, shares.text)
    check(sum((wanted - found).values()) == SAMPLES, "more than one report is missing")


def top_reads_the_newest_of_each_share(spool, _, work):
    shares = with_shares(spool, work, "newest", END)
    done = subprocess.run([spool.tidemark, "top", "--spool", shares.folder, "--window",
                           str(3 * SECONDS)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=120)
    check(done.returncode == 0 and ", 3 reports of %.1f s" % (3 * SECONDS) in done.stdout,
          done.stdout[:300] + done.stderr)


def links_and_fifos_are_not_segments(spool, wanted, work):
    odd = copy_of(spool, work, "odd")
    os.symlink(os.path.join(spool.folder, spool.segments()[0]),
               os.path.join(odd.folder, "%020d.segment" % 900000))
    os.mkfifo(os.path.join(odd.folder, "%020d.segment" % 900001))
    check(odd.view(FIRST, END) == wanted, "it is another sum")
    check(odd.text.count("cannot be read") == 2, odd.text)


def segments_may_be_named_as_files(spool, _, work):
    output = os.path.join(work, "all.folded")
    names = [os.path.join(spool.folder, name) for name in spool.segments()]
    done = subprocess.run([spool.tidemark, "view", *names, "-o", output], check=True,
                          capture_output=True, text=True)
    # What repeats the body of another report is that profile once more.
    check("profiles were there twice and count once" in done.stderr, done.stderr)
    check(sum(folded(output).values()) == SAMPLES * (END - FIRST + 1), "other samples")


def a_body_that_unpacks_without_end_is_refused(spool, _, work):
    bomb = os.path.join(work, "bomb.otlp.gz")
    with gzip.open(bomb, "wb", compresslevel=9) as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
    done = subprocess.run([spool.tidemark, "view", bomb, "-o", os.path.join(work, "b.folded")],
                          capture_output=True, text=True, check=False, timeout=120)
    check(done.returncode == 1, "it exited with %d" % done.returncode)
    check("bomb.otlp.gz: more bytes than a request may have" in done.stderr, done.stderr)


def memory_that_does_not_suffice_is_said(spool, _, work):
    spool.view(FIRST, END, "--memory-max", "16")
    check(spool.status in (0, 1), "it exited with %d" % spool.status)
    huge = os.path.join(work, "huge.otlp")
    with open(huge, "wb") as file:
        file.write(bytes([0x0a, 0x00]) * (12 << 20)) # empty resources
    done = subprocess.run([spool.tidemark, "view", huge, "--memory-max", "64", "-o",
                           os.path.join(work, "h.folded")], capture_output=True, text=True,
                          check=False, timeout=120)
    check(done.returncode == 1 and "raise --memory-max" in done.stderr, done.stderr)


def two_windows_are_compared(spool, _, __):
    middle = (FIRST + END) // 2
    halves = [spool.view(*window) for window in ((FIRST, middle), (middle, END))]
    check(sum(halves[0].values()) == sum(halves[1].values()) == SAMPLES * (END - FIRST) // 2,
          "a report is in both windows")
    path = spool.view(rfc3339(FIRST) + ".." + rfc3339(middle),
                      rfc3339(middle) + ".." + rfc3339(END), command="diff")
    check(spool.status == 0, spool.text)
    found = [collections.Counter(), collections.Counter()]
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, a, b = line.rsplit(" ", 2)
            found[0][stack], found[1][stack] = int(a), int(b)
    check(+found[0] == halves[0] and +found[1] == halves[1], "other numbers than of each window")


def main():
    claims = [value for name, value in globals().items()
              if getattr(value, "__code__", None) and value.__code__.co_argcount == 3
              and value.__module__ == "__main__" and name not in ("copy_of", "with_shares")]
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "spool")
        os.mkdir(folder)
        text = os.path.join(work, "wanted.folded")
        subprocess.run([sys.argv[2], folder, str(START), str(REPORTS), str(SECONDS), str(SAMPLES),
                        str(FIRST), str(END), text, "200000"], check=True)
        spool = Spool(sys.argv[1], folder)
        for claim in claims:
            try:
                claim(spool, folded(text), work)
            except Wrong as wrong:
                sys.exit("FAILED: %s: %s" % (claim.__name__.replace("_", " "), wrong))
            print("ok: %s" % claim.__name__.replace("_", " "))


main()
