#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# many_processes - when more processes live within one epoch than the BPF maps hold, all of them are
# still shown with their names
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

LANES=2
EACH=9000 # the processes of each lane; all lanes have more than PROCESSES_MAX of bpf/maps.h
HZ=9999
remembered=$(awk '$2 == "PROCESSES_MAX" { print $3 }' "$TM_SOURCE/bpf/maps.h")
((LANES * EACH > remembered)) ||
	wrong "$((LANES * EACH)) processes do not exceed the $remembered places of the map"

must cp "$TM_WORKLOADS/pid_reuse" "$WORK"
last=$(($(</proc/sys/kernel/pid_max) - 5))
record_ok many -F $HZ -o "$WORK/many.html" -- sh -c '
	"$1" "$2" "$4" 200 fork >/dev/null &
	"$1" "$3" "$4" 200 fork >/dev/null
	wait' sh "$WORK/pid_reuse" $last $((last - 100)) $EACH || finish
balance many
python '
from process_page import *
work, total, remembered = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
page = ProcessPage(work + "/many.html")
mine = [h for h in page.hits if re.fullmatch(r"g\d+", h.comm)]
generations = {h.generation.number for h in mine}
paths = collections.Counter()
for h in mine:
    if not in_kernel_half_way(h):
        paths[h.generation.exe] += h.count
print("  %d processes, %d generations hit; samples by executable: %s" %
      (total, len(generations), dict(paths)))
check(len(generations) > remembered,
      "only %d of %d were hit, which does not exceed the map" % (len(generations), total))
check(set(paths) == {work + "/pid_reuse"}, "executables are missing or wrong: %s" % dict(paths))
' "$WORK" $((LANES * EACH)) "$remembered"
finish
