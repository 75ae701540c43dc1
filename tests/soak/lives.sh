#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lives - so many process lives while recording: no memory is lost, and the kernel's maps empty again
#
# lives.sh [COUNT]: in full 1,000,000. From 500,000 on, when a tenth of them outlasts what is kept of the
# dead, the drift of the programs' memory is a claim.
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

COUNT=${1:-${TM_SOAK_LIVES:-6000}}
HZ=1999
EVERY=$((COUNT >= 100000 ? 10 : 2))
DRIFT_MOST=$((1 << 20))

begin lives "$TM_SOAK/storm" 4 "$COUNT" 0 "$TM_SOAK/mayfly" 16 -- \
	-F $HZ --every $EVERY -o "$WORK/lives.html" || finish
say "$COUNT lives, $HZ Hz, a report every $EVERY s:"
echo go >&"$ASK"
tenth=0
rate=
while [[ -z $rate ]]; do
	if read -r -t 0.5 -u "$HEAR" word rest; then
		[[ $word == tenth ]] && tenth=$rest
		[[ $word == done ]] && rate=$rest
	fi
	gone "$RECORDER" && { wrong "the recording ended: $(head -c 300 "$WORK/lives.err")"; finish; }
	rss_row "$tenth" >>"$WORK/rss"
done
say "  $rate lives a second; kept by the kernel when the last was over: $(kept counts | tr '\n' ' ')"

# What the kernel keeps: nothing of the lives, and of what sleeps nothing either.
for map in processes files; do
	until_kept 90 $map 0 || wrong "$(kept_one counts $map) entries are left in $map"
	say "  $map: empty after $ELAPSED s more"
done
(($(kept_one counts selected) == 1)) || wrong "$(kept_one counts selected) marks are left for one process"
(($(kept get selected_count) == 1)) || wrong "selected_count is $(kept get selected_count), and one process is left"
end lives
each_balances lives
nothing_left

python '
work, count, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rows = []
for line in open(work + "/rss"):
    tenth, *pairs = line.split()
    rows.append((int(tenth), dict(zip(pairs[::2], map(int, pairs[1::2])))))
for name in sorted(rows[0][1]):
    early = max([row[name] for tenth, row in rows if tenth == 1] or [0])
    late = max(row[name] for tenth, row in rows if tenth >= 9)
    drift = late - early
    holds = not early or drift <= most or count < 500000
    print("  %-20s most after 10 %% of the lives %6.2f MB, after 90 %% %6.2f MB: drift %+.3f MB" %
          (name, early / 1e6, late / 1e6, drift / 1e6))
    print("FIGURE E4 memory of %s | %d lives | drift %+d KiB | %s" %
          (name, count, drift >> 10, "at most 1 MiB" if holds else "MORE than 1 MiB"))
    check(holds, "%s grew by %d bytes" % (name, drift))
' "$WORK" "$COUNT" $DRIFT_MOST

python '
import glob
from process_page import *
work = sys.argv[1]
late = with_mm = pathless = nameless = 0
for path in sorted(glob.glob(work + "/lives.*.html")):
    for hit in ProcessPage(path).hits:
        if not any(frame.startswith("do_exit") for frame in hit.frames):
            continue
        late += hit.count
        if truncation(hit.frames) not in ("exec", "exiting"):
            with_mm += hit.count
            pathless += hit.count if hit.generation.exe == "" else 0
        else:
            nameless += hit.count if hit.generation.exe == "" else 0
print("  samples in do_exit: %d, with an mm %d, of them without an executable %d; without an mm and "
      "with no other sample of their process: %d" % (late, with_mm, pathless, nameless))
check(late > 20, "only %d samples in do_exit: nothing is tested" % late)
check(pathless == 0, "%d samples after the start of death lost their executable" % pathless)
print("FIGURE E4 samples in do_exit | %d | %d without their executable | 0" % (with_mm, pathless))
' "$WORK"
figure "E4 maps of the kernel room" "$COUNT lives" "processes, files, selected back to the baseline" exact
finish
