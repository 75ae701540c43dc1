#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# short - a process of 300 ms that is gone has names for all of its sampled functions, once the
# description of its interpreter is there
#
# The first process of each interpreter runs until a METHOD record of its own has been seen. What
# the ring says is judged, of the RUNS that follow it. TM_RUNS: how many.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/../unwind/unwind.bash"
LEFT_OUT='9 10 12' # truth.sh runs 3.10 and 3.12, too
. "$(dirname "$0")/python.bash"

HZ=${TM_HZ:-199}
RUNS=${TM_RUNS:-10}
MS=300
# Of the functions in the samples: those whose announcement was over budget. Of the samples between
# the first and the last function of a process: those that are whole and have none.
UNNAMED_MAX=0.01
WITHOUT_MAX=0.01

has_methods() { grep -q '^M ' "$WORK/$1.records"; }

# shellcheck disable=SC2016 # expanded by the inner shell
SCRIPT='"$1" "$2" 1 "$4" & echo $! >"$5"; wait $!
for ((i = 0; i < $6; i++)); do "$1" "$2" "$3" || exit 1; done'

for interpreter in "${INTERPRETERS[@]}"; do
	version=$(version_of "$interpreter")
	name=short-$version
	say "$interpreter, $version"
	rm -f "$WORK/go" "$WORK/first"
	begin_held_recording "$name" -F "$HZ" --no-cache -o "$WORK/$name.folded" -- \
		bash -c "$SCRIPT" \
		bash "$interpreter" "$PYTHON_SOURCE/short_program.py" "$MS" "$WORK/go" \
		"$WORK/first" "$RUNS" && start_ring_recorder "$name" || continue
	release "$name"
	until_true 60 has_methods "$name" || wrong "no function was announced within 60 s"
	touch "$WORK/go"
	record_with_ring_end "$name"
	grep -q ' ended with status 0$' "$WORK/$name.out" || wrong "a program failed"
	python '
from reference import METHOD, Records, method_number
path, version, (first, runs) = *sys.argv[1:3], map(int, sys.argv[3:5])
nameless_max, without_max = map(float, sys.argv[5:])
records, read = Records(path + ".records"), summary(path + ".json")
python = {g: p for g, p in records.processes.items() if b"python" in p[-1].path}
late = sorted((g for g in python if g[0] != first), key=lambda g: g[1])
begin = [g for g in python if g[0] == first]
check(len(begin) == 1, "%d first processes" % len(begin))
seen = [s.ktime for s in records.samples
        if s.generation == begin[0] and any(f >> 60 == METHOD for f in s.frames)]
check(seen, "the first process has no function")
records.samples.sort(key=lambda s: s.ktime)
named = {number: [m for m in all_ if m.name] for number, all_ in records.methods.items()}
frames = nameless = 0
functions, samples, without = set(), 0, 0
for generation in late:
    own = [(s.ktime, s.stop == "none", [f for f in s.frames if f >> 60 == METHOD])
           for s in records.samples if s.generation == generation]
    samples += len(own)
    running = [when for when, _, mine in own if mine]
    check(running, "process %d has no function" % generation[0])
    without += sum(whole and not mine and running[0] < when < running[-1]
                   for when, whole, mine in own)
    for _, _, mine in own:
        frames += len(mine)
        functions |= {method_number(f) for f in mine}
        nameless += sum(not named.get(method_number(f)) for f in mine)
print("FIGURE python short: %s | first process: %.0f ms from start to the first function | %d "
      "processes of 300 ms: %d samples, %d between others without functions; %d functions in %d "
      "frames, %d without a name; methods_written %d, late %d, lost %d | at most 1 %% without a "
      "name" %
      (version, (min(seen) - begin[0][1]) / 1e6, len(late), samples, without, len(functions),
       frames, nameless, read["methods_written"], read["methods_late"], read["methods_lost"]))
check(len(late) == runs, "%d processes" % len(late))
check(samples >= 20 * runs, "only %d samples" % samples)
check(frames >= samples, "only %d frames of functions" % frames)
check(nameless <= nameless_max * frames, "%d of %d functions have no name" % (nameless, frames))
check(without <= without_max * samples, "%d of %d samples have no function" % (without, samples))
' "$WORK/$name" "$version" "$(<"$WORK/first")" "$RUNS" "$UNNAMED_MAX" "$WITHOUT_MAX"
	rm -f "$WORK/$name.records"
done
finish
