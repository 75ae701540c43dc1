# SPDX-License-Identifier: Apache-2.0
# soak - what the long proofs share; sourced after integration.bash and identity.bash
#
# Each proof prints its figures and, as its last lines, rows `FIGURE what | size | figure | verdict`
# for the table of tests/soak/run.

TM_SOAK=${TM_SOAK:-$TM_BUILD/tests/soak}
[[ -x $TM_SOAK/kept ]] || skip "no programs in $TM_SOAK"
[[ -z ${TM_INNER:-} ]] || skip "maps are found by their ids, which takes rights that a container lacks"
must mkdir "$WORK/soak"
# The opener must be able to pass the folder they are in.
must find "$TM_SOAK" -maxdepth 1 -type f -perm -u+x -exec cp {} "$WORK/soak" \;
TM_SOAK=$WORK/soak

# figure WHAT SIZE FIGURE [VERDICT] - a row for the table
figure() { printf 'FIGURE %s | %s | %s | %s\n' "$1" "$2" "$3" "${4:-}"; }

kept() { "$TM_SOAK/kept" "$COLLECTOR" "$@"; }
kept_one() { kept "$1" | awk -v name="$2" '$1 == name { print $2 }'; } # MODE NAME

# begin NAME COMMAND... -- ARGUMENT... - starts `tidemark record ARGUMENTS... -- COMMAND`, whose
# standard input and output are ours as descriptors ASK and HEAR; returns once it has said `ready`.
# RECORDER, COLLECTOR, SYMBOLIZER are the process ids.
begin() {
	local name=$1 command=() line
	shift
	while [[ $1 != -- ]]; do
		command+=("$1")
		shift
	done
	shift
	rm -f "$WORK/ask" "$WORK/hear"
	mkfifo "$WORK/ask" "$WORK/hear"
	"$TM_TIDEMARK" record --summary "$WORK/$name.json" "$@" -- \
		sh -c 'ask=$1 hear=$2; shift 2; exec "$@" <"$ask" >"$hear"' sh \
		"$WORK/ask" "$WORK/hear" "${command[@]}" \
		>"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
	RECORDER=$!
	STARTED+=("$RECORDER")
	exec {ASK}<>"$WORK/ask" {HEAR}<>"$WORK/hear"
	heard ready 30 || {
		wrong "COMMAND did not start: $(head -c 600 "$WORK/$name.err")"
		return 1
	}
	remember "$RECORDER"
	COLLECTOR=$(program_pid "$RECORDER" tidemark-collector)
	SYMBOLIZER=$(program_pid "$RECORDER" tidemark-symbolizer)
}

# heard WORD SECONDS - reads what COMMAND says until it says WORD; the rest of that line in HEARD
heard() {
	local word
	while read -r -t "$2" -u "$HEAR" word HEARD; do
		[[ $word == "$1" ]] && return 0
	done
	return 1
}

# end NAME [SIGNAL] - tells COMMAND to end, or the recorder by a signal, and waits for the recording
end() {
	if [[ ${2:-} ]]; then
		kill "-$2" "$RECORDER"
	else
		echo end >&"$ASK"
	fi
	exec {ASK}>&- {HEAR}<&-
	end_recording 120
	((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 300 "$WORK/$1.err")"
}

# rss PID - resident bytes
rss() { awk '$1 == "Rss:" { print $2 * 1024 }' "/proc/$1/smaps_rollup" 2>/dev/null; }

# rss_row - resident bytes of the programs, one row for drift.py
rss_row() {
	local pid name row=$1
	for pid in "${REMEMBERED_PIDS[@]}"; do
		IFS= read -r -d '' name 2>/dev/null <"/proc/$pid/cmdline"
		row+=" ${name##*/} $(rss "$pid")"
	done
	echo "$row"
}

# until_kept SECONDS NAME COUNT - waits until that many entries are in the map; ELAPSED in seconds
until_kept() {
	local from=$SECONDS
	count_is() { (($(kept_one counts "$1") == $2)); }
	until_true "$1" count_is "$2" "$3"
	local status=$?
	ELAPSED=$((SECONDS - from))
	return $status
}

# each_balances NAME - every report in between, and the recording as their sum
each_balances() {
	python '
import glob
total, lost, late = collections.Counter(), 0, 0
paths = sorted(glob.glob(sys.argv[1] + ".*.json"))
check(paths, "no summaries %s.*.json" % sys.argv[1])
for path in paths:
    read = summary(path)
    dropped = sum(read["dropped"].values())
    check(read["taken"] == read["exported"] + dropped, "%s: taken %d is not exported %d + dropped %d" %
          (path, read["taken"], read["exported"], dropped))
    total.update(taken=read["taken"], exported=read["exported"], dropped=dropped)
    lost, late = lost + read["announce_lost"], late + read["late_records"]
print("  %d reports: taken %d = exported %d + dropped %d; announcements lost %d; late records %d" %
      (len(paths), total["taken"], total["exported"], total["dropped"], lost, late))
check(late == 0, "%d records came later than W" % late)
for key, count in total.items():
    check(read["recording"][key] == count, "the last report says %s %d of the recording" % (key, read["recording"][key]))
' "$WORK/$1"
}
