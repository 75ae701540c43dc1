#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# reclaim - the unwind tables of many programs, each a file of its own, are freed after the
# programs were sampled and have ended
#
# TM_FILES: how many programs (300; 100000 for the whole proof). They run in batches, and the files
# of a batch are deleted before the next one, so that fewer files exist at once than there are file
# numbers; but not before reports say that their tables are installed, as a file that is deleted
# before it was opened has none. The tables must be gone within two epochs and the lag of the
# watermark: 31 s.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/unwind.bash"

FILES=${TM_FILES:-300}
HZ=1999
BATCH=150
BEFORE=60 # seconds until the first report, at most
AFTER=38
INSTALLED=20 # seconds that a batch's tables are waited for
[[ -x $TM_BUILD/tests/integration/programs/spawn_at_rate ]] ||
	skip "no program spawn_at_rate in $TM_BUILD/tests/integration/programs"
must strip --strip-debug -o "$WORK/template" "$TM_WORKLOADS/short_lived"
mkdir "$WORK/numbered"

cat >"$WORK/flood" <<'FLOOD'
work=$1 births=$2 clones=$3 files=$4 batch=$5
are_installed() {
	cat "$work"/reclaim.*.json | awk -v wanted="$1" '
		/"tables_installed"/ { sum += $2 }
		END { exit !(sum >= wanted) }'
}
"$work/workloads/hot" 1 100000 &
steady=$!
end=$((SECONDS + $6))
until compgen -G "$work/reclaim.*.json" >/dev/null || ((SECONDS > end)); do
	read -r -t 0.1 <> <(:)
done
date +%s.%N >"$work/phases"
for ((done = 0; done < files; done += batch)); do
	python3 "$clones" "$work/template" "$work/numbered" "$batch"
	"$births" "$work/numbered/program-" "$batch" 1000 3 2 >/dev/null
	end=$((SECONDS + $8))
	until are_installed $(((done + batch) * 8 / 10)) || ((SECONDS > end)); do
		read -r -t 0.1 <> <(:)
	done
	rm -f "$work"/numbered/*
done
date +%s.%N >>"$work/phases"
sleep "$7"
kill "$steady"
FLOOD
say "$FILES programs, $BATCH at a time:"
"$TM_TIDEMARK" record -F $HZ --every 2 --summary "$WORK/reclaim.json" \
	-o "$WORK/reclaim.folded" -- \
	bash "$WORK/flood" "$WORK" "$TM_BUILD/tests/integration/programs/spawn_at_rate" \
		"$TM_LIB/numbered_programs.py" "$FILES" $BATCH $BEFORE $AFTER $INSTALLED \
	>"$WORK/reclaim.out" 2>"$WORK/reclaim.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
end_recording $((120 + FILES / 20))
((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 400 "$WORK/reclaim.err")"
python '
import glob
work, files = sys.argv[1], int(sys.argv[2])
begin, end = map(float, open(work + "/phases"))
before, during, after, sums = [], [], [], collections.Counter()
unread = collections.Counter()
summed = ("tables_installed", "tables_evicted", "tables_refused", "announce_lost", "files_full")
for path in sorted(glob.glob(work + "/reclaim.*.json")):
    read, when = summary(path), os.stat(path).st_mtime
    kept = (read["tables"], read["table_bytes"], read["files_known"])
    (before if when < begin else during if when < end + 1 else after).append(kept)
    for key in summed:
        sums[key] += read[key]
    for key in "files_not_opened", "parse_failures":
        unread.update(read[key])
check(before and during and after,
      "there are %d reports before, %d during and %d after the programs" %
      (len(before), len(during), len(after)))
installed = sums["tables_installed"]
base, peak, last = max(before), tuple(map(max, zip(*during, *after))), after[-1]
print("  tables, bytes, files known: before %s, at most %s, at last %s" % (base, peak, last))
print("  %d installed in %.0f s, %d evicted, %d refused; "
      "announcements lost %d, files without a number %d" %
      (installed, end - begin, sums["tables_evicted"], sums["tables_refused"],
       sums["announce_lost"], sums["files_full"]))
# The shell of the workload starts programs itself, so the number of known files differs a little
# from report to report.
spare = 12
print("FIGURE C7 files sampled and gone | %d files | %d tables installed; "
      "tables %d -> %d -> %d, KiB %d -> %d -> %d, files %d -> %d -> %d | back" %
      (files, installed, base[0], peak[0], last[0],
       base[1] >> 10, peak[1] >> 10, last[1] >> 10, base[2], peak[2], last[2]))
check(installed >= 0.8 * files,
      "only %d tables were installed for %d files, of which were not opened or not parsed: %s" %
      (installed, files, dict(+unread)))
check(peak[0] > base[0] + min(files, 100) / 2, "there were never more than %d tables" % peak[0])
check(last[0] <= base[0] + spare, "%d tables are left, there were %d before" % (last[0], base[0]))
check(last[2] <= base[2] + spare, "%d files are left, there were %d before" % (last[2], base[2]))
check(last[1] <= base[1] + (1 << 20),
      "%d bytes of tables are left, there were %d before" % (last[1], base[1]))
' "$WORK" "$FILES"
finish
