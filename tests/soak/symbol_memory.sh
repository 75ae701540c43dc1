#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# symbol_memory - the symbols of thousands of programs, run three times, take little memory
#
# symbol_memory.sh [COUNT]: different programs
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

COUNT=${1:-500}
HZ=1999
EACH_MOST=16384 # bytes that one program, of one function here, may take
DRIFT_MOST=$((1 << 20))

mkdir "$WORK/numbered"
make_numbered_programs "$COUNT"
begin names -F $HZ --every 1 -o "$WORK/names.html" -- sh -c 'echo ready
	while read -r word && [ "$word" = go ]; do
		"$@" >/dev/null
		echo done
	done' sh "$TM_WORKLOADS/spawn_at_rate" "$WORK/numbered/program-" "$COUNT" 400 3 2 || finish
number_of_reports() { find "$WORK" -maxdepth 1 -name 'names.*.json' | wc -l; }
more_reports() { (($(number_of_reports) >= $1)); }
sizes=()
say "$COUNT programs of one function each, three times over:"
for pass in 0 1 2 3; do
	if ((pass > 0)); then
		echo go >&"$TO_COMMAND"
		wait_for_word "done" 600 || wrong "pass $pass did not end"
	fi
	until_true 60 more_reports $(($(number_of_reports) + 2)) ||
		wrong "there are no more reports"
	sizes+=("$(rss "$SYMBOLIZER")")
	say "  after pass $pass: symbolizer $((sizes[-1] >> 10)) KiB"
done
end names
each_balances names
((sizes[1] - sizes[0] <= COUNT * EACH_MOST + DRIFT_MOST)) ||
	wrong "$COUNT programs take $((sizes[1] - sizes[0])) bytes, more than $EACH_MOST each"
((sizes[3] - sizes[2] <= DRIFT_MOST)) ||
	wrong "the third time still takes $((sizes[3] - sizes[2])) bytes"
python '
import glob
from process_page import *
work, count = sys.argv[1], int(sys.argv[2])
own, wrong = set(), []
for path in sorted(glob.glob(work + "/names.*.html")):
    for hit in ProcessPage(path).hits:
        found = re.fullmatch(r"program-(\d{6})", hit.comm)
        functions = {f[-6:] for f in hit.frames if f.startswith("own_function_")}
        own |= functions
        if functions and (not found or functions != {found.group(1)}):
            wrong.append(hit)
print("  %d of %d functions were named" % (len(own), count))
check(len(own) > 0.5 * count, "only %d of %d functions were named" % (len(own), count))
check(not wrong, "wrong names: %s" % wrong[:2])
' "$WORK" "$COUNT"
first=$(((sizes[1] - sizes[0]) / COUNT)) third=$(((sizes[3] - sizes[2]) >> 10))
figure "memory of symbols" "$COUNT programs" "$first bytes each, third time $third KiB" \
	"at most $EACH_MOST, 1 MiB"
finish
