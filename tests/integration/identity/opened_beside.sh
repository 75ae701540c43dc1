#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# opened_beside - files that are announced together with one that hangs are opened while it hangs
#
# The collector is stopped until all of them were sampled, so that it learns of them in one round.
# The owner of the file that hangs had no turn before, so that his file is asked for first. The log
# has the events in their order: "open PID" of the FUSE server, which does not answer that opener's
# worker; the opens of the others; "interrupt PID" once that worker is at its deadline.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

[[ -n ${TM_INNER:-} && ! -e /dev/fuse ]] && skip "this container has no /dev/fuse"
HZ=499
VICTIMS=6
SPIN=1000000 # microseconds of CPU time of the attacker's program
ATTACKER=65534

mkdir "$WORK/numbered"
make_numbered_programs $VICTIMS
identity_clean_up() { hang_clean_up; }

hang_start 0 $ATTACKER $SPIN
start_attached_recording beside -F $HZ --public-files -o "$WORK/beside.folded"
collector=$(program_pid "$RECORDER" tidemark-collector)
opener=$(program_pid "$RECORDER" tidemark-opener)
must kill -STOP "$collector"
echo >"$WORK/hung0.go"
until_true 60 ran "${HUNG_PIDS[0]}" 20 || wrong 'the program with the file that hangs does not run'
for program in "$WORK"/numbered/*; do
	"$program" 60000 &
	victims+=($!)
	STARTED+=($!)
done
for pid in "${victims[@]}"; do
	until_true 60 ran "$pid" 20 || wrong 'a program does not run'
done
python3 - "$WORK/hung0.log" "$WORK"/numbered/* <<'EOT' & STARTED+=($!)
import ctypes, os, struct, sys
OPEN, EVENT_BYTES = 0x20, 16 # IN_OPEN, struct inotify_event
libc = ctypes.CDLL(None)
inotify = libc.inotify_init()
for path in sys.argv[2:]:
    assert libc.inotify_add_watch(inotify, path.encode(), OPEN) > 0
log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.write(log, b"watching\n")
while True:
    events = os.read(inotify, 4096)
    for at in range(0, len(events), EVENT_BYTES): # those of a file have no name
        os.write(log, b"%d\n" % struct.unpack_from("i", events, at))
EOT
logged() { grep -qx "$1" "$WORK/hung0.log"; }
until_true 20 logged watching || wrong 'the files are not watched'
must kill -CONT "$collector"
until_true 30 logged "interrupt $opener" || wrong 'no worker met the file that hangs'
for ((number = 1; number <= VICTIMS; number++)); do
	until_true 30 logged $number || wrong "the file of program $number was not opened"
done
meanwhile=$(sed "/^interrupt $opener\$/q" "$WORK/hung0.log" | grep -x '[0-9]*' | sort -u)
say "  what was opened while the file hung, of $VICTIMS:" $meanwhile
(($(wc -w <<<"$meanwhile") == VICTIMS)) ||
	wrong "the files of others waited: $(paste -sd, "$WORK/hung0.log")"
stop "${victims[@]}"
stop_recording beside 60
finish
