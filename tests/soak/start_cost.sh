#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# start_cost - how long it takes until sampling is attached, and how much CPU
#
# start_cost.sh [STARTS]. The bounds are for a lost order of magnitude on a noisy machine: five
# times the goals of 1 s and 0.3 CPU s.
. "$(dirname "$0")/../lib/integration.bash"

STARTS=${1:-5}
ELAPSED_MOST=5 CPU_MOST=1.5

must_attach() {
	local begin=$EPOCHREALTIME at used
	record_ok start -o "$WORK/start.folded" -- "$WORK/attach_cost" || finish
	read -r at used <"$WORK/start.out" || wrong "attach_cost printed nothing"
	awk -v begin="$begin" -v at="$at" -v used="$used" \
		'BEGIN { printf "%.3f %.3f\n", at - begin, used / 1e9 }' >>"$WORK/starts"
}

install -m 755 "$TM_SOURCE/tests/bench/attach_cost" "$WORK/attach_cost"
for ((i = 0; i < STARTS; i++)); do
	must_attach
done
python '
rows = [tuple(map(float, line.split())) for line in open(sys.argv[1])]
most = float(sys.argv[2]), float(sys.argv[3])
elapsed, cpu = (sorted(column)[len(rows) // 2] for column in zip(*rows))
print("  attached after %.3f s (worst %.3f), %.3f CPU s" % (elapsed, max(rows)[0], cpu))
print("FIGURE start | %d starts, median | %.3f s, %.3f CPU s | goal 1 s, 0.3 CPU s; bound %g s, %g "
      "CPU s" %
      (len(rows), elapsed, cpu, *most))
check(elapsed <= most[0], "sampling is attached after %.3f s, more than %g" % (elapsed, most[0]))
check(cpu <= most[1], "%.3f CPU s until sampling is attached, more than %g" % (cpu, most[1]))
' "$WORK/starts" $ELAPSED_MOST $CPU_MOST
finish
