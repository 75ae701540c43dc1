#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# short_lived - a thousand processes a second live for 1 ms each, and every sample says of its
# process what perf's sideband reported of it
#
# TM_PROCESSES: the number of processes, each of which runs a program of its own (10000 for the
# whole proof). TM_RATE: how many of them start in a second.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

processes_of_this_run 2000
RATE=${TM_RATE:-1000}
HZ=1999

mkdir "$WORK/numbered"
make_numbered_programs "$TM_PROCESSES"
say "$TM_PROCESSES processes that live for 1 ms, at most $RATE of them a second:"
record_with_reference short_lived -F $HZ -o "$WORK/short_lived.html" -- \
	"$TM_WORKLOADS/spawn_at_rate" "$WORK/numbered/program-" "$TM_PROCESSES" "$RATE" 1 || finish
balance short_lived

python '
from process_page import *
from reference import *
work, total = sys.argv[1], int(sys.argv[2])
sideband, records, ran = read_recording(work, "short_lived")
rate = re.search(r"^(\d+) a second$", open(work + "/short_lived.out").read(), re.M).group(1)
judged = Judgement(sideband, records)
n = judged.counts
short = sorted(life_ms for life_ms in sideband.lifetimes_ms("exec"))
page = ProcessPage(work + "/short_lived.html")
tgids = sideband_tgids(sideband, records)
same = check_page(records, page, tgids)
by_name = sum(h.count for h in page.hits if "own_function_" + h.comm[-6:] in h.frames)
foreign = [h for h in page.hits
           if h.comm.startswith("program-") and truncation(h.frames) != "exec" and
           any(f.startswith("own_function_") and f[-6:] != h.comm[-6:] for f in h.frames)]
hit = {h.comm for h in page.hits if h.comm.startswith("program-")}
dying_share = 100.0 * n["dying"] / max(1, n["whole"] + n["dying"])
print("  E1: %s lives a second (median %.2f ms, 99 %% below %.2f ms), %d of %d hit; "
      "%d samples with an mm: %d wrong; %d without (%.1f %%, exiting, comm right); %d in exec; "
      "%d not judged; page like records: %d" %
      (rate, short[len(short) // 2], short[len(short) * 99 // 100], len(hit), total,
       n["whole"], len(judged.wrong), n["dying"], dying_share, n["in_exec"],
       n["unjudged"], same))
by_file_share = 100.0 * n["user hits by file"] / max(1, n["user hits"])
print("  E2: %d of %d hits in user mode carry every frame as (file, offset): %.3f %%; "
      "%d frames were mapped so" %
      (n["user hits by file"], n["user hits"], by_file_share, n["frames"]))
print("  %d samples name the function of their own program; the identity of the executable was "
      "compared for %d" % (by_name, n["with identity"]))
for w in judged.wrong[:5]:
    print("    %s: %s" % (w[0], w[1:]))
check(len(hit) >= 0.3 * total, "only %d of %d lives were hit" % (len(hit), total))
check(not judged.wrong, "%d samples are wrong by the sideband; the first has: %s" %
      (len(judged.wrong), judged.wrong and judged.wrong[0][0]))
judgeable = sum(n[key] for key in ("whole", "in_exec", "dying"))
check(n["unjudged"] <= 0.05 * judgeable,
      "%d samples could not be judged, %d could" % (n["unjudged"], judgeable))
check(not foreign,
      "%d samples show the function of another process" % sum(h.count for h in foreign))
check(n["user hits by file"] >= 0.999 * n["user hits"],
      "E2 is not reached: too few hits in user mode carry every frame as (file, offset)")
check(by_name > 0, "no file was opened in time, so the names of functions are not tested")
check_exits(judged)
check_delivered(records, ran, sideband_tgids(sideband, records))
' "$WORK" "$TM_PROCESSES"
finish
