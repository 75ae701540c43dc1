# SPDX-License-Identifier: Apache-2.0
# soak - the common part of the long tests; sourced after integration.bash and identity.bash
#
# Each test prints its figures, and lines `FIGURE what | size | figure | verdict` for the table of
# tests/soak/run.

TM_SOAK=${TM_SOAK:-$TM_BUILD/tests/soak}
[[ -x $TM_SOAK/bpf_state ]] || skip "no programs in $TM_SOAK"
[[ -z ${TM_INNER:-} ]] ||
	skip "maps are found by their ids, which takes rights that a container lacks"
must mkdir "$WORK/soak"
# The opener must be able to reach the folder they are in.
must find "$TM_SOAK" -maxdepth 1 -type f -perm -u+x -exec cp {} "$WORK/soak" \;
TM_SOAK=$WORK/soak

# figure WHAT SIZE FIGURE [VERDICT] - a line for the table
figure() { printf 'FIGURE %s | %s | %s | %s\n' "$1" "$2" "$3" "${4:-}"; }

bpf_state() { "$TM_SOAK/bpf_state" "$COLLECTOR" "$@"; }
bpf_state_of() { bpf_state "$1" | awk -v name="$2" '$1 == name { print $2 }'; } # MODE NAME

# begin NAME OPTION... -- COMMAND... - starts a recording of COMMAND with pipes to and from COMMAND
# as descriptors TO_COMMAND and FROM_COMMAND; returns once COMMAND has printed `ready`. RECORDER,
# COLLECTOR and SYMBOLIZER are the process ids.
begin() {
	local name=$1
	# shellcheck disable=SC2016 # expanded by the inner shell
	start_through_fifos "$name" 'from=$1 to=$2; shift 2; exec "$@" <"$from" >"$to"' \
		to_command from_command "${@:2}"
	exec {TO_COMMAND}<>"$WORK/to_command" {FROM_COMMAND}<>"$WORK/from_command"
	wait_for_word ready 30 || {
		wrong "COMMAND did not start: $(head -c 600 "$WORK/$name.err")"
		return 1
	}
	remember "$RECORDER"
	COLLECTOR=$(program_pid "$RECORDER" tidemark-collector)
	SYMBOLIZER=$(program_pid "$RECORDER" tidemark-symbolizer)
}

# wait_for_word WORD SECONDS - reads what COMMAND prints up to WORD; the rest of that line is ANSWER
wait_for_word() {
	local word
	while read -r -t "$2" -u "$FROM_COMMAND" word ANSWER; do
		[[ $word == "$1" ]] && return 0
	done
	return 1
}

# end NAME [SIGNAL] - ends COMMAND, or the recorder by a signal, and waits for the recording
end() {
	if [[ ${2:-} ]]; then
		kill "-$2" "$RECORDER"
	else
		echo end >&"$TO_COMMAND"
	fi
	exec {TO_COMMAND}>&- {FROM_COMMAND}<&-
	end_recording 120
	((STATUS == 0)) || wrong "record exited with $STATUS: $(head -c 300 "$WORK/$1.err")"
}

# rss PID - prints its resident bytes
rss() { awk '$1 == "Rss:" { print $2 * 1024 }' "/proc/$1/smaps_rollup" 2>/dev/null; }

# rss_line NUMBER - prints NUMBER, then the name and the resident bytes of each program
rss_line() {
	local pid name bytes line=$1
	for pid in "${REMEMBERED_PIDS[@]}"; do
		IFS= read -r -d '' name 2>/dev/null <"/proc/$pid/cmdline"
		bytes=$(rss "$pid")
		[[ $bytes ]] && line+=" ${name##*/} $bytes" # else it has ended: a worker
	done
	echo "$line"
}

# until_entries SECONDS NAME COUNT - waits until the map has that many entries; ELAPSED: how long,
# in seconds
until_entries() {
	local from=$SECONDS
	count_is() { (($(bpf_state_of counts "$1") == $2)); }
	until_true "$1" count_is "$2" "$3"
	local status=$?
	ELAPSED=$((SECONDS - from))
	return $status
}

# each_balances NAME - checks that taken = exported + dropped in each report and in their sum
each_balances() {
	python '
import glob
total, lost, late = collections.Counter(), 0, 0
paths = sorted(glob.glob(sys.argv[1] + ".*.json"))
check(paths, "no summaries %s.*.json" % sys.argv[1])
for path in paths:
    read = summary(path)
    dropped = sum(read["dropped"].values())
    check(read["taken"] == read["exported"] + dropped,
          "%s: taken %d is not exported %d + dropped %d" %
          (path, read["taken"], read["exported"], dropped))
    total.update(taken=read["taken"], exported=read["exported"], dropped=dropped)
    lost, late = lost + read["announce_lost"], late + read["late_records"]
print("  %d reports: taken %d = exported %d + dropped %d; announcements lost %d; late records %d" %
      (len(paths), total["taken"], total["exported"], total["dropped"], lost, late))
check(late == 0, "%d records were older than a published W" % late)
for key, count in total.items():
    check(read["recording"][key] == count,
          "the last report says %s %d of the recording" % (key, read["recording"][key]))
' "$WORK/$1"
}
