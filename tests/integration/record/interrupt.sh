#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# interrupt - Ctrl-C ends a recording early and everything is written; progress only on a terminal
. "$(dirname "$0")/../../lib/integration.bash"

say "SIGINT, outputs of all formats:"
begin_recording early -F 199 -o "$WORK/x.html" -o "$WORK/x.pb.gz" -o "$WORK/x.folded" \
	-o "$WORK/x.speedscope.json" || finish
until_true 20 ran "$COMMAND_PID" 100
kill -INT "$RECORDER"
end_recording 30
say "  exit $STATUS"
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/early.err")"
balance early zero-drops
for file in x.html x.pb.gz x.folded x.speedscope.json; do
	[[ -s $WORK/$file ]] || wrong "$file was not written"
done
nothing_left
grep -q $'\r\|\033' "$WORK/early.err" "$WORK/early.out" &&
	wrong "terminal control characters in a pipe"
grep -Eq 'hot_60' "$WORK/early.out" || wrong \
	"the table of functions lacks hot_60: $(head -c 500 "$WORK/early.out")"
rows=$(grep -Ec '[0-9](\.[0-9]+)? ?%' "$WORK/early.out")
completeness=$(grep -m 1 -i 'taken' "$WORK/early.out" "$WORK/early.err" | cut -d: -f2-)
say "  the table has $rows rows; the completeness line: $completeness"
grep -qi 'taken' "$WORK/early.out" "$WORK/early.err" || wrong "no completeness line"

say "Ctrl-C typed at a terminal:"
cat >"$WORK/terminal.py" <<'PYTHON'
import os, pty, select, signal, sys, time
program, page, summary = sys.argv[1:4]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(program, [program, "record", "--summary", summary, "-o", page])
seen, typed, deadline = b"", False, time.monotonic() + 60
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.5)
    if ready:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    # Progress has been drawn several times, so the recording is under way.
    if not typed and seen.count(b"\r") + seen.count(b"\x1b[") >= 8:
        os.write(terminal, b"\x03")
        typed = True
_, status = os.waitpid(pid, 0)
before = seen.split(b"^C")[0]
print("  progress, as drawn: %r" % before[-160:])
if not typed:
    print("  WRONG: no progress on a terminal: %r" % seen[:300])
    sys.exit(1)
if status != 0:
    print("  WRONG: wait status %#x, said %r" % (status, seen[-300:]))
    sys.exit(1)
PYTHON
python3 "$WORK/terminal.py" "$TM_TIDEMARK" "$WORK/tty.html" "$WORK/tty.json" || WRONG=$((WRONG + 1))
balance tty
[[ -s $WORK/tty.html ]] || wrong "nothing was written after Ctrl-C"

say "SIGTERM and SIGHUP end it the same way:"
for signal in TERM HUP; do
	rm -f "$WORK/x.folded"
	begin_recording end -o "$WORK/x.folded" || continue
	kill -$signal "$RECORDER"
	end_recording 30
	say "  SIG$signal: exit $STATUS"
	((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 300 "$WORK/end.err")"
	[[ -e $WORK/x.folded ]] || wrong "x.folded was not written"
	nothing_left
done
finish
