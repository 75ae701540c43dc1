#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# spool - reports are kept on the host, and what a receiver missed reaches it later, in order
. "$(dirname "$0")/../../lib/integration.bash"

# receive NAME [STATUS...] - starts a receiver with the folder and the socket $WORK/NAME
receive() {
	local name=$1
	shift
	mkdir "$WORK/$name"
	rm -f "$WORK/$name.receiver"
	python3 "$TM_SOURCE/tests/lib/otlp_receiver.py" "$WORK/$name" "$WORK/$name.sock" "$@" \
		>"$WORK/$name.receiver" 2>&1 &
	RECEIVER=$!
	STARTED+=("$RECEIVER")
	until_true 20 grep -qs ready "$WORK/$name.receiver" ||
		wrong "no receiver: $(tail -n 3 "$WORK/$name.receiver")"
}
test_clean_up() { ! mountpoint -q "$WORK/disk" || umount -l "$WORK/disk"; }
requests() { find "$WORK/$1" -name '*.json' | wc -l; }
has_requests() { (($(requests "$1") >= $2)); }
last_summary() { basename "$(find "$WORK" -name "$1.*.json" | sort | tail -n 1)" .json; }

# counted NAME TEXT - checks, in Python, the `otlp` of the last summary of recording NAME, whose
# reports had `exported` samples in all
counted() {
	python '
report = summary(sys.argv[1])
requests, samples = report["otlp"]["requests"], report["otlp"]["samples"]
replayed, exported = report["otlp"]["replayed"], report["recording"]["exported"]
print("  requests: %s, replayed %d" % ({key: value for key, value in requests.items() if value},
                                      replayed))
check(sum(samples.values()) == exported, "%d of %d samples count" % (sum(samples.values()),
                                                                     exported))
'"$2" "$WORK/$(last_summary "$1").json"
}

# arrived NAME SPOOL TEXT - checks, in Python: `whole`, the bodies of the segments in order, and
# `taken`, those that receiver NAME answered with 200, in the order in which they came
arrived() {
	python '
import gzip, glob, json, segments
kept = segments.reports(sys.argv[2])
whole = [gzip.decompress(report.body) for report in kept]
def number(path):
    return int(path.rsplit("/", 1)[1].split(".")[0])
taken = []
for path in sorted(glob.glob(sys.argv[1] + "/*.json"), key=number):
    with open(path) as head, open(path[:-4] + "body", "rb") as body:
        if json.load(head)["status"] == 200:
            taken.append(body.read())
print("  %d reports are kept, %d arrived" % (len(whole), len(taken)))
check(len({report.sequence for report in kept}) == len(kept), "a sequence is there twice")
check(all(report.flags == segments.GZIP for report in kept), "a report is not to be sent")
'"$3" "$WORK/$1" "$WORK/$2"
}

say 'nobody listens: everything is kept:'
record down -d 3 -F 199 --every 1 --spool "$WORK/first" --otlp-endpoint "unix://$WORK/up.sock" -- \
	"$TM_WORKLOADS/hot" 1 600
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/down.err")"
counted down 'check(set(key for key, value in requests.items() if value) == {"spooled"},
                    "some are not spooled")'
DOWN=$(last_summary down)
[[ $(stat -c %a "$WORK/first") == 750 ]] || wrong "the folder has $(stat -c %A "$WORK/first")"

say 'the next recording has another uid; it sends those of the first one first:'
FORMER=$(stat -c %u "$WORK/first")
mkdir -p /run/tidemark
flock --no-fork "/run/tidemark/uid-$FORMER" sleep 600 &
HOLDER=$!
STARTED+=("$HOLDER")
receive up
record up -d 3 -F 199 --every 1 --spool "$WORK/first" --otlp-endpoint "unix://$WORK/up.sock" -- \
	"$TM_WORKLOADS/hot" 1 600
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/up.err")"
counted up '
first = summary(sys.argv[1].replace(sys.argv[1].rsplit("/", 1)[1], "'"$DOWN"'.json"))
check(replayed == first["otlp"]["requests"]["spooled"], "not all are replayed")
check(set(key for key, value in requests.items() if value) <= {"delivered", "spooled"},
      "some are lost")'
