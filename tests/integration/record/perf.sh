#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# perf - the same run of a real program, recorded by perf and by tidemark at once: same top 20
. "$(dirname "$0")/../../lib/integration.bash"

command -v perf >/dev/null || skip "no perf (Debian package linux-perf)"
HZ=499
LENGTH=20

# compare COMM - both recordings are in $WORK/COMM.*
compare() {
	local comm=$1
	# perf would also read Debian's separate debug files; this release of tidemark does not.
	# So perf looks into a tree that holds the sampled files themselves and nothing else.
	perf script -i "$WORK/$comm.data" --show-mmap-events 2>/dev/null |
		sed -n 's/.* \(\/[^ ]*\)$/\1/p' | sort -u | while read -r file; do
		[[ -f $file ]] && cp --parents "$file" "$WORK/files/"
	done
	perf script -i "$WORK/$comm.data" --symfs "$WORK/files" --kallsyms /proc/kallsyms \
		--comms "$comm" -F comm,ip,sym,dso >"$WORK/$comm.script" \
			2>"$WORK/$comm.script.err" ||
		wrong "perf script: $(head -n 3 "$WORK/$comm.script.err")"
	python3 "$TM_LIB/self_time.py" "$comm" "$WORK/$comm.script" "$WORK/$comm.folded" ||
		WRONG=$((WRONG + 1))
}

mkdir "$WORK/files"
say "perl, one on each CPU, $HZ Hz, $LENGTH s:"
for ((i = 0; i < $(nproc); i++)); do
	perl "$TM_LIB/busy.pl" $((LENGTH + 60)) &
	STARTED+=($!)
done
busy=("${STARTED[@]}")
perf record -q -a -g -e cpu-clock -F $HZ -o "$WORK/perl.data" -- sleep $((LENGTH + 3)) \
	>"$WORK/perf.out" 2>&1 &
perf=$!
STARTED+=("$perf")
# perf script is given the files alone, so tidemark looks for no debug files of theirs either.
record_ok perl -F $HZ -d $LENGTH --no-debug-files -o "$WORK/perl.folded"
wait "$perf" || wrong "perf record: $(head -c 300 "$WORK/perf.out")"
stop "${busy[@]}"
((WRONG)) && finish
balance perl zero-drops
compare perl
finish
