#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# processes_full - more processes live than the map of announced processes holds: this is counted,
# and new ones are announced again once entries are free
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

ENTRIES=$(awk '$2 == "PROCESSES_MAX" { print $3 }' "$TM_SOURCE/bpf/maps.h")
COUNT=${1:-$((ENTRIES + 1200))}
HZ=9999

(($(</proc/sys/kernel/pid_max) > COUNT + 4000)) || skip "pid_max is too small for $COUNT processes"
mkdir "$WORK/numbered"
make_numbered_programs 1
begin processes -F $HZ -o "$WORK/processes.html" -- \
	"$TM_SOAK/exceed_limits" processes "$COUNT" 300 || finish
say "$COUNT processes for $ENTRIES entries:"
echo go >&"$TO_COMMAND"
wait_for_word done 300 || wrong "they did not all start"
table_is_full() { (($(bpf_state_of levels processes_full) > 0)); }
until_true 30 table_is_full || wrong "the map was never full"
full=$(bpf_state_of levels processes_full)
say "  $(bpf_state stale | tr '\n' ' '); processes_full $full"
echo over >&"$TO_COMMAND"
wait_for_word over 300 || wrong "they did not end"
until_entries 120 processes 0 ||
	wrong "$(bpf_state_of counts processes) processes still have an entry"
say "  no entry is left $ELAPSED s after the last had ended"
echo "$WORK/numbered/program-000001" >&"$TO_COMMAND"
wait_for_word done 60 || wrong "the new program did not end"
end processes
balance processes
python '
from process_page import *
work, count, entries, full = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
read = summary(work + "/processes.json")
named, nameless, own, wrong = set(), 0, 0, []
for hit in ProcessPage(work + "/processes.html").hits:
    if hit.comm == "exceed_limits" and truncation(hit.frames) not in ("exec", "exiting"):
        if hit.generation.exe == "":
            nameless += hit.count
        else:
            named.add(hit.generation.number)
            wrong += [hit] if not hit.generation.exe.endswith("/exceed_limits") else []
    if "own_function_000001" in hit.frames:
        own += hit.count
        wrong += [hit] if hit.generation.exe != work + "/numbered/program-000001" else []
print("  %d processes named, %d samples of processes without a name; the new program: %d samples" %
      (len(named), nameless, own))
check(len(named) > 0.9 * entries, "only %d processes were named" % len(named))
check(own > 20, "the new program has %d samples" % own)
check(not wrong, "wrong executable: %s" % wrong[:2])
check(read["processes_full"] >= full, "the summary says processes_full %d" % read["processes_full"])
print("FIGURE announced processes exhausted | %d alive, %d entries | %d named, processes_full %d, "
      "samples without a name %d | healed" %
      (count, entries, len(named), read["processes_full"], nameless))
' "$WORK" "$COUNT" "$ENTRIES" "$full"
finish
