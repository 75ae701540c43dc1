#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# top - `tidemark top` shows live what a recording keeps, and leaves the terminal as it was
. "$(dirname "$0")/../../lib/integration.bash"

command -v tmux >/dev/null || skip "no tmux"
TMUX_SOCKET=$WORK/tmux
tmux_do() { tmux -f /dev/null -S "$TMUX_SOCKET" "$@"; }
test_clean_up() { tmux_do kill-server 2>/dev/null; }

# Runs in the terminal; its arguments are a prefix of file names, the command, and its arguments.
cat >"$WORK/run" <<'EOF2'
#!/bin/bash
name=$1
shift
echo before-it
stty -g >"$name.before"
sh -c 'echo $$ >"$0"; exec "$@"' "$name.pid" "$@"
echo $? >"$name.code"
stty -g >"$name.after"
: >"$name.ended"
exec sleep infinity
EOF2
chmod +x "$WORK/run"

# begin NAME ARGUMENT... - starts `tidemark top` in a terminal of its own
begin() {
	local name=$1
	shift
	tmux_do new-session -d -s "$name" -x 100 -y 30 \
		"$WORK/run" "$WORK/$name" "$TM_TIDEMARK" top --spool "$WORK/spool" "$@"
	until_true 20 test -s "$WORK/$name.pid"
}
screen() { tmux_do capture-pane -p -t "$1"; }
shows() { screen "$1" | grep -q -E -- "$2"; }

# expect NAME REGEX - the terminal shows it before long
expect() {
	until_true 20 shows "$1" "$2" || wrong "$1 does not show $2: $(screen "$1" | head -n 8)"
}

# restored NAME CODE - it has ended with CODE, and the terminal is as it was before
restored() {
	local name=$1 modes
	until_true 20 test -e "$WORK/$name.ended" || wrong "$name did not end"
	[[ $(<"$WORK/$name.code") == "$2" ]] || wrong "$name exited with $(<"$WORK/$name.code")"
	cmp -s "$WORK/$name.before" "$WORK/$name.after" ||
		wrong "$name: other settings of the terminal"
	modes=$(tmux_do display -p -t "$name" '#{alternate_on} #{cursor_flag} #{wrap_flag}')
	[[ $modes == '0 1 1' ]] || wrong "$name: second screen, cursor, wrapping: $modes"
	expect "$name" before-it
	shows "$name" 'tidemark top:' && wrong "$name: the table is still there"
	tmux_do kill-session -t "$name:" 2>/dev/null
}

say 'without a spool, or without a report:'
"$TM_TIDEMARK" top --spool "$WORK/none" >"$WORK/none.out" 2>"$WORK/none.err" </dev/null
(($? == 1)) || wrong 'top of no spool did not exit with 1'
grep -q 'systemctl start tidemark.target' "$WORK/none.err" &&
	grep -q 'tidemark record --spool DIR --every 2' "$WORK/none.err" ||
	wrong "no way out is named: $(<"$WORK/none.err")"
[[ ! -s $WORK/none.out ]] || wrong 'something is printed'

say 'one table into a pipe:'
start_recording spool -d 200 -F 499 --every 1 --off-cpu --spool "$WORK/spool" -- \
	"$TM_WORKLOADS/hot" 2 200
once() {
	"$TM_TIDEMARK" top --spool "$WORK/spool" "$@" 2>"$WORK/once.err" </dev/null |
		tee "$WORK/once.out" | grep -q "$WANTED"
}
WANTED=hot_10 # the last of a round: the first report may end within one
until_true 40 once || wrong "no table: $(<"$WORK/once.err") $(head -n 5 "$WORK/once.out")"
head -n 7 "$WORK/once.out"
LC_ALL=C grep -q $'\033' "$WORK/once.out" && wrong 'there are escape sequences in a pipe'
python '
rows = [line.split() for line in open(sys.argv[1], encoding="utf-8")][4:]
found = {row[4]: (float(row[1]), float(row[3])) for row in rows}
own = [found["hot_60"][0], found["hot_30"][0], found["hot_10"][0]]
print("  times of hot: %.3f %.3f %.3f s" % tuple(own))
check(own[0] > own[1] > own[2] > 0, "wrong order")
check(found["one_round"][1] >= 0.99 * sum(own), "one_round has not what it calls")
' "$WORK/once.out"
WANTED="$(program_pid "$RECORDER" hot) hot  \[.*/hot\]"
[[ $WANTED == ' hot'* ]] && WANTED=' hot  \[.*/hot\]'
once --by process || wrong "by process: $(head -n 6 "$WORK/once.out")"
WANTED='(no container)'
once --by container || wrong "by container: $(head -n 6 "$WORK/once.out")"
WANTED='^off-CPU: .*by function, total'
once --off-cpu --sort total || wrong "off-CPU: $(head -n 6 "$WORK/once.out")"

say 'live, by keys:'
tmux_do new-session -d -s server sleep infinity # it ends with its last session
begin live --interval 0.2
expect live ' hot_60  \[hot\]'
expect live '^on-CPU: .*by function, self'
expect live '^q quit'
tmux_do send-keys -t live p
expect live '^on-CPU: .*by process, self'
expect live ' hot  \[.*/hot\]'
tmux_do send-keys -t live c
expect live '\(no container\)'
tmux_do send-keys -t live f t # together
expect live 'by function, total'
tmux_do send-keys -t live Up o # an arrow is no key
expect live '^off-CPU: .*by function, total'
tmux_do send-keys -t live s ' '
expect live '^off-CPU: .*by function, self; paused'
tmux_do resize-window -t live -x 60 -y 12
expect live '^q quit'
(($(screen live | grep -c .) <= 12)) || wrong 'it does not fit 12 lines'
tmux_do send-keys -t live ' ' o
expect live ' hot_60'
tmux_do send-keys -t live q
restored live 0

say 'the terminal is as it was after each end:'
begin interrupt
expect interrupt hot_60
tmux_do send-keys -t interrupt C-z 'C-\' C-c # the first two do nothing
restored interrupt 0
for signal in TERM HUP INT; do
	begin "$signal"
	expect "$signal" hot_60
	kill -s "$signal" "$(<"$WORK/$signal.pid")"
	restored "$signal" 0
done

say 'the viewer is killed:'
begin killed --interval 0.1
expect killed hot_60
python '
import os, signal, time
def comm(child):
    try:
        with open("/proc/%s/comm" % child, encoding="ascii") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""
pid, until = int(sys.argv[1]), time.monotonic() + 30
while comm(pid) == "tidemark":  # one that has said all is missed by nobody: then the next one
    check(time.monotonic() < until, "top goes on without a viewer")
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
            children = file.read().split()
        if children and comm(children[0]) == "tidemark-viewer":
            os.kill(int(children[0]), signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass
' "$(<"$WORK/killed.pid")"
until_true 20 test -e "$WORK/killed.ended"
expect killed 'tidemark-viewer ended early'
restored killed 1

say 'the recording ends, and its last reports stay, with their age:'
kill -INT "$RECORDER"
wait "$RECORDER" || wrong "the recording exited with $?: $(head -c 600 "$WORK/spool.err")"
WANTED=hot_60
once --window 0.1 || wrong "the newest report is not shown: $(head -n 6 "$WORK/once.out")"
# The last interval may be shorter than the window, which then reaches into the one before.
grep -qE ' [12] reports of' "$WORK/once.out" || wrong "$(head -n 1 "$WORK/once.out")"
finish
