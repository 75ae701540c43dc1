#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# forks - the whole host while processes come and go as fast as a shell can make them
. "$(dirname "$0")/../lib/system.bash"

LENGTH=20
LIVES=1500 # different executables, each lives 5 ms

mkdir "$WORK/lives"
python3 "$TM_LIB/clones.py" "$TM_WORKLOADS/life" "$WORK/lives" $LIVES || finish

storm() { while :; do /bin/true; done; }
lives() { # FIRST - every second one, in turn, again and again
	local i
	while :; do
		for ((i = $1; i <= LIVES; i += 2)); do
			"$WORK/lives/life-$(printf '%06d' "$i")" 5
			echo "$i" >>"$WORK/lived.$1"
		done
	done
}

descriptors() { find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l; }

"$TM_TIDEMARK" record --summary "$WORK/forks.json" -F 499 -d $LENGTH -o "$WORK/forks.folded" \
	-o "$WORK/forks.pb.gz" >"$WORK/forks.out" 2>"$WORK/forks.err" </dev/null &
RECORDER=$!
STARTED+=("$RECORDER")
storm & STARTED+=($!)
lives 1 & STARTED+=($!)
lives 2 & STARTED+=($!)

running() { [[ -n $(program_pid "$RECORDER" tidemark-parser) && -n $(program_pid "$RECORDER" tidemark-opener) ]]; }
until_true 20 running || wrong "the programs do not run after 20 s"
remember "$RECORDER"
collector=$(program_pid "$RECORDER" tidemark-collector)
symbolizer=$(program_pid "$RECORDER" tidemark-symbolizer)
# Looked at while it runs; what counts is that later looks see no more than early ones.
looks=0
while kill -0 "$RECORDER" 2>/dev/null && [[ -d /proc/$collector/fd && -d /proc/$symbolizer/fd ]]; do
	echo "$(descriptors "$collector") $(descriptors "$symbolizer")" >>"$WORK/descriptors"
	looks=$((looks + 1))
	read -r -t 0.25 <> <(:)
done
wait "$RECORDER"
STATUS=$?
kill -KILL "${STARTED[@]:1}" 2>/dev/null
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 500 "$WORK/forks.err")"
say "whole host, $LENGTH s at 499 Hz; $(cat "$WORK"/lived.* | wc -l) lives of 5 ms, /bin/true in a loop:"
balance forks
nothing_left

python '
looks = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
# The last looks may fall into the end, when descriptors are being closed.
third = max(1, len(looks) // 3)
for column, name in ((0, "collector"), (1, "symbolizer")):
    early = max(look[column] for look in looks[:2 * third])
    late = max(look[column] for look in looks[2 * third:])
    print("  descriptors of the %s in %d looks: at most %d, later %d" % (name, len(looks), early, late))
    check(late <= early + 8, "the descriptors of the %s grow: %d, then %d" % (name, early, late))
    check(max(early, late) < 256, "the %s holds %d descriptors" % (name, max(early, late)))
' "$WORK/descriptors"

python '
read = summary(sys.argv[1])
profile = Pprof(sys.argv[2])
own = collections.Counter()
unnamed = wrong_name = wrong_file = pathless = with_mm = user = nameless_user = without_mm = 0
examples = []
seen = set()
for values, labels, stack in profile.samples:
    comm, count = labels.get("comm", ""), values[0]
    exe = labels.get("exe", "")
    functions = [name for name, _ in stack if name.startswith("own_function_")]
    match = re.match(r"life-(\d{6})$", comm)
    for name in functions:
        number = name[-6:]
        seen.add(number)
        own["samples"] += count
        if comm != "life-" + number:
            wrong_name += count
            examples.append((comm, name))
        if exe != sys.argv[3] + "/life-" + number:
            wrong_file += count
            examples.append((comm, name, exe))
    if match:
        exiting = labels.get("truncated") == "exiting"
        in_exec = labels.get("truncated") == "exec"
        if exiting:
            without_mm += count
            # a generation whose only hit came without its mm is known by its comm alone
            if exe and exe != sys.argv[3] + "/" + comm:
                wrong_file += count
                examples.append((comm, exe))
        elif not in_exec:
            with_mm += count
            if exe != sys.argv[3] + "/" + comm:
                pathless += count
                examples.append((comm, exe, [name for name, _ in stack][:3]))
            if not functions and any(path.endswith(comm) for _, path in stack):
                unnamed += count
print("  %d different lives were hit; %d samples in their own functions" % (len(seen), own["samples"]))
print("  samples of lives with an mm: %d, without their path %d; already without an mm: %d" %
      (with_mm, pathless, without_mm))
print("  with a frame of the own file but no name for it: %d" % unnamed)
print("  wrong comm %d, wrong file %d; exiting (all) %d" % (wrong_name, wrong_file, read["exiting"]))
check(own["samples"] > 500, "only %d samples in own functions" % own["samples"])
check(wrong_name == 0 and wrong_file == 0, "wrong names: %s" % examples[:4])
check(pathless == 0, "%d samples without their path: %s" % (pathless, examples[:4]))
check(profile.total() == read["exported"], "pprof holds %d samples, exported are %d" %
      (profile.total(), read["exported"]))
' "$WORK/forks.json" "$WORK/forks.pb.gz" "$WORK/lives"
finish