[[ $(stat -c %u "$WORK/first") != "$FORMER" ]] || wrong 'it has the same uid'
stop "$HOLDER"
rm -f "/run/tidemark/uid-$FORMER"
arrived up first '
check(taken == whole[:len(taken)], "what arrived is not what is kept, in its order")'
stop "$RECEIVER"

say 'a receiver goes and comes again, and the symbolizer is killed:'
receive again
start_attached_recording again -F 199 --every 1 --restart --spool "$WORK/second" \
	--otlp-endpoint "unix://$WORK/again.sock" -- "$TM_WORKLOADS/hot" 1 600
until_true 60 has_requests again 2 ||
	wrong "$(requests again) requests: $(tail "$WORK/again.err" "$WORK/again.receiver")"
stop "$RECEIVER"
rm "$WORK/again.sock"
is_larger() { (($(du -sb "$WORK/second" | cut -f 1) > $1 + 2000)); }
until_true 60 is_larger "$(du -sb "$WORK/second" | cut -f 1)" || wrong 'nothing more is kept'
kill -KILL "$(program_pid "$RECORDER" tidemark-symbolizer)"
until_true 60 is_larger "$(du -sb "$WORK/second" | cut -f 1)" || wrong 'nothing more is kept'
mv "$WORK/again" "$WORK/before"
receive again
until_true 120 has_requests again 4 ||
	wrong "$(requests again) requests: $(tail "$WORK/again.err" "$WORK/again.receiver")"
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/again.err")"
nothing_left
for name in $(find "$WORK/before" -type f -printf '%f\n'); do # numbered on, before the later ones
	mv "$WORK/before/$name" "$WORK/again/-$((1000 - ${name%%.*})).${name#*.}"
done
# One whose answer was lost, with its receiver or its symbolizer, may have come twice.
arrived again second '
once = list(dict.fromkeys(taken))
check(once == whole[:len(once)], "what arrived is not what is kept, in its order")
check(len(whole) - len(once) <= 1, "%d reports have not arrived" % (len(whole) - len(once)))
check(len(taken) - len(once) <= 2, "%d reports arrived twice" % (len(taken) - len(once)))'
stop "$RECEIVER"

say 'tidemark-spool is killed: the rest is sent directly:'
receive killed
start_attached_recording killed -F 199 --every 1 --spool "$WORK/third" \
	--otlp-endpoint "unix://$WORK/killed.sock" -- "$TM_WORKLOADS/hot" 1 600
until_true 60 has_requests killed 2 || wrong 'nothing is sent'
kill -KILL "$(program_pid "$RECORDER" tidemark-spool)"
until_true 60 grep -q 'no more reports are kept' "$WORK/killed.err" ||
	wrong "its end is not printed: $(head -c 600 "$WORK/killed.err")"
before=$(requests killed)
until_true 60 has_requests killed $((before + 2)) || wrong 'nothing is sent any more'
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/killed.err")"
counted killed '
check(set(key for key, value in requests.items() if value) <= {"delivered", "spooled"},
      "some are lost")'
nothing_left
stop "$RECEIVER"

say 'the disk is full: reports are refused and counted, and kept again once there is room:'
mkdir "$WORK/disk"
must mount -t tmpfs -o size=600k spool "$WORK/disk"
mkdir "$WORK/disk/spool"
dd if=/dev/zero of="$WORK/disk/other" bs=1k status=none 2>/dev/null
start_attached_recording full -F 199 --every 1 --spool "$WORK/disk/spool" -- \
	"$TM_WORKLOADS/hot" 1 600
