#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# short - a JVM that works for 300 ms and is gone at the report has names for all of its sampled
# methods, once the description of its libjvm.so is there
#
# The first process of each Java runs until a METHOD record of its own has been seen. What the ring
# says is judged, of the RUNS that follow it. TM_RUNS: how many.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/../unwind/unwind.bash"
. "$(dirname "$0")/java.bash"

HZ=${TM_HZ:-199}
RUNS=${TM_RUNS:-10}
MS=300
# Of the methods in the samples: those whose announcement was over budget. Of the samples of a
# thread that has run `main`, between two with methods: those that are whole and have none.
NAMELESS_MAX=0.01
WITHOUT_MAX=0.01

has_methods() { grep -q '^M ' "$WORK/$1.records"; }

# shellcheck disable=SC2016 # expanded by the inner shell
SCRIPT='"$1" -Xmx64m -cp "$2" ShortProgram 1 "$4" & echo $! >"$5"; wait $!
for ((i = 0; i < $6; i++)); do "$1" -Xmx64m -cp "$2" ShortProgram "$3" || exit 1; done'

for jdk in "${JDKS[@]}"; do
	feature=$(feature_of "$jdk")
	name=short-$feature
	say "$jdk, Java $feature"
	rm -f "$WORK/go" "$WORK/first"
	begin_held_recording "$name" -F "$HZ" --no-cache -o "$WORK/$name.folded" -- \
		bash -c "$SCRIPT" bash "$jdk/bin/java" "$WORK/classes" "$MS" "$WORK/go" \
		"$WORK/first" "$RUNS" && start_ring_recorder "$name" || continue
	release "$name"
	until_true 60 has_methods "$name" || wrong "no method was announced within 60 s"
	touch "$WORK/go"
	record_with_ring_end "$name"
	grep -q ' ended with status 0$' "$WORK/$name.out" || wrong "a program failed"
	python3 "$JAVA_SOURCE/short_check.py" "$WORK/$name" "$feature" "$(<"$WORK/first")" \
		"$RUNS" "$NAMELESS_MAX" "$WITHOUT_MAX" || WRONG=$((WRONG + 1))
	rm -f "$WORK/$name.records"
done
finish
