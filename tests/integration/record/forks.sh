#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# forks - the whole host while processes come and go as fast as a shell can make them
. "$(dirname "$0")/../../lib/integration.bash"

LENGTH=20
LIVES=1500 # different executables, each lives 5 ms

mkdir "$WORK/numbered"
python3 "$TM_LIB/numbered_programs.py" "$TM_WORKLOADS/short_lived" "$WORK/numbered" $LIVES || finish

storm() { while :; do /bin/true; done; }
# lives FIRST - runs every second numbered program, beginning with FIRST, and then all of them again
lives() {
	local i
	while :; do
		for ((i = $1; i <= LIVES; i += 2)); do
			"$WORK/numbered/program-$(printf '%06d' "$i")" 5
			echo "$i" >>"$WORK/lived.$1"
		done
	done
}

descriptors() { find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l; }

"$TM_TIDEMARK" record --summary "$WORK/forks.json" -F 499 -d $LENGTH -o "$WORK/forks.folded" \
	-o "$WORK/forks.html" >"$WORK/forks.out" 2>"$WORK/forks.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
storm & STARTED+=($!)
lives 1 & STARTED+=($!)
lives 2 & STARTED+=($!)

running() { [[ -n $(program_pid "$RECORDER" tidemark-parser) &&
	-n $(program_pid "$RECORDER" tidemark-opener) ]]; }
until_true 20 running || wrong "the programs do not run after 20 s"
remember "$RECORDER"
collector=$(program_pid "$RECORDER" tidemark-collector)
symbolizer=$(program_pid "$RECORDER" tidemark-symbolizer)
# The open descriptors are counted while the recording runs. Later counts must not exceed early
# ones.
looks=0
while kill -0 "$RECORDER" 2>/dev/null && [[ -d /proc/$collector/fd && -d /proc/$symbolizer/fd ]]; do
	echo "$(descriptors "$collector") $(descriptors "$symbolizer")" >>"$WORK/descriptors"
	looks=$((looks + 1))
	read -r -t 0.25 <> <(:)
done
wait "$RECORDER"
STATUS=$?
stop "${STARTED[@]:1}"
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 500 "$WORK/forks.err")"
say "whole host, $LENGTH s at 499 Hz; $(cat "$WORK"/lived.* | wc -l) lives of 5 ms," \
	"/bin/true in a loop:"
balance forks
nothing_left

python '
looks = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
files = len(Page(sys.argv[2]).data["files"])
# The last looks may fall into the end, when descriptors are being closed.
third = max(1, len(looks) // 3)
early = max(look[0] for look in looks[:2 * third])
late = max(look[0] for look in looks[2 * third:])
most = max(look[1] for look in looks)
print("  descriptors, counted %d times: the collector had at most %d, later %d; "
      "the symbolizer had %d with %d sampled files" % (len(looks), early, late, most, files))
check(len(looks) >= 10, "the descriptors were counted only %d times" % len(looks))
check(late <= early + 8 and early < 128 + 8 * os_cpus(),
      "the descriptors of the collector grow: %d, then %d" % (early, late))
# The symbolizer keeps one descriptor for each sampled file until it has read the names.
check(most <= files + 64, "the symbolizer holds %d descriptors for %d files" % (most, files))
' "$WORK/descriptors" "$WORK/forks.html"

python '
read = summary(sys.argv[1])
numbered = sys.argv[3]
page = Page(sys.argv[2])
own = unnamed = wrong_name = wrong_file = pathless = with_mm = without_mm = in_exec = 0
examples, seen = [], set()
for comm, exe, frames, count in page.samples:
    functions = [name for name in frames if name.startswith("own_function_")]
    for name in functions:
        number = name[-6:]
        seen.add(number)
        own += count
        if comm != "program-" + number:
            wrong_name += count
            examples.append((comm, name))
        if exe != numbered + "/program-" + number:
            wrong_file += count
            examples.append((comm, name, exe))
    if not re.match(r"program-\d{6}$", comm):
        continue
    if truncation(frames) == "exiting":
        without_mm += count
    elif truncation(frames) == "exec":
        in_exec += count
    else:
        with_mm += count
        if exe == "":
            pathless += count
            examples.append((comm, exe, frames[-3:]))
        if not functions and any(name.startswith(comm + "+0x") for name in frames):
            unnamed += count
    # A generation whose only hit came when it had no mm is known by its comm alone.
    if exe not in ("", numbered + "/" + comm) and truncation(frames) != "exec":
        wrong_file += count
        examples.append((comm, exe, frames[-3:]))
print("  %d different lives were hit; %d samples in their own functions" % (len(seen), own))
print("  samples of lives: %d with an mm, of them %d without their path; "
      "%d without an mm; %d in exec" % (with_mm, pathless, without_mm, in_exec))
print("  with a frame of the own file but no name for it: %d (%.2f %%)" %
      (unnamed, 100.0 * unnamed / max(1, with_mm)))
print("  wrong comm %d, wrong file %d; exiting, all processes: %d" %
      (wrong_name, wrong_file, read["exiting"]))
check(own > 500, "only %d samples in own functions" % own)
check(wrong_name == 0 and wrong_file == 0, "wrong names: %s" % examples[:4])
check(pathless == 0, "%d samples without their path: %s" % (pathless, examples[:4]))
check(page.total() == read["exported"], "the page holds %d samples, exported are %d" %
      (page.total(), read["exported"]))
' "$WORK/forks.json" "$WORK/forks.html" "$WORK/numbered"
finish
