#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# upgrade - what tidemark has written before is read, and what was written for it is understood: a
# configuration, and a spool of which a part is not delivered yet
#
# tests/upgrade/ has a folder for each version of these formats (make.sh), which is never changed.
. "$(dirname "$0")/../../lib/integration.bash"

count=0
for version in "$TM_SOURCE"/tests/upgrade/*/; do
	version=${version%/}
	name=${version##*/}
	count=$((count + 1))
	say "version $name:"
	"$TM_TIDEMARK" config --check "$version/tidemark.conf" >"$WORK/config" 2>&1 ||
		wrong "its configuration is refused: $(<"$WORK/config")"
	must cp -r "$version/spool" "$WORK/$name"
	# Of an hour ago: what is older than a year is not kept.
	python '
import segments, time
paths = segments.paths(sys.argv[1])
newest = max(report.end + report.realtime for report in segments.reports(sys.argv[1]))
for path in paths:
    segments.made_later(path, time.time_ns() - 3600 * 10**9 - newest)
' "$WORK/$name"
	"$TM_TIDEMARK" view --spool "$WORK/$name" --since 2h \
		-o "$WORK/$name.folded" 2>"$WORK/$name.err" </dev/null ||
		wrong "view exited with $?: $(head -c 600 "$WORK/$name.err")"
	diff <(sort "$version/view.folded") <(sort "$WORK/$name.folded") >"$WORK/$name.diff" ||
		wrong "the picture is another one: $(head -n 5 "$WORK/$name.diff")"
	say "  $(wc -l <"$WORK/$name.folded") stacks"
	python '
import segments
from spool import *
program, folder = sys.argv[1:]
kept = segments.reports(folder)
unsent = [report for report in kept if report.sequence > 1]
check(len(kept) >= 3, "only %d reports" % len(kept))
with Spool(program, folder) as spool:
    after = 0
    for report in unsent:
        got = spool.fetch(after)
        check(got[:2] == (report.sequence, report.body), "it is not report %d" % report.sequence)
        after = report.sequence
    status, sequence = spool.store(unsent[0].body, flags=GZIP, samples=unsent[0].samples,
                                   uncompressed=unsent[0].uncompressed, start=kept[-1].end,
                                   end=kept[-1].end + 10**9, boottime=kept[-1].boottime,
                                   realtime=kept[-1].realtime)
    check(status == DONE and sequence > kept[-1].sequence,
          "the new one has status %d, sequence %d" % (status, sequence))
print("  %d reports, %d to be sent, and a new one behind them" % (len(kept), len(unsent)))
check([report.sequence for report in segments.reports(folder)] ==
      [report.sequence for report in kept] + [sequence], "some are not kept")
' "$TM_BUILD/symbolizer/spool/tidemark-spool" "$WORK/$name"
	# What is there twice, by its profile ids, counts once.
	"$TM_TIDEMARK" view --spool "$WORK/$name" --since 2h -o "$WORK/again.folded" \
		2>"$WORK/$name.err" </dev/null ||
		wrong "view exited with $?: $(head -c 600 "$WORK/$name.err")"
	cmp "$WORK/$name.folded" "$WORK/again.folded" || wrong 'a report counts twice'
done
((count > 0)) || wrong 'there is no version'
finish
