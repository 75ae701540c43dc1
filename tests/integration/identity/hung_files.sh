#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hung_files - who has many files that hang whoever opens them keeps nobody else's from being opened
#
# Each of his programs runs from an ordinary file, whose path a FUSE file system covers then: its
# server never answers an open. The victims start while the opener meets these.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

[[ -n ${TM_INNER:-} && ! -e /dev/fuse ]] && skip "this container has no /dev/fuse"
HZ=499
HUNG=10
VICTIMS=20
SPIN=2000000 # microseconds of CPU time of each of the attacker's programs
ATTACKER=65534

mkdir "$WORK/numbered"
make_numbered_programs $VICTIMS
identity_clean_up() { hang_clean_up; }

for ((number = 0; number < HUNG; number++)); do
	hang_start $number $ATTACKER $SPIN
done
# With --public-files a file can be reached only by its path, where the wrong file lies.
start_attached_recording hung -F $HZ --public-files -o "$WORK/hung.html"
for ((number = 0; number < HUNG; number++)); do
	echo >"$WORK/hung$number.go"
done
until_true 60 ran "${HUNG_PIDS[0]}" 20 || wrong 'the programs do not run'
for ((number = 1; number <= VICTIMS; number++)); do
	must "$(printf '%s/numbered/program-%06d' "$WORK" $number)" 200
done
stop_recording hung 60
python '
from process_page import *
read = summary(sys.argv[1] + ".json")
victims, named, attacker, bad = 0, 0, 0, 0
for hit in ProcessPage(sys.argv[1] + ".html").hits:
    if hit.comm == "program":
        attacker += hit.count
        bad += hit.count if any(f.startswith("own_function") for f in hit.frames) else 0
    elif hit.comm.startswith("program-") and not in_kernel_half_way(hit):
        victims += hit.count
        own = "own_function_%06d" % int(hit.comm.split("-")[1])
        named += hit.count if own in hit.frames else 0
print("  files: opened %d, failed %d; the attacker: %d samples; victims: %d samples, %d named" %
      (read["files_opened"], read["files_failed"], attacker, victims, named))
check(attacker > 0 and victims > 0, "not both have samples")
check(named >= 0.99 * victims, "%d of %d samples of the victims are named" % (named, victims))
check(read["files_failed"] > 1, "no file of the attacker was met")
' "$WORK/hung"
finish
