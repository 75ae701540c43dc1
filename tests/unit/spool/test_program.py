#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_program - tidemark-spool on real folders: what it keeps, hands out again, removes and refuses
#
# usage: tests/unit/spool/test_program.py PROGRAM
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import segments  # pylint: disable=wrong-import-position
from spool import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position

PROGRAM = sys.argv[1]
MODES = ((), ("--no-io-uring",))


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield path


def start(path, *options, **limits):
    return Spool(PROGRAM, path, *options, **limits)


def body_of(number, size=1000):
    return random.Random(number).randbytes(size)


def fill(spool, numbers, size=1000, **fields):
    for number in numbers:
        status, sequence = spool.store(body_of(number, size), **fields)
        assert (status, sequence) == (DONE, number), (status, sequence)


def has_ring(process):
    links = "/proc/%d/fd" % process.pid
    return any("io_uring" in os.readlink(os.path.join(links, fd)) for fd in os.listdir(links))


def rings_are_to_be_had():
    try:
        with open("/proc/sys/kernel/io_uring_disabled") as file:
            return int(file.read()) == 0
    except FileNotFoundError:
        return False


def filter_mode(process):
    with open("/proc/%d/status" % process.pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Seccomp:"))


def what_is_stored_is_in_the_segments_as_it_was_sent():
    for mode in MODES:
        with folder() as path, start(path, *mode) as spool:
            status, sequence = spool.store(b"\x1f\x8bbody", samples=42, flags=GZIP, start=5, end=9,
                                           uncompressed=77, boottime=-3, realtime=10**18)
            assert (status, sequence) == (DONE, 1)
            assert spool.store(b"plain", flags=LOCAL)[1] == 2
            first, second = segments.reports(path)
            assert (first.body, first.samples, first.flags, first.start, first.end,
                    first.uncompressed, first.boottime,
                    first.realtime) == (b"\x1f\x8bbody", 42, segments.GZIP, 5, 9, 77, -3, 10**18)
            assert (second.sequence, second.body, second.flags) == (2, b"plain", segments.LOCAL)
            with open(segments.paths(path)[0], "rb") as file:
                _, sequence, machine, boot, salt = segments.header(file.read())
            with open("/proc/sys/kernel/random/boot_id") as file:
                assert boot.hex() == file.read().strip().replace("-", "")
            assert sequence == 1 and any(salt) and len(machine) == 16
            assert os.stat(segments.paths(path)[0]).st_mode & 0o7777 == 0o640
            assert filter_mode(spool.process) in (0, 2)  # 0: built without
            assert has_ring(spool.process) == (not mode and rings_are_to_be_had())
            assert spool.finish() == (0, "")


def what_is_not_delivered_is_fetched_in_order_also_after_a_restart():
    for mode in MODES:
        with folder() as path:
            with start(path, *mode) as spool:
                assert spool.fetch() == NONE
                fill(spool, range(1, 6))
                for number in range(1, 6):
                    sequence, body, _ = spool.fetch(number - 1)
                    assert (sequence, body) == (number, body_of(number))
                assert spool.fetch(5) == NONE
                assert spool.fetch(0)[0] == 1  # again, after a pause
                spool.delivered(2)
                assert spool.fetch(0)[0] == 3
                assert spool.finish() == (0, "")
            with start(path, *mode) as spool:
                assert spool.fetch(0)[:2] == (3, body_of(3))
                fill(spool, (6, 7))
                for number in 4, 5, 6, 7:
                    assert spool.fetch(number - 1)[:2] == (number, body_of(number))
                spool.delivered(7)
                assert spool.fetch(0) == NONE
                spool.kill()
            with start(path, *mode) as spool:
                assert spool.fetch(0) == NONE, "what was delivered is sent again"
                fill(spool, (8,))
                assert spool.fetch(0)[0] == 8
            assert [report.sequence for report in segments.reports(path)] == list(range(1, 9))


def local_reports_are_kept_and_never_fetched():
    with folder() as path, start(path) as spool:
        assert spool.store(b"a", flags=LOCAL) == (DONE, 1)
        assert spool.store(b"b") == (DONE, 2)
        assert spool.store(b"c", flags=LOCAL) == (DONE, 3)
        assert spool.fetch(0)[0] == 2
        assert spool.fetch(2) == NONE
        assert len(segments.reports(path)) == 3


def the_oldest_segments_go_when_there_are_too_many_bytes():
    with folder() as path, start(path, max_bytes=1 << 20) as spool:
        fill(spool, range(1, 101), size=50000)
        kept = segments.reports(path)
        assert sum(os.stat(name).st_size for name in segments.paths(path)) <= 1 << 20
        assert len(kept) >= 10 and [report.sequence for report in kept] == list(
            range(101 - len(kept), 101))
        assert spool.fetch(0)[0] == kept[0].sequence
    with folder() as path:
        with start(path, max_bytes=8 << 20) as spool:
            fill(spool, range(1, 101), size=50000)
            before = segments.paths(path)
            assert len(before) > 5
        with start(path, max_bytes=1 << 20) as spool:
            fill(spool, (101,))
            after = segments.paths(path)
            assert sum(os.stat(name).st_size for name in after) <= 1 << 20
            assert set(after[:-1]) <= set(before)


def in_share(number, flags=0):
    return flags | number << SHARE_SHIFT


def a_share_that_has_most_bytes_makes_room_with_its_own_oldest():
    for mode in MODES:
        with folder() as path:
            with start(path, *mode, max_bytes=8 << 20) as spool:
                last, few = 0, []
                for number in range(400):  # 40 MB of one, beside 400 KB and 2 MB of others
                    for share, size in (3, 100000), (0, 1000), (7, 5000):
                        last += 1
                        assert spool.store(body_of(last, size),
                                           flags=in_share(share)) == (DONE, last)
                        if share != 3:
                            few.append(last)
                    assert spool.least == 0 or number > 40
                assert 0 < spool.least < spool.reach
                kept = segments.reports(path)
                assert sum(os.stat(name).st_size for name in segments.paths(path)) <= 8 << 20
                assert [report.sequence for report in sorted(kept, key=lambda one: one.sequence)
                        if report.share != 3] == few, "a small share made room"
                most = [report.sequence for report in kept if report.share == 3]
                assert 40 < len(most) < 60 and most == list(range(1201 - 3 * len(most), 1199, 3))
                for name in segments.paths(path):
                    assert len({report.share for report in segments.records(name)
                                if report.kind == segments.REPORT}) <= 1
            # After a start it knows whose they are.
            with start(path, *mode, max_bytes=8 << 20) as spool:
                for number in range(100):
                    assert spool.store(bytes(100000), flags=in_share(5))[0] == DONE
                assert 0 < spool.least < spool.reach
                left = {report.sequence for report in segments.reports(path)}
                assert set(few) <= left and left & set(most)
                assert spool.finish() == (0, "")


def shares_that_are_not_used_any_more_need_no_descriptors():
    with folder() as path, start(path, "--segment-seconds=1") as spool:
        def descriptors():
            return len(os.listdir("/proc/%d/fd" % spool.process.pid))
        last = 0
        for share in range(SHARES):
            last = spool.store(b"x", flags=in_share(share))[1]
        for number in range(last):
            assert spool.fetch(number)[0] == number + 1
        assert spool.fetch(last) == NONE
        most = descriptors()
        end = time.monotonic() + HANG_SECONDS
        while descriptors() > most - 2 * (SHARES - 1):
            assert time.monotonic() < end, "%d of %d are left" % (descriptors(), most)
            last = spool.store(b"y")[1]
            assert spool.fetch(last - 1)[0] == last and spool.fetch(last) == NONE
        for share in range(SHARES):
            last = spool.store(b"z", flags=in_share(share))[1]
            assert spool.fetch(last - 1)[:2] == (last, b"z")
        assert spool.fetch(2)[0] == 3 and spool.finish() == (0, "")


def it_says_what_is_kept_and_since_when():
    with folder() as path:
        hour = 3600 * 10**9
        with start(path) as spool:
            assert spool.store(b"a", start=10**9, end=hour)[0] == DONE
            assert spool.store(b"b", start=hour, end=2 * hour)[0] == DONE
            assert spool.kept == sum(os.stat(name).st_size for name in segments.paths(path))
            assert hour - 10**9 <= spool.reach < 2 * hour
            assert spool.store(b"c", start=0, end=2**64 - 1)[0] == DONE
            assert spool.least == 0 and spool.finish() == (0, "")
        with start(path) as spool:  # from the begin of the first to the end of the last
            assert spool.store(b"d", flags=in_share(1))[0] == DONE
            assert spool.reach > 366 * 24 * hour and spool.least == 0
            assert spool.finish() == (0, "")


def reports_of_all_shares_are_fetched_in_their_order():
    seed = int(os.environ.get("TM_SEED", random.SystemRandom().randrange(2**32)))
    print("  seed %d" % seed)
    dice = random.Random(seed)
    with folder() as path:
        with start(path, max_bytes=8 << 20) as spool:
            for number in range(1, 101):
                flags = LOCAL if number % 7 == 0 else GZIP if number % 3 == 0 else 0
                assert spool.store(body_of(number, 20000),
                                   flags=in_share(dice.randrange(SHARES), flags)) == (DONE, number)
        sent = [number for number in range(1, 101) if number % 7]
        with start(path, max_bytes=8 << 20) as spool:
            for before, number in zip([0] + sent, sent):
                for _ in range(dice.randrange(1, 3)):
                    sequence, body, fields = spool.fetch(before)
                    assert (sequence, body) == (number, body_of(number, 20000)), (sequence, number)
                    assert bool(fields[1] & GZIP) == (number % 3 == 0)
                if dice.randrange(4) == 0:
                    again = dice.choice([0] + sent[:sent.index(number) + 1])
                    assert spool.fetch(again)[0] == min(one for one in sent + [999] if one > again)
                if dice.randrange(4) == 0:
                    assert spool.store(b"more", flags=in_share(dice.randrange(SHARES), LOCAL))
            assert spool.fetch(sent[-1]) == NONE
            spool.delivered(50)
            assert spool.fetch(0)[0] == 51
            assert spool.store(b"x", flags=in_share(6))[0] == DONE  # the note is durable
        with start(path, max_bytes=8 << 20) as spool:
            assert spool.fetch(0)[0] == 51
            assert spool.finish() == (0, "")


def a_torn_end_of_each_share_is_cut_off():
    with folder() as path:
        with start(path) as spool:
            for number in range(1, 17):
                assert spool.store(body_of(number), flags=in_share(number % 4)) == (DONE, number)
        names = segments.paths(path)
        assert len(names) == 4
        for name in names:
            os.truncate(name, os.stat(name).st_size - 10)
        with start(path) as spool:
            assert spool.finish() == (0, "")
        assert sorted(report.sequence for report in segments.reports(path)) == list(range(1, 13))
        # One that is not the last of its share has no torn end without damage.
        with start(path) as spool:
            assert spool.store(b"x", flags=in_share(2))[0] == DONE
        two = next(name for name in names if segments.reports_of(name)[0].share == 2)
        os.truncate(two, os.stat(two).st_size - 10)
        with start(path) as spool:
            code, text = spool.finish()
            assert code == 0 and text.count("are lost") == 1 and os.path.basename(two) in text, text


def segments_whose_last_report_is_too_old_go():
    with folder() as path:
        with start(path) as spool:
            fill(spool, (1,))
        with start(path) as spool:
            fill(spool, (2,))
        old = segments.paths(path)[0]
        os.utime(old, (1, 1))
        with start(path, max_age=3600) as spool:
            fill(spool, (3,))
            assert [report.sequence for report in segments.reports(path)] == [2, 3]
        # A clock that was ahead when the file was written makes it no younger than the start.
        os.utime(segments.paths(path)[0], (2**33, 2**33))
        with start(path, max_age=3600) as spool:
            fill(spool, (4,))
            assert [report.sequence for report in segments.reports(path)] == [2, 3, 4]


def a_report_beyond_the_ceiling_is_refused_alone():
    with folder() as path, start(path, "--report-bytes=1000") as spool:
        assert spool.store(bytes(1001)) == (TOO_LARGE, 0)
        assert spool.store(b"z", flags=GZIP, uncompressed=65 << 20) == (TOO_LARGE, 0)
        assert spool.store(bytes(1000)) == (DONE, 1)
    with folder() as path, start(path, max_bytes=1 << 20) as spool:
        assert spool.store(bytes((1 << 19) + 1)) == (TOO_LARGE, 0)
        assert spool.store(bytes(1 << 19)) == (DONE, 1)


def a_segment_ends_with_its_bytes_and_its_time():
    with folder() as path, start(path, max_bytes=4 << 20) as spool:
        fill(spool, range(1, 11), size=60000)
        sizes = [os.stat(name).st_size for name in segments.paths(path)]
        assert len(sizes) > 2 and max(sizes) <= 256 << 10, sizes


def flipped_bits_cost_their_report_and_are_named():
    seed = int(os.environ.get("TM_SEED", random.SystemRandom().randrange(2**32)))
    print("  seed %d" % seed)
    dice = random.Random(seed)
    for _ in range(25):
        with folder() as path:
            with start(path, max_bytes=4 << 20) as spool:
                fill(spool, range(1, 21), size=20000)
            names = segments.paths(path)
            for name in dice.sample(names, 2):
                with open(name, "r+b") as file:
                    at = dice.randrange(os.stat(name).st_size)
                    file.seek(at)
                    byte = file.read(1)[0]
                    file.seek(at)
                    file.write(bytes([byte ^ 1 << dice.randrange(8)]))
            whole = [report.sequence for report in segments.reports(path)]
            assert len(whole) >= 18, whole
            with start(path, max_bytes=4 << 20) as spool:
                sequence, got = 0, []
                while (report := spool.fetch(sequence)) != NONE:
                    sequence = report[0]
                    assert report[1] == body_of(sequence, 20000)
                    got.append(sequence)
                assert got == whole, (got, whole)
                status, sequence = spool.store(b"more")
                assert status == DONE and sequence >= 20
                code, text = spool.finish()
                lost = 20 - len(whole)
                # A torn end of the newest segment is cut off, which is no news.
                assert code == 0 and text.count("are lost") in (lost, lost - 1), (lost, text)


def a_torn_end_is_cut_off():
    with folder() as path:
        with start(path) as spool:
            fill(spool, range(1, 4))
        name = segments.paths(path)[0]
        size = os.stat(name).st_size
        for cut in 1, 500, 1000, 1100:
            os.truncate(name, size - cut)
            with start(path) as spool:
                assert spool.fetch(2) == NONE and spool.fetch(1)[0] == 2
                assert spool.finish() == (0, "")
            assert (os.stat(name).st_size - 4208) % 1152 == 0
            os.truncate(name, size)
        # The header was durable, and the body was not.
        with open(name, "r+b") as file:
            file.seek(size - 1000)
            file.write(bytes(1000))
        with start(path) as spool:
            assert spool.fetch(1)[0] == 2 and spool.fetch(2) == NONE
            assert spool.finish() == (0, "")


def what_is_none_of_ours_is_neither_followed_nor_removed():
    with folder() as path, folder() as other:
        secret = os.path.join(other, "secret")
        with open(secret, "wb") as file:
            file.write(bytes(5000))
        os.symlink(secret, os.path.join(path, "%020d.segment" % 1))
        os.link(secret, os.path.join(path, "%020d.segment" % 2))
        os.mkdir(os.path.join(path, "%020d.segment" % 3))
        os.mkfifo(os.path.join(path, "%020d.segment" % 4))
        with open(os.path.join(path, "other"), "w") as file:
            file.write("x")
        with start(path, max_bytes=1 << 20) as spool:
            assert spool.fetch() == NONE
            assert spool.store(b"a") == (DONE, 5)  # the names before it are taken
            assert os.stat(secret).st_size == 5000
        for number in 1, 2:
            os.unlink(os.path.join(path, "%020d.segment" % number))
        with start(path, max_bytes=1 << 20) as spool:
            assert spool.fetch()[:2] == (5, b"a")
            assert {spool.store(bytes(100000))[0] for _ in range(30)} == {DONE}
        assert os.path.exists(os.path.join(path, "other"))
        assert os.path.isdir(os.path.join(path, "%020d.segment" % 3))


def only_one_process_has_the_folder():
    with folder() as path, start(path) as first:
        fill(first, (1,))
        with start(path) as second:
            code, text = second.process.wait(HANG_SECONDS), second.process.stderr.read()
            assert code == 1 and b"another one uses the folder" in text, (code, text)
        fill(first, (2,))


def a_hostile_message_ends_it():
    good = dict(id=1, bytes=4, uncompressed=4)
    cases = [
        (message(STORE, **good), None),  # no memfd
        (message(STORE, **good), sealed(b"four", 0x7)),  # not sealed against writing
        (message(STORE, **good), sealed(b"fives")),
        (message(STORE, **{**good, "bytes": 5, "uncompressed": 5}), sealed(b"four")),
        (message(STORE, **{**good, "uncompressed": 5}), sealed(b"four")),
        (message(STORE, flags=4, **good), sealed(b"four")),
        (message(STORE, flags=in_share(SHARES), **good), sealed(b"four")),
        (message(STORE, status=1, **good), sealed(b"four")),
        (message(STORE, reserved=1, **good), sealed(b"four")),
        (message(STORE, sequence=1, **good), sealed(b"four")),
        (message(STORE, least=1, **good), sealed(b"four")),
        (message(STORE, start=2, end=1, **good), sealed(b"four")),
        (message(STORE, id=1), sealed(b"")),
        (message(FETCH, id=1, samples=1), None),
        (message(FETCH, id=1), sealed(b"four")),
        (message(DELIVERED, sequence=2), None),  # there is none
        (message(DELIVERED, id=1, sequence=0), None),
        (message(STORED, id=1), None),
        (message(9), None),
        (message(FETCH, id=1)[:-1], None),
        (message(FETCH, id=1) + b"x", None),
    ]
    for data, fd in cases:
        with folder() as path, start(path) as spool:
            fill(spool, (1,))
            spool.send(data, fd)
            assert spool.receive() is None, data
            assert spool.process.wait(HANG_SECONDS) == 1
            assert [report.sequence for report in segments.reports(path)] == [1]
        if fd is not None:
            os.close(fd)


def invalid_options_do_not_start_it():
    for options in ([], ["--socket-fd=3"], ["--socket-fd=3", "--directory-fd=4", "--spool-bytes=0",
                                            "--spool-seconds=1"],
                    ["--socket-fd=3", "--directory-fd=4", "--spool-bytes=2000000",
                     "--spool-seconds=1", "--other"]):
        process = subprocess.run([PROGRAM, *options], stderr=subprocess.PIPE, check=False)
        assert process.returncode == 2, options


def share_of(body):
    return body[0] % 3


def a_kill_at_any_time_costs_nothing_that_was_stored():
    seed = int(os.environ.get("TM_SEED", random.SystemRandom().randrange(2**32)))
    kills = int(os.environ.get("TM_KILLS", 50))
    print("  seed %d, %d kills" % (seed, kills))
    dice = random.Random(seed)
    with folder() as path:
        stored, delivered, unanswered, kept, last = {}, 0, 0, 0, 0
        for number in range(kills):
            with start(path, *MODES[number % 2], max_bytes=8 << 20) as spool:
                posted = None
                for _ in range(dice.randrange(4)):
                    body = dice.randbytes(dice.randrange(1, 100000))
                    status, sequence = spool.store(body, flags=in_share(share_of(body)))
                    assert status == DONE and sequence > last
                    stored[sequence], last = body, sequence
                if last and dice.randrange(2):
                    delivered = dice.randrange(delivered, last + 1)
                    spool.delivered(delivered)
                    report = spool.fetch(0)  # it has read the message
                    assert report == NONE or report[0] > delivered
                posted = dice.randbytes(dice.randrange(1, 1000000))
                spool.post(posted, flags=in_share(share_of(posted)))
                kill_after(spool, 10**dice.uniform(-5, -1.3))  # 10 us to 50 ms
                answer = spool.receive()
                if answer:
                    assert answer[0][2] == DONE
                    stored[answer[0][5]] = posted
                unanswered += answer is None
            found = {}
            for report in segments.reports(path):
                assert report.sequence not in found, "a sequence is there twice"
                found[report.sequence] = report.body
            oldest = [last + 1] * SHARES  # of each share; older ones had to make room
            for sequence in sorted(found, reverse=True):
                oldest[share_of(found[sequence])] = sequence
            stored = {sequence: body for sequence, body in stored.items()
                      if sequence >= oldest[share_of(body)]}
            for sequence, body in stored.items():
                assert found.get(sequence) == body, "%d is lost at kill %d" % (sequence, number)
            for sequence in set(found) - set(stored):  # whole, although it was not answered
                assert found[sequence] == posted
                stored[sequence] = posted
            last = max(found, default=last)
            kept = max(kept, len(stored))
        print("  up to %d reports at once, %d kills before the answer" % (kept, unanswered))
        assert kills < 20 or 0 < unanswered < kills, "every kill came at the same point"
        with start(path, max_bytes=8 << 20) as spool:
            report = spool.fetch(0)
            expected = [sequence for sequence in sorted(stored) if sequence > delivered]
            assert (report if report == NONE else report[0]) == (expected + [NONE])[0]


def kill_after(spool, seconds):
    """Where in the writing of a report it hits is what this is about; nothing waits for it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
    signal.sigwait([signal.SIGALRM])
    spool.kill()


def main():
    tests = [value for name, value in globals().items()
             if callable(value) and getattr(value, "__module__", "") == "__main__" and
             name not in ("folder", "start", "body_of", "fill", "has_ring", "rings_are_to_be_had",
                          "filter_mode", "kill_after", "in_share", "share_of", "main")]
    only = os.environ.get("TM_ONLY", "")
    for test in tests:
        if only in test.__name__:
            print(test.__name__, flush=True)
            test()


main()
