#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# execs - execs in mid-sampling: every sample is wholly before or wholly after, or says `exec`
. "$(dirname "$0")/../lib/system.bash"
. "$(dirname "$0")/life.bash"

COUNT=${TM_LIFE_N:-1500} # execs of each case
HZ=9999

# execs NAME PROGRAM DESCRIPTORS COUNT
execs() {
	local name=$1 program=$2 descriptors=$3 count=$4
	mkdir "$WORK/$name"
	must python3 "$TM_LIB/clones.py" "$TM_LIFE/$program" "$WORK/$name" 2
	say "$name: $count execs, $descriptors descriptors that close:"
	record_ok "$name" -F $HZ -o "$WORK/$name.html" -- bash -c 'ulimit -n 4096; exec "$@"' sh \
		"$WORK/$name/life-000001" "$count" 200 "$descriptors" \
		"$WORK/$name/life-000001" "$WORK/$name/life-000002" || return
	balance "$name"
	python '
from lives import *
directory, count = sys.argv[1], int(sys.argv[2])
lives = Lives(directory + ".html")
wrong, in_exec, sides, kernel, generations = [], 0, 0, 0, set()
for h in lives.hits:
    found = re.fullmatch(r"life-(\d{6})", h.comm)
    if not found:
        continue
    number, path = found.group(1), "%s/%s" % (directory, h.comm)
    reason = truncation(h.frames)
    user = [f for f in strip_kernel(h.frames) if not f.startswith("[truncated")]
    if reason == "exec":
        in_exec += h.count
        if user:
            wrong.append(("user frames inside execve", h))
        continue
    functions = {f for f in user if f.startswith("own_function_")}
    others = {f for f in user if re.match(r"life-\d{6}\+", f) and not f.startswith(h.comm)}
    if functions - {"own_function_" + number} or others:
        wrong.append(("frames of the other side", h))
    if h.life.exe not in ("", path) or (h.life.exe == "" and reason != "exiting"):
        wrong.append(("executable", h))
    sides += h.count
    kernel += h.count if any("execve" in f for f in h.frames) else 0
    generations.add(h.life.number)
print("  %d generations were hit; %d samples on one side (%d of them in the kernel around execve), %d in exec" %
      (len(generations), sides, kernel, in_exec))
for what, h in wrong[:3]:
    print("    %s: %s" % (what, h))
check(not wrong, "%d samples with %s" % (sum(w[1].count for w in wrong), wrong and wrong[0][0]))
check(in_exec > 0.05 * count, "only %d samples inside %d execs: nothing is tested" % (in_exec, count))
check(len(generations) > 0.5 * count, "only %d generations of %d were hit" % (len(generations), count))
' "$WORK/$name" "$count"
}

execs plain execs 0 "$COUNT"
execs pie execs-pie 0 "$COUNT"
execs crowded execs 2000 $((COUNT / 5))
execs crowded-pie execs-pie 2000 $((COUNT / 5))
finish
