#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# unloading - classes of one shape that are loaded, run for a moment and unloaded, each at the place
# in memory where others were: no method is shown as one of a class that did not run then
#
# TM_CLASSES: how many; the size of a soak is 100000. TM_MODES: which of the MODES; without it,
# tiered, and with TM_FULL all.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/../unwind/unwind.bash"
. "$(dirname "$0")/java.bash"

HZ=${TM_HZ:-997}
THREADS=2
CLASSES=$((${TM_CLASSES:-2500} / THREADS))
MICROSECONDS=1500
OPTIONS=(-Xmx64m -XX:+UseSerialGC -XX:MaxMetaspaceSize=16m -XX:+IgnoreUnrecognizedVMOptions
	-XX:CompileCommand=quiet -cp "$WORK/classes")
# As they come; each compiled before it runs, so that their code comes and goes, too.
declare -A MODES=(
	[tiered]='-XX:+TieredCompilation'
	[compiled]='-Xcomp -XX:TieredStopAtLevel=1 -XX:CompileCommand=compileonly,N0*.*
		-XX:ReservedCodeCacheSize=16m'
	[interpreter]='-Xint'
)

for jdk in "${JDKS[@]}"; do
	feature=$(feature_of "$jdk")
	for mode in ${TM_MODES:-tiered ${TM_FULL:+compiled interpreter}}; do
		name=unloading-$feature-$mode
		say "$jdk, Java $feature, $mode"
		# shellcheck disable=SC2086 # several options
		begin_held_recording "$name" -F "$HZ" --every 1 --cache "$WORK/cache" \
			-o "$WORK/$name.otlp" -- \
			"$jdk/bin/java" "${OPTIONS[@]}" ${MODES[$mode]} UnloadingProgram \
			"$WORK/$name" "$THREADS" "$CLASSES" "$MICROSECONDS" &&
			start_ring_recorder "$name" || continue
		release "$name"
		end_recording 500
		((STATUS == 0)) || wrong "record exited with $STATUS: $(tail "$WORK/$name.err")"
		wait "$RING_RECORDER" || wrong "ring_recorder: $(<"$WORK/$name.ring_recorder")"
		grep -q ' ended with status 0$' "$WORK/$name.out" ||
			wrong "the program failed: $(tail -n 5 "$WORK/$name.out")"
		python3 "$JAVA_SOURCE/unloading_check.py" "$WORK/$name" "$feature $mode" \
			"$((THREADS * CLASSES))" || WRONG=$((WRONG + 1))
		rm -f "$WORK/$name"*
	done
done
finish
