#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# otlp - reports reach a receiver whole; one that refuses, hangs or is gone costs no file
. "$(dirname "$0")/../../lib/integration.bash"

# receive NAME [STATUS...] - starts a receiver with the folder and the socket $WORK/NAME
receive() {
	local name=$1
	shift
	mkdir "$WORK/$name"
	python3 "$TM_SOURCE/tests/lib/otlp_receiver.py" "$WORK/$name" "$WORK/$name.sock" "$@" \
		>"$WORK/$name.receiver" 2>&1 &
	RECEIVER=$!
	STARTED+=("$RECEIVER")
	until_true 20 grep -q ready "$WORK/$name.receiver" ||
		wrong "no receiver: $(tail -n 3 "$WORK/$name.receiver")"
}
requests() { find "$WORK/$1" -name '*.json' | wc -l; }
has_requests() { (($(requests "$1") >= $2)); }

# outcomes NAME TEXT - checks, in Python, the `otlp` of the summary: `requests`, `samples`,
# `rejected` and `bytes`
outcomes() {
	python '
report = summary(sys.argv[1])
requests, samples = report["otlp"]["requests"], report["otlp"]["samples"]
rejected, bytes_sent = report["otlp"]["rejected"], report["otlp"]["bytes"]
print("  requests: %s" % {key: value for key, value in requests.items() if value})
'"$2" "$WORK/$1.json"
}

# A program with a name that no format may take as it is.
NAME=$'a\nb\x01\xff;"<\\'
cp "$TM_WORKLOADS/hot" "$WORK/$NAME"

say 'what arrives is what the files say, of both kinds, over a unix socket:'
receive whole
OTEL_EXPORTER_OTLP_COMPRESSION=gzip \
	record_ok whole -d 2 -F 499 --off-cpu --otlp-endpoint "unix://$WORK/whole.sock" \
	--otlp-header x-tenant='one two' -o "$WORK/whole.folded" -o "$WORK/whole.otlp" -- \
	"$WORK/$NAME" 1 2
balance whole zero-drops
outcomes whole '
check(set(key for key, value in requests.items() if value) == {"delivered"}, "some are lost")
check(samples["delivered"] == report["exported"] + report["off_cpu"]["exported"],
      "%d of %d + %d samples" % (samples["delivered"], report["exported"],
                                 report["off_cpu"]["exported"]))
check(rejected == 0, "something is rejected")
'
python '
import collections, otlp
folder = sys.argv[1]
report = summary(folder + ".json")
heads, sent = zip(*otlp.received(folder))
check(len(sent) == report["otlp"]["requests"]["delivered"], "%d requests arrived" % len(sent))
check(sum(head["compressed"] for head in heads) == report["otlp"]["bytes"], "other bytes")
for head in heads:
    named = {name.lower(): value for name, value in head["headers"]}
    check(head["path"] == "/v1development/profiles", "the path is " + head["path"])
    check(named["content-type"] == "application/x-protobuf", "the type is not protobuf")
    check(named["content-encoding"] == "gzip", "it is not compressed")
    check(named["x-tenant"] == "one two", "the header is %r" % named.get("x-tenant"))
    check(named["user-agent"].startswith("tidemark/"), "the agent is " + named["user-agent"])
written = otlp.read(folder + ".otlp")
totals = otlp.totals(sent)
print("  totals: %s" % {kind[0]: total for kind, total in totals.items()})
check(totals == otlp.totals([written]), "the file has others: %s" % otlp.totals([written]))
check(totals[otlp.OFF_CPU] == report["off_cpu"]["exported_ns"],
      "%d ns were exported" % report["off_cpu"]["exported_ns"])
check(totals[otlp.ON_CPU] == report["exported"],
      "%d samples were exported" % report["exported"])
def stacks(requests):
    found = collections.Counter()
    for request in requests:
        for sample in request.samples:
            found[sample["resource"]["process.pid"], sample["types"], *otlp.names(sample)] += (
                sample["value"])
    return found
check(stacks(sent) == stacks([written]), "the file has other stacks")
hot = {sample["resource"]["process.executable.name"] for request in sent
       for sample in request.samples if "hot_60" in otlp.names(sample)}
check(len(hot) == 1, "hot_60 is in %s" % sorted(hot))
print("  the program of hot_60 is %r" % hot.pop())
' "$WORK/whole"

say 'a report a second to a receiver that is busy at first; none is lost, the symbolizer is killed:'
receive busy 503 429 200
start_attached_recording busy -F 199 --every 1 --restart -o "$WORK/busy.folded" \
	--otlp-header x-key=not-for-all --otlp-endpoint "unix://$WORK/busy.sock" -- \
	"$TM_WORKLOADS/hot" 1 600
