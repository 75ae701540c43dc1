#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# attacks - who lies about his JVM, in memory or in a libjvm.so of his own, changes no name and no
# stack of a program beside him
#
# TM_TABLES: how many files with lying tables.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/java.bash"

[[ -x $TM_WORKLOADS/lying_java ]] || skip "no program lying_java"
HZ=${TM_HZ:-499}
TABLES=${TM_TABLES:-8}
LIES=(honest inlined many_scopes many_pcs long_segm segm_outside endl_heaps whole_mem stub_names
	long_symb wide_frames unmapped cyclic changing)
MS=600000 # at most: they end with the recording

# shellcheck disable=SC2016 # expanded by the inner shell
SCRIPT='program=$1 libjvm=$2 tables=$3 java=$4 work=$5 truth=$6
shift 6
lie() {
	setpriv --reuid=65534 --regid=65534 --clear-groups nice -n 10 "$program" "$@" &
	pids+=($!)
}
for name; do lie "$libjvm" "$name" '$MS'; done
for ((i = 1; i <= tables; i++)); do lie "$work/lie.$i/libjvm.so" tables '$MS' "$i"; done
"$java" -Xmx256m -XX:MaxJavaStackTraceDepth=100000 -Djava.library.path="$work" \
	-cp "$work/classes" TruthProgram "$truth" 0.3 200 10
status=$?
kill "${pids[@]}"
exit $status'

for jdk in "${JDKS[@]}"; do
	feature=$(feature_of "$jdk")
	name=attacks-$feature
	say "$jdk, Java $feature"
	mkdir -p "$WORK/lie"
	cp "$(libjvm_of "$jdk")" "$WORK/lie/libjvm.so"
	for ((i = 1; i <= TABLES; i++)); do
		mkdir -p "$WORK/lie.$i"
		must python3 "$JAVA_SOURCE/lying_tables.py" "$WORK/lie/libjvm.so" \
			"$WORK/lie.$i/libjvm.so" "$i"
	done
	record_ok "$name" -F "$HZ" --cache "$WORK/cache" -o "$WORK/$name.folded" \
		-o "$WORK/$name.otlp" -- bash -c "$SCRIPT" bash "$TM_WORKLOADS/lying_java" \
		"$WORK/lie/libjvm.so" "$TABLES" "$jdk/bin/java" "$WORK" "$WORK/$name" \
		"${LIES[@]}" ||
		continue
	grep -q ' ended with status 0$' "$WORK/$name.out" ||
		wrong "a program failed: $(head -c 600 "$WORK/$name.err")"
	balance "$name"
	python3 "$JAVA_SOURCE/truth_check.py" "$WORK/$name" "$WORK/$name.otlp" tiered \
		"$(stubs_of "$jdk")" lie- >"$WORK/$name.said" || WRONG=$((WRONG + 1))
	grep -E '^FIGURE|WRONG' "$WORK/$name.said"
	python3 "$JAVA_SOURCE/attacks_check.py" "$feature" "$WORK/$name" || WRONG=$((WRONG + 1))
	rm -rf "$WORK/$name"* "$WORK/lie"*
done
finish
