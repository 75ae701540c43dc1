#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# reclaim - so many programs, each a file of its own, sampled and gone: their unwind tables are
# freed
#
# TM_FILES: how many (300; 100000 for the whole proof). They come in batches that are deleted
# again, at a pace at which no more than the numbers there are live at once. Back within two
# epochs and what W lags: 31 s.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"

FILES=${TM_FILES:-300}
HZ=1999
BATCH=150
BEFORE=3 # seconds
AFTER=34
[[ -x $TM_BUILD/tests/integration/programs/spawn_at_rate ]] ||
	skip "no program births in $TM_BUILD/tests/integration/programs"
must strip --strip-debug -o "$WORK/template" "$TM_WORKLOADS/short_lived"
mkdir "$WORK/numbered"

cat >"$WORK/flood" <<'FLOOD'
work=$1 births=$2 clones=$3 files=$4 batch=$5
"$work/workloads/hot" 1 100000 &
steady=$!
sleep "$6"
date +%s.%N >"$work/phases"
for ((done = 0; done < files; done += batch)); do
	python3 "$clones" "$work/template" "$work/numbered" "$batch"
	"$births" "$work/numbered/program-" "$batch" 1000 3 2 >/dev/null
	rm -f "$work"/numbered/*
done
date +%s.%N >>"$work/phases"
sleep "$7"
kill "$steady"
FLOOD
say "$FILES programs, $BATCH at a time:"
"$TM_TIDEMARK" record -F $HZ --every 2 --summary "$WORK/reclaim.json" -o "$WORK/reclaim.folded" -- \
	bash "$WORK/flood" "$WORK" "$TM_BUILD/tests/integration/programs/spawn_at_rate" \
		"$TM_LIB/numbered_programs.py" "$FILES" $BATCH $BEFORE $AFTER \
	>"$WORK/reclaim.out" 2>"$WORK/reclaim.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
end_recording $((120 + FILES / 50))
((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 400 "$WORK/reclaim.err")"
python '
import glob
work, files = sys.argv[1], int(sys.argv[2])
begin, end = map(float, open(work + "/phases"))
before, during, after, sums = [], [], [], collections.Counter()
for path in sorted(glob.glob(work + "/reclaim.*.json")):
    read, when = summary(path), os.stat(path).st_mtime
    kept = (read["tables"], read["table_bytes"], read["files_known"])
    (before if when < begin else during if when < end + 1 else after).append(kept)
    for key in ("tables_installed", "tables_evicted", "tables_refused", "announce_lost", "files_full"):
        sums[key] += read[key]
check(before and during and after, "%d, %d, %d reports before, in and after" % (len(before), len(during), len(after)))
installed = sums["tables_installed"]
base, peak = max(before), tuple(map(max, zip(*during, *after)))
print("  tables, bytes, files known: before %s, at most %s, at last %s" % (base, peak, after[-1]))
print("  %d installed in %.0f s, %d evicted, %d refused; announcements lost %d, files without a number %d" %
      (installed, end - begin, sums["tables_evicted"], sums["tables_refused"], sums["announce_lost"], sums["files_full"]))
# Between two reports the workload itself meets one file more or less: what its shell starts.
spare = 12
print("FIGURE C7 files sampled and gone | %d files | %d tables installed; tables %d -> %d -> %d, KiB %d -> %d -> %d, files %d -> %d -> %d | back" %
      (files, installed, base[0], peak[0], after[-1][0], base[1] >> 10, peak[1] >> 10, after[-1][1] >> 10, base[2], peak[2], after[-1][2]))
check(installed >= 0.8 * files, "only %d tables were installed for %d files" % (installed, files))
check(peak[0] > base[0] + min(files, 100) / 2, "the tables were never many: %d" % peak[0])
check(after[-1][0] <= base[0] + spare, "%d tables are left of %d" % (after[-1][0], base[0]))
check(after[-1][2] <= base[2] + spare, "%d files are left of %d" % (after[-1][2], base[2]))
check(after[-1][1] <= base[1] + (1 << 20), "%d bytes are left of %d" % (after[-1][1], base[1]))
' "$WORK" "$FILES"
finish