has_report() { [[ -n $(find "$WORK" -name 'full.*.json') ]]; }
until_true 60 has_report || wrong 'there is no report'
rm "$WORK/disk/other"
has_segment() { [[ -n $(find "$WORK/disk/spool" -name '*.segment' -size +5k) ]]; }
until_true 60 has_segment || wrong 'nothing is kept when there is room'
kill -INT "$RECORDER"
end_recording 60
((STATUS == 4)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/full.err")"
counted full 'check(requests["spool_lost"] >= 1 and requests["spooled"] >= 1 and
                    requests["spool_lost"] + requests["spooled"] == sum(requests.values()),
                    "that is wrong")'
python '
import segments
report = summary(sys.argv[1])
kept = segments.reports(sys.argv[2])
check(len(kept) == report["otlp"]["requests"]["spooled"], "%d are kept" % len(kept))
check(all(one.flags == segments.GZIP | segments.LOCAL for one in kept), "they are to be sent")
' "$WORK/$(last_summary full).json" "$WORK/disk/spool"
nothing_left
umount "$WORK/disk"

say 'a disk that is smaller than the spool may be: the oldest segments make room:'
must mount -t tmpfs -o size=2M spool "$WORK/disk"
python '
import os, shutil, segments
from spool import *
program, disk = sys.argv[1:]
for mode in ((), ("--no-io-uring",)):
    folder = disk + "/spool"
    os.mkdir(folder)
    with Spool(program, folder, *mode, max_bytes=4 << 20) as spool:
        last = 0
        for number in range(60):
            status, sequence = spool.store(bytes([number]) * 100000)
            check(status == DONE and sequence > last, "report %d has status %d" % (number, status))
            last = sequence
        kept = segments.reports(folder)
        print("  %s: %d of 60 reports are kept" % (mode or "io_uring", len(kept)))
        check(10 <= len(kept) <= 20 and kept[-1].sequence == last, "that is wrong")
        other = os.open(disk + "/other", os.O_CREAT | os.O_WRONLY)
        try:
            while True:
                os.write(other, bytes(4096))
        except OSError:
            os.close(other)
        statuses = {spool.store(bytes(900000))[0] for _ in range(4)}
        check(statuses == {DONE}, "the oldest make no room: %s" % statuses)
        check(spool.store(bytes(2000000))[0] == FULL, "what cannot fit is kept")
        check(segments.reports(folder), "everything was removed for reports that do not fit")
        os.unlink(disk + "/other")
        check(spool.store(bytes(900000))[0] == DONE, "nothing is kept when there is room")
        code, text = spool.finish()
        check(code == 0 and text == "", "it ended with %d: %s" % (code, text))
    with Spool(program, folder, *mode, max_bytes=4 << 20) as spool:
        check(spool.fetch(last)[1] == bytes(900000), "the last report is not whole")
    shutil.rmtree(folder)
' "$TM_BUILD/symbolizer/spool/tidemark-spool" "$WORK/disk"
umount "$WORK/disk"

say 'a folder that is no spool is left alone:'
mkdir "$WORK/home"
echo text >"$WORK/home/letter"
record home -d 1 --spool "$WORK/home" -- "$TM_WORKLOADS/hot" 1 1
((STATUS == 1)) || wrong "exit code $STATUS"
grep -q "it is no folder of segments alone" "$WORK/home.err" || wrong "$(<"$WORK/home.err")"
[[ $(stat -c %u "$WORK/home") == 0 ]] || wrong 'it has another owner'
start_attached_recording one --spool "$WORK/third" -- "$TM_WORKLOADS/hot" 1 600
record two -d 1 --spool "$WORK/third" -- "$TM_WORKLOADS/hot" 1 1
((STATUS == 1)) || wrong "exit code $STATUS"
grep -q 'another recording uses it' "$WORK/two.err" || wrong "$(<"$WORK/two.err")"
kill -INT "$RECORDER"
end_recording 60
finish
