#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# anonymous_code - text copied to anonymous memory is that of its file, and a process that has code
# of no file names its jitdump, however many mappings it has and while that grows
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"

SPIN=1.2 # seconds of CPU time: a tenth of them may be from before the unwind tables are there
must cp "$TM_WORKLOADS"/{remap_text,remap_text-static,jitdump_marker} "$WORK"
cat >"$WORK/hot.js" <<'JS'
const end = Date.now() + 700;
let n = 0;
while (Date.now() < end) for (let i = 0; i < 1e5; i++) n += JSON.stringify({i}).length;
JS
cat >"$WORK/all" <<'ALL'
cd "$1" || exit
for what in middle start whole; do
	./remap_text-static $what "$2" &
done
./remap_text whole "$2" &
./jitdump_marker 0 "$2" &
./jitdump_marker 3000 "$2" &
if command -v node >/dev/null; then
	node --use-largepages=on hot.js &
	node --perf-prof hot.js &
fi
wait
ALL
record_with_ring anonymous -F 499 -- sh "$WORK/all" "$WORK" $SPIN || finish

python '
import anonymous_code, recorded
name, node = sys.argv[1:]
read = summary(name + ".json")
anonymous_code.judge_text(recorded, folded(name + ".folded"),
                          {"middle": 50, "start": 50, "whole": 100})
wanted = {"jitdump_marker": 2}
anonymous_code.judge_jitdumps(recorded, name + ".records",
                              dict(wanted, node=1) if node == "yes" else wanted)
print("  files: opened %d, refused %d" % (read["files_opened"], read["files_refused"]))
check(read["files_refused"] == 0, "a jitdump that grows is still the one that was announced")
' "$WORK/anonymous" "$(command -v node >/dev/null && echo yes || echo no)"
finish
