#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# truth - a program of known methods, lines and shares, in each Java of this host: its stacks are
# those that it says itself, and its shares those of its CPU time
#
# TM_SECONDS: CPU time of a part. TM_RECURSION, TM_ALTERNATIONS: how deep two of its parts are.
# TM_MODES: which of the MODES. Without it and TM_FULL the first Java has some of them, and the
# others the default one.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/java.bash"

# A stack may take a quarter of the time between samples: 2,000 frames of the interpreter take half
# a millisecond on a busy host.
HZ=${TM_HZ:-299}
ARGUMENTS=("${TM_SECONDS:-0.45}" "${TM_RECURSION:-2000}" "${TM_ALTERNATIONS:-30}")

# How the methods run, and options for that. `odd` has what the others have not.
declare -A MODES=(
	[interpreter]='-Xint'
	[c1]='-XX:TieredStopAtLevel=1'
	[c2]='-XX:-TieredCompilation'
	[tiered]='-XX:+TieredCompilation'
	[odd]='-XX:-SegmentedCodeCache -XX:-UseCompressedOops -XX:-UseCompressedClassPointers
		-XX:+UseParallelGC -XX:+DebugNonSafepoints'
)
# C1 and C2 are both in `tiered`.
MOST='tiered interpreter odd'
# Unknown options are those of other versions.
COMMON=(-Xmx256m -XX:MaxJavaStackTraceDepth=100000 -XX:CompileCommand=quiet
	-XX:CompileCommand=exclude,TruthProgram.kept -XX:+IgnoreUnrecognizedVMOptions
	-XX:+UnlockDiagnosticVMOptions -XX:+UnlockExperimentalVMOptions
	-Djava.library.path="$WORK" -cp "$WORK/classes")
LOG=(-XX:+PrintCompilation -XX:+PrintInlining -XX:-DisplayVMOutput -XX:+LogVMOutput)

# ran_as MODE LOG - whether the JVM compiled as it had to, by its own log: what was inlined
ran_as() {
	local inlined
	inlined=$(grep -cE '@ [0-9]+ +TruthProgram::level5 .*inline' "$2")
	case $1 in
	interpreter) ! grep -q 'TruthProgram::' "$2" ;;
	*) ((inlined > 0)) ;;
	esac
}

for jdk in "${JDKS[@]}"; do
	feature=$(feature_of "$jdk")
	modes=${TM_MODES:-$MOST}
	[[ ${TM_MODES:-} || $jdk == "${JDKS[0]}" ]] || modes=tiered
	[[ ${TM_MODES:-} || ! ${TM_FULL:-} ]] || modes="$MOST c1 c2"
	# What is known of a JVM is made once and kept; short.sh says how long that takes.
	record_ok "first-$feature" --cache "$WORK/cache" -o "$WORK/first.folded" -- \
		"$jdk/bin/java" "${COMMON[@]}" TruthProgram "$WORK/first" 0.1 100 3 || continue
	for mode in $modes; do
		name=truth-$feature-$mode
		say "$jdk, Java $feature, $mode"
		# shellcheck disable=SC2086 # several options
		record_ok "$name" -F "$HZ" --ring-kib 4096 --cache "$WORK/cache" \
			-o "$WORK/$name.otlp" -- \
			"$jdk/bin/java" "${COMMON[@]}" ${MODES[$mode]} "${LOG[@]}" \
			-XX:LogFile="$WORK/$name.log" TruthProgram "$WORK/$name" \
			"${ARGUMENTS[@]}" ||
			continue
		if ! grep -q ' ended with status 0$' "$WORK/$name.out"; then
			wrong "the program failed: $(tail -n 5 "$WORK/$name.out")"
			continue
		fi
		ran_as "$mode" "$WORK/$name.log" || wrong "the methods did not run as $mode"
		balance "$name" zero-drops
		python3 "$JAVA_SOURCE/truth_check.py" "$WORK/$name" "$WORK/$name.otlp" "$mode" \
			"$(stubs_of "$jdk")" || WRONG=$((WRONG + 1))
		rm -f "$WORK/$name.log" "$WORK/$name.otlp"
	done
done
finish
