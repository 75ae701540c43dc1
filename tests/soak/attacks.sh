#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# attacks - PostgreSQL is sampled as well beside attackers on tidemark as it is alone
#
# attacks.sh [SECONDS]: of each of two recordings (60), alone and attacked. The attackers, another
# user's: ever new files in each stack, files that hang their opener, mappings replaced in
# mid-sample, a recursion that is too deep. What is owed are the hits of tidemark's own timers in
# the victim's processes, as hit_counter counts them from outside: the clients wait until it does.
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/../integration/unwind/workloads.bash"

TIME=${1:-60}
HZ=99
HUNG=4
ATTACKER=65534
identity_clean_up() {
	hang_clean_up
	workloads_clean_up
}
# attack COMMAND... - starts it in the background
attack() {
	setpriv --reuid=$ATTACKER --regid=$ATTACKER --clear-groups -- "$@" <&0 >/dev/null 2>&1 &
	STARTED+=($!)
}
start_hung() {
	local number
	for ((number = 0; number < HUNG; number++)); do
		hang_start $number $ATTACKER $((TIME * 1000000))
	done
}

start_attackers() {
	local number
	must mkdir -m 777 "$WORK/code"
	must mkfifo "$WORK/input"
	exec {input}<>"$WORK/input" # nothing comes, and no end
	attack "$TM_WORKLOADS/new_files" "$WORK/code" 100 <"$WORK/input"
	attack "$TM_WORKLOADS/recycled_files" "$TM_WORKLOADS/hot" /etc/passwd $((TIME * 1000))
	attack "$TM_WORKLOADS/deep" 4000 1 "$TIME"
	for ((number = 0; number < HUNG; number++)); do
		echo >"$WORK/hung$number.go"
	done
}

# victim STOP|CONT - the clients: without them the servers have nothing to do
victim() { pkill -"$1" -x -u postgres pgbench; }
# has_passed SECONDS SINCE
has_passed() { ((SECONDS - $2 >= $1)); }
# measure NAME
measure() {
	victim STOP
	[[ $1 != attacked ]] || start_hung
	start_attached_recording "$1" -F $HZ --cpu-max 0 -o "$WORK/$1.folded"
	count_hits "$1"
	[[ $1 != attacked ]] || start_attackers
	victim CONT
	until_true $((TIME + 5)) has_passed "$TIME" $SECONDS
	victim STOP
	pgrep -u postgres >"$WORK/$1.victims"
	stop_recording "$1" 120
}

reason=$(prepare_pgbench 2>&1) || skip "$reason"
must as_postgres "$PG/pg_ctl" -w -D "$WORK/pg" -l "$WORK/pg/log" \
	-o "-c listen_addresses= -k $WORK/pg -c fsync=off -c autovacuum=off" start >/dev/null
as_postgres "$PG/pgbench" -S -c 4 -T $((4 * TIME + 600)) -h "$WORK/pg" postgres >/dev/null 2>&1 &
STARTED+=($!)
until_true 60 pgrep -f 'postgres: .* SELECT' >/dev/null || wrong 'pgbench does not run'
measure alone
measure attacked
python '
from hits import check_taken
from reference import timer_hits
shares = {}
for name in ("alone", "attacked"):
    path = "%s/%s." % (sys.argv[1], name)
    read = summary(path + "json")
    victims = list(map(int, open(path + "victims")))
    fired, _, own = timer_hits(path + "hits.processes")
    owed = sum(count for (tgid, _), count in fired.items() if own.get(tgid) in victims)
    found, whole, numbered, frames, named = 0, 0, 0, 0, 0
    for comm, stack, count in folded(path + "folded"):
        if comm in ("postgres", "pgbench"):
            found += count
            whole += 0 if truncation(stack) else count
            numbered += 0 if any(f.startswith("[files_") for f in stack) else count
            frames += count * len(stack)
            named += count * sum(not f.startswith("[") and "+0x" not in f for f in stack)
    shares[name] = whole / found, numbered / found
    print("  %s: whole %.2f %%, all files known %.2f %%, named frames %.2f %%; "
          "files known %d, limited %d, failed %d" %
          (name, 100 * whole / found, 100 * numbered / found, 100 * named / frames,
           read["files_known"], read["files_limited"], read["files_failed"]))
    check_taken("%s, the victim" % name, found, owed)
for which, what in enumerate(("whole stacks", "stacks of known files")):
    check(shares["attacked"][which] > 0.999 * shares["alone"][which],
          "%s: %.4f alone, %.4f attacked" %
          (what, shares["alone"][which], shares["attacked"][which]))
' "$WORK"
finish
