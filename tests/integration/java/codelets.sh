#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# codelets - where a method of the interpreter has just left its frame, the part of the interpreter
# that it is in has its name
#
# On one CPU, so that one search finds it. TM_HZ, TM_MS: frequency and CPU time.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/java.bash"

HZ=${TM_HZ:-1999}
MS=${TM_MS:-10000}

for jdk in "${JDKS[@]}"; do
	feature=$(feature_of "$jdk")
	name=codelets-$feature
	say "$jdk, Java $feature"
	# What is known of a JVM is made once and kept.
	record_ok "first-$feature" --cache "$WORK/cache" -o "$WORK/first.folded" -- \
		"$jdk/bin/java" -cp "$WORK/classes" LeavingProgram 300 || continue
	record_ok "$name" -F "$HZ" --cache "$WORK/cache" -o "$WORK/$name.otlp" -- \
		taskset -c 0 "$jdk/bin/java" -Xint -cp "$WORK/classes" LeavingProgram "$MS" ||
		continue
	grep -q ' ended with status 0$' "$WORK/$name.out" || wrong "the program failed"
	python3 "$JAVA_SOURCE/codelets_check.py" "$feature" "$WORK/$name.otlp" ||
		WRONG=$((WRONG + 1))
done
finish
