#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lint_test.sh - plants each kind of violation in a copy of the tree; lint.sh must name every one
set -u
cd "$(dirname "$0")/.." || exit 2

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

mkdir "$dir/tree"
tar -c --exclude=node_modules shared bpf collector symbolizer service cli tests |
	tar -x -C "$dir/tree"
tests/lint.sh "$dir/tree" >"$dir/before"

# plant FILE LINES CLAIM [NAMED]: LINES at the end of FILE break CLAIM, under which NAMED (FILE)
# stands
plant()
{
	printf '%b\n' "$2" >>"$dir/tree/$1"
	printf '%s\t%s\n' "$3" "${4:-$1}" >>"$dir/planted"
}

# under CLAIM: what the output on stdin lists beneath a failed claim
under()
{
	awk -v claim="FAILED: $1" '/^[^ ]/ { in_it = index($0, claim) == 1 } /^ / && in_it'
}

plant symbolizer/session.c '#include "collector/session.h"' 'symbolizer/ includes only'
plant symbolizer/session.c '#include "bpf/maps.h"' 'symbolizer/ includes only'
plant symbolizer/session.c '#include "symbolizer/parser/elf/image.h"' 'symbolizer/ includes only'
plant symbolizer/session.c '#include <gelf.h>' 'only symbolizer/parser/ reads ELF'
plant symbolizer/parser/main.c '#include "symbolizer/session.h"' 'symbolizer/parser/ includes only'
plant symbolizer/session.c '#include "symbolizer/network/network.h"' 'symbolizer/ includes only'
plant symbolizer/network/network.c '#include "symbolizer/debuginfod/options.h"' \
	'symbolizer/network/ includes only'
plant symbolizer/debuginfod/main.c '#include "symbolizer/session.h"' \
	'symbolizer/debuginfod/ includes only'
plant symbolizer/exporter/main.c '#include "symbolizer/debuginfod/server.h"' \
	'symbolizer/exporter/ includes only'
plant symbolizer/session.c '#include "symbolizer/exporter/queue.h"' 'symbolizer/ includes only'
plant symbolizer/viewer/main.c '#include "symbolizer/names/symbol_store.h"' \
	'symbolizer/viewer/ includes only'
plant bpf/tidemark.bpf.c '#include "shared/ring.h"' 'bpf/ includes only what it shares'
plant bpf/maps.h '#include <stdio.h>' 'bpf/ uses only headers of the kernel'
plant collector/main.c '#include "collector/opener/candidates.h"' 'collector/ includes only'
plant collector/main.c '#include "symbolizer/output/report.h"' 'collector/ includes only'
plant collector/main.c '#include "../symbolizer/output/report.h"' 'collector/ includes only'
plant collector/main.c '#include <gelf.h>' 'collector/ and cli/ use no parsing library'
plant collector/opener/main.c '#include "collector/session.h"' 'collector/opener/ includes only'
plant cli/main.c '#include "symbolizer/output/report.h"' 'cli/ includes only'
plant shared/reasons.c '#include "collector/options.h"' 'shared/ includes nothing but'
plant shared/reasons.c '#include <bpf/libbpf.h>' 'shared/ uses no library'
plant shared/reasons.c '#include "tests/model/random.h"' 'nobody includes tests/'
body() { printf 'static void f(_Atomic int *x)\\n{\\n%s\\n}' "$1"; } # BODY of a function
load='\tint y = atomic_load_explicit(x, memory_order_acquire);'
store='\n\tatomic_store_explicit(x, 1, memory_order_relaxed);'
fence='\t/* X1 -> X2 */\n\tatomic_thread_fence(memory_order_seq_cst);'
plant collector/main.c "$(body "$load")" 'every atomic line has its label'
plant shared/utf8.c "$(body "$store")" 'every atomic line has its label'
plant shared/utf8.c "$(body '\tatomic_store(x, 1);')" 'every atomic operation names its order'
plant shared/utf8.c "$(body "$fence")" 'no fence but that of the watermark'
plant collector/watermark.c "$(body "$fence")" 'one fence in the watermark'
plant cli/main.c 'static void f(void)\n{\nend:\n\tgoto end;\n}' 'no goto in user space'
plant cli/main.c 'static volatile int x;' 'no volatile in user space'
plant cli/main.c 'static void f(char *a)\n{\n\tstrcpy(a, "x");\n}' 'no banned call'
plant cli/options.c 'static void f(void)\n{\n\texit(1);\n}' 'exit() only in main.c'
plant cli/main.c '/* TODO: later */' 'nothing is left for later'
plant cli/main.c "$(yes ';' | head -400)" 'no file over 400 lines'
plant cli/main.c "static void f(void)\n{\n$(yes ';' | head -60)\n}" 'no function over 60 lines'
plant collector/opener/opener.h "$(yes 'int x;' | head -6699)" \
	'the privileged code stays under 7597 lines' 'lines'
for pair in base:profile profile:unwind unwind:names names:output profile:output; do
	topic=${pair%:*}
	header=$(cd "$dir/tree" && printf '%s\n' "symbolizer/${pair#*:}"/*.h | head -n 1)
	file=$(cd "$dir/tree" && printf '%s\n' "symbolizer/$topic"/*.c | head -n 1)
	plant "$file" "#include \"$header\"" 'a topic of the symbolizer includes only'
done
plant symbolizer/base/arena.c '#include "symbolizer/session.h"' 'a topic of the symbolizer'
mkdir -p "$dir/tree/cli/deep/deeper"
licence='/* SPDX-License-Identifier: Apache-2.0 */'
plant cli/deep/deeper/thing.c "$licence\n/* thing - is too deep */" \
	'each folder is a process or a topic' cli/deep/deeper
plant cli/util.c "$licence\n/* util - whatever */" 'every module has a noun'
plant cli/orphan.c 'int x;' 'every file has its licence and its sentence'

plant cli/orphan2.h '#define TM_ROWS_MAGIC 1' 'no retired stem, prefix or word'
plant bpf/memory.bpf.h '/* memory - x */' 'no retired stem, prefix or word'
plant shared/event.h '#include "shared/control.h"' 'no include runs upwards' \
	'shared/control shared/ev'
retired='wal''ls'
plant cli/main.c "/* The $retired stand. */" 'no retired stem, prefix or word'
plant cli/main.c "/* $(printf 'x%.0s' {1..100}) */" 'no line past 100 columns'

tests/lint.sh "$dir/tree" >"$dir/after" && echo 'lint.sh saw nothing'
while IFS=$'\t' read -r claim named; do
	planted=$(grep -cF "$claim"$'\t'"$named" "$dir/planted")
	under "$claim" <"$dir/before" >"$dir/known"
	seen=$(under "$claim" <"$dir/after" | grep -vxF -f "$dir/known" | grep -cF "$named")
	if [ "$seen" -ge "$planted" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: unseen in $named: $claim"
		under "$claim" <"$dir/after"
	fi
done <"$dir/planted"

echo "lint_test: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
