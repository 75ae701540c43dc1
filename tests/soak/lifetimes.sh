#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lifetimes - many processes start and exit: no memory leaks, and the maps empty again
#
# lifetimes.sh [COUNT]: processes, in full size 1,000,000. From 500,000 on, the growth of the
# programs' memory is bounded: then a tenth of the run lasts longer than the data of an exited
# process is kept.
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

COUNT=${1:-6000}
HZ=1999
EVERY=$((COUNT >= 100000 ? 10 : 2))
DRIFT_MOST=$((1 << 20))

begin lifetimes -F $HZ --every $EVERY -o "$WORK/lifetimes.html" -- \
	"$TM_SOAK/spawn_many" 4 "$COUNT" 0 "$TM_SOAK/exit_at_once" 16 || finish
say "$COUNT processes, $HZ Hz, a report every $EVERY s:"
echo go >&"$TO_COMMAND"
tenth=0
rate=
while [[ -z $rate ]]; do
	if read -r -t 0.5 -u "$FROM_COMMAND" word rest; then
		[[ $word == tenth ]] && tenth=$rest
		[[ $word == done ]] && rate=$rest
	fi
	if gone "$RECORDER"; then
		wrong "the recording ended: $(head -c 300 "$WORK/lifetimes.err")"
		finish
	fi
	rss_line "$tenth" >>"$WORK/rss"
done
say "  $rate processes a second; entries after the last: $(bpf_state counts | tr '\n' ' ')"

# No entry is left of those that exited, nor of those that sleep.
for map in processes files; do
	until_entries 90 $map 0 || wrong "$(bpf_state_of counts $map) entries are left in $map"
	say "  $map: empty $ELAPSED s later"
done
(($(bpf_state_of counts selected) == 1)) ||
	wrong "selected has $(bpf_state_of counts selected) entries for one process"
(($(bpf_state get selected_count) == 1)) ||
	wrong "selected_count is $(bpf_state get selected_count) for one process"
end lifetimes
each_balances lifetimes
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
    bounded = count >= 500000 and early > 0
    holds = drift <= most or not bounded
    claim = "at most 1 MiB" if bounded else "printed; 1 MiB from 500,000 processes on"
    print("  %-20s at most %6.2f MB after 10 %% of the processes, %6.2f MB after 90 %%: %+.3f MB" %
          (name, early / 1e6, late / 1e6, drift / 1e6))
    print("FIGURE E4 memory of %s | %d processes | %+d KiB | %s" %
          (name, count, drift >> 10, claim if holds else "MORE than 1 MiB"))
    check(holds, "%s grew by %d bytes" % (name, drift))
' "$WORK" "$COUNT" $DRIFT_MOST

python '
import glob
from process_page import *
work = sys.argv[1]
late = with_mm = pathless = nameless = 0
for path in sorted(glob.glob(work + "/lifetimes.*.html")):
    for hit in ProcessPage(path).hits:
        if not any(frame.startswith("do_exit") for frame in hit.frames):
            continue
        late += hit.count
        if truncation(hit.frames) not in ("exec", "exiting"):
            with_mm += hit.count
            pathless += hit.count if hit.generation.exe == "" else 0
        else:
            nameless += hit.count if hit.generation.exe == "" else 0
print("  samples in do_exit: %d; with an mm: %d, of these without an executable: %d; "
      "without an mm and with no other sample of their process: %d" %
      (late, with_mm, pathless, nameless))
check(late > 20, "only %d samples in do_exit: nothing is tested" % late)
check(pathless == 0, "%d samples after the EXIT event have no executable" % pathless)
print("FIGURE E4 samples in do_exit | %d | %d without their executable | 0" % (with_mm, pathless))
' "$WORK"
figure "E4 BPF maps" "$COUNT processes" "processes, files, selected as at the start" exact
finish
