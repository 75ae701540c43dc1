#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# execs - while a process that executes one program after the other is sampled, every sample belongs
# wholly to the program before an exec or wholly to the one after it, or it is marked `exec`
#
# TM_PROCESSES: the number of execs in each of the four cases (10000 for the whole proof). Without
# it, the cases in which 2,000 descriptors close do a fifth as many as the others. Perf's sideband
# tells when each exec was. Upstream kept the name of the program before the exec (#835).
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

crowded=${TM_PROCESSES:-300}
processes_of_this_run 1500
HZ=9999

# execs NAME PROGRAM DESCRIPTORS COUNT
execs() {
	local name=$1 program=$2 descriptors=$3 count=$4
	mkdir "$WORK/$name"
	must python3 "$TM_LIB/numbered_programs.py" "$TM_WORKLOADS/$program" "$WORK/$name" 2
	say "$name: $count execs, each of which closes $descriptors descriptors:"
	record_with_reference "$name" -F $HZ -o "$WORK/$name.html" -- bash -c \
		'ulimit -n 4096; exec "$@"' sh \
		"$WORK/$name/program-000001" "$count" 200 "$descriptors" \
		"$WORK/$name/program-000001" "$WORK/$name/program-000002" || return
	balance "$name"
	python '
from process_page import *
from reference import *
work, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sideband, records, ran = read_recording(work, name)
judged = Judgement(sideband, records)
n = judged.counts
page = ProcessPage("%s/%s.html" % (work, name))
wrong, in_exec, sides, kernel, generations = [], 0, 0, 0, set()
for h in page.hits:
    found = re.fullmatch(r"program-(\d{6})", h.comm)
    if not found:
        continue
    number, path = found.group(1), "%s/%s/%s" % (work, name, h.comm)
    reason = truncation(h.frames)
    user = [f for f in strip_kernel(h.frames) if not f.startswith("[truncated")]
    if reason == "exec":
        in_exec += h.count
        if user:
            wrong.append(("user frames inside execve", h))
        continue
    functions = {f for f in user if f.startswith("own_function_")}
    others = {f for f in user if re.match(r"program-\d{6}\+", f) and not f.startswith(h.comm)}
    if functions - {"own_function_" + number} or others:
        wrong.append(("frames of the other side", h))
    if h.generation.exe not in ("", path) or (h.generation.exe == "" and reason != "exiting"):
        wrong.append(("executable", h))
    sides += h.count
    kernel += h.count if any("execve" in f for f in h.frames) else 0
    generations.add(h.generation.number)
print("  E3: %d generations were hit; %d samples on one side (%d of them in the kernel around "
      "execve), %d in exec; %d wrong on the page, %d of %d wrong by the sideband" %
      (len(generations), sides, kernel, in_exec, len(wrong), len(judged.wrong),
       n["whole"] + n["in_exec"]))
for what in wrong[:3] + judged.wrong[:3]:
    print("    %s" % (what,))
check(not wrong, "%d samples are wrong on the page; the first has: %s" %
      (sum(w[1].count for w in wrong), wrong and wrong[0][0]))
check(not judged.wrong, "%d samples are wrong by the sideband; the first has: %s" %
      (len(judged.wrong), judged.wrong and judged.wrong[0][0]))
check(n["whole"] > 10 * n["unjudged"], "%d samples could not be judged" % n["unjudged"])
check(in_exec > 0.05 * count,
      "only %d samples were taken inside %d execs, too few to test anything" % (in_exec, count))
check(len(generations) > 0.5 * count,
      "only %d generations of %d were hit" % (len(generations), count))
' "$WORK" "$name" "$count"
}

execs plain execs 0 "$TM_PROCESSES"
execs pie execs-pie 0 "$TM_PROCESSES"
execs crowded execs 2000 "$crowded"
execs crowded-pie execs-pie 2000 "$crowded"
finish
