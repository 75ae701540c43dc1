#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# new_files - who makes ever new files out of a hundred, so that each of his samples brings a
# hundred, keeps nobody else from having file numbers and names
#
# Once as a user beside root in the same cgroup, once as root in a cgroup of his own, as containers
# are.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

HZ=499
VICTIMS=20
FILES=100 # the largest number that new_files takes

must mkdir "$WORK/numbered"
make_numbered_programs $VICTIMS

identity_clean_up() { attackers_clean_up; }

# attack NAME COMMAND... - the victims run once new_files, started by COMMAND, has run for 3 s
attack() {
	local name=$1 number pid
	shift
	say "$name:"
	must mkdir -m 777 "$WORK/$name.code"
	must mkfifo "$WORK/$name.input"
	start_attached_recording "$name" -F $HZ -o "$WORK/$name.html"
	"$@" "$TM_WORKLOADS/new_files" "$WORK/$name.code" $FILES \
		<"$WORK/$name.input" >"$WORK/$name.ready" 2>&1 &
	pid=$!
	STARTED+=($pid)
	exec {input}>"$WORK/$name.input"
	until_true 30 grep -qs ready "$WORK/$name.ready" && until_true 60 ran $pid 300 ||
		wrong "new_files did not run: $(head -c 300 "$WORK/$name.ready")"
	for ((number = 1; number <= VICTIMS; number++)); do
		must "$(printf '%s/numbered/program-%06d' "$WORK" $number)" 200
	done
	exec {input}>&-
	wait $pid || wrong "new_files: $(head -c 300 "$WORK/$name.ready")"
	stop_recording "$name" 60
	judge "$name"
}

judge() {
	python '
from process_page import *
work, name, victims = sys.argv[1], sys.argv[2], int(sys.argv[3])
read = summary("%s/%s.json" % (work, name))
found, named, lost_by, limited, attacker = collections.Counter(), 0, 0, 0, 0
for hit in ProcessPage("%s/%s.html" % (work, name)).hits:
    lost = any(f in ("[files_full]", "[files_limited]") for f in hit.frames)
    if hit.comm == "new_files":
        attacker += hit.count
        limited += hit.count if lost else 0
    elif hit.comm.startswith("program-"):
        number = int(hit.comm.split("-")[1])
        found[number] += hit.count
        lost_by += hit.count if lost else 0
        named += hit.count if "own_function_%06d" % number in hit.frames else 0
print("  the attacker: %d samples, %d with [files_limited]; %d files known, files_limited %d, "
      "files_full %d; %d victims: %d samples, %d named" %
      (attacker, limited, read["files_known"], read["files_limited"], read["files_full"],
       len(found), sum(found.values()), named))
check(len(found) == victims, "only %d of %d victims have samples" % (len(found), victims))
check(lost_by == 0, "%d samples of the victims have a frame without a number" % lost_by)
check(named >= 0.99 * sum(found.values()), "%d samples of the victims are named" % named)
check(limited > 0 and read["files_limited"] > 0, "nothing of the attacker was limited")
check(read["files_full"] == 0, "the table of files was full")
' "$WORK" "$1" $VICTIMS
}

attack_as_user_and_root
finish