for pid in "$RECORDER" $(descendants "$RECORDER"); do
	! grep -aq not-for-all "/proc/$pid/cmdline" || wrong "a header is in the arguments of $pid"
done
until_true 60 has_requests busy 5 || wrong "$(requests busy) requests: $(tail "$WORK/busy.err")"
VICTIM=$(program_pid "$RECORDER" tidemark-symbolizer)
kill -KILL "$VICTIM"
before=$(requests busy)
until_true 60 has_requests busy $((before + 3)) || wrong 'the next symbolizer sends nothing'
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/busy.err")"
nothing_left
python '
import glob, otlp
folder = sys.argv[1]
received = otlp.received(folder)
statuses = [head["status"] for head, _ in received]
print("  statuses: %s" % statuses)
check(all(dict(head["headers"]).get("x-key") == "not-for-all" for head, _ in received),
      "the header is missing")
check(not any("gzip" in dict(head["headers"]).values() for head, _ in received),
      "a receiver on this host has to unpack it")
check(statuses[:2] == [503, 429] and statuses[2:].count(200) == len(statuses) - 2,
      "that is wrong")
sent = [request for head, request in received if head["status"] == 200]
totals = [otlp.totals([request])[otlp.ON_CPU] for request in sent]
total, most = sum(totals), max(totals)
rows = sum(count for path in glob.glob(folder + ".*.folded") for _, _, count in folded(path))
print("  %d samples arrived, the files have %d" % (total, rows))
# The killed one may have ended between the two.
check(abs(total - rows) <= most, "more than one report is missing")
' "$WORK/busy"

say 'a receiver that refuses costs what was sent, and no file:'
receive refusing 400
record refusing -F 199 -o "$WORK/refusing.folded" --otlp-endpoint "unix://$WORK/refusing.sock" \
	-- "$TM_WORKLOADS/hot" 1 1
((STATUS == 4)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/refusing.err")"
[[ -s $WORK/refusing.folded ]] || wrong 'there is no file'
outcomes refusing 'check(requests["refused"] == 1 and not requests["delivered"], "that is wrong")'
grep -q 400 "$WORK/refusing.err" || wrong "the status is not printed: $(<"$WORK/refusing.err")"
record nothing -F 199 --otlp-endpoint "unix://$WORK/refusing.sock" -- "$TM_WORKLOADS/hot" 1 1
((STATUS == 1)) || wrong "without a file the exit code is $STATUS"

say 'nobody listens, or never answers:'
record gone -F 199 -o "$WORK/gone.folded" --otlp-endpoint "unix://$WORK/no.sock" -- \
	"$TM_WORKLOADS/hot" 1 1
((STATUS == 4)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/gone.err")"
outcomes gone 'check(requests["unfinished"] == 1, "that is wrong")'
grep -q "OTLP: the receiver did not answer: $WORK/no.sock: " "$WORK/gone.err" ||
	wrong "the socket is not named: $(<"$WORK/gone.err")"
python3 -c 'import os, socket, sys, time
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
os.chmod(sys.argv[1], 0o666)
print("ready", flush=True)
time.sleep(600)' "$WORK/silent.sock" >"$WORK/silent.receiver" &
STARTED+=($!)
until_true 20 grep -qs ready "$WORK/silent.receiver"
record silent -F 199 -o "$WORK/silent.folded" --otlp-endpoint "unix://$WORK/silent.sock" -- \
	"$TM_WORKLOADS/hot" 1 1
((STATUS == 4)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/silent.err")"
outcomes silent 'check(requests["unfinished"] == 1, "that is wrong")'

say 'tidemark-exporter is killed:'
receive killed
start_attached_recording killed -F 199 --every 1 -o "$WORK/killed.folded" \
	--otlp-endpoint "unix://$WORK/killed.sock" -- "$TM_WORKLOADS/hot" 1 600
until_true 60 has_requests killed 1 || wrong 'nothing is sent'
VICTIM=$(program_pid "$RECORDER" tidemark-exporter)
kill -KILL "$VICTIM"
until_true 60 grep -q 'no more profiles are sent' "$WORK/killed.err" ||
	wrong "its end is not printed: $(head -c 600 "$WORK/killed.err")"
kill -INT "$RECORDER"
end_recording 60
((STATUS == 4)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/killed.err")"
outcomes "$(basename "$(ls "$WORK"/killed.*.json | tail -n 1)" .json)" \
	'check(requests["no_exporter"] >= 1, "that is wrong")'
nothing_left
finish
