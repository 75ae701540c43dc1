#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# births - short lives at a thousand a second: each sample bears the path of its own executable
. "$(dirname "$0")/../lib/system.bash"
. "$(dirname "$0")/life.bash"

COUNT=${TM_LIFE_N:-2000} # different executables
((COUNT > 10000)) && COUNT=10000
HZ=1999

mkdir "$WORK/lives"
clone_lives "$COUNT"
say "$COUNT lives of 1 ms, at most 1000 a second:"
record_ok births -F $HZ -o "$WORK/births.html" -- \
	"$TM_LIFE/births" "$WORK/lives/life-" "$COUNT" 1000 1 >"$WORK/rate" || finish
sed -n 's/^\([0-9]* a second\)$/  \1/p' "$WORK/births.out"
balance births

python '
from lives import *
work, total = sys.argv[1], int(sys.argv[2])
read = summary(work + "/births.json")
lives = Lives(work + "/births.html")
prefix = work + "/lives/life-"
wrong, pathless, with_mm, without, in_exec, own, unnamed, hit = [], 0, 0, 0, 0, 0, 0, set()
parent = 0
for h in lives.hits:
    found = re.fullmatch(r"life-(\d{6})", h.comm)
    functions = {f[-6:] for f in h.frames if f.startswith("own_function_")}
    if not found:
        parent += h.count
        if functions:
            wrong.append(("comm", h))
        continue
    number = found.group(1)
    hit.add(number)
    reason = truncation(h.frames)
    if functions - {number}:
        wrong.append(("function", h))
    if reason == "exec":
        in_exec += h.count # its generation is still that of the program before
        continue
    if h.life.exe not in ("", prefix + number):
        wrong.append(("executable", h))
    if reason == "exiting":
        without += h.count
        continue
    with_mm += h.count
    pathless += h.count if h.life.exe == "" else 0
    own += h.count if functions else 0
    if any(f.startswith(h.comm + "+0x") for f in h.frames):
        unnamed += h.count
print("  %d of %d lives were hit: %d samples with an mm, %d without their path; %d in exec, %d exiting (%.1f %%)" %
      (len(hit), total, with_mm, pathless, in_exec, without, 100.0 * without / max(1, with_mm + without)))
print("  in their own function, by name %d, by offset %d; before their exec %d" % (own, unnamed, parent))
for what, h in wrong[:3]:
    print("    %s: %s" % (what, h))
check(len(hit) >= 0.3 * total, "only %d of %d lives were hit" % (len(hit), total))
check(not wrong, "%d samples with a wrong %s" % (sum(w[1].count for w in wrong), wrong and wrong[0][0]))
check(pathless == 0, "%d samples with an mm lack their path" % pathless)
' "$WORK" "$COUNT"
finish
