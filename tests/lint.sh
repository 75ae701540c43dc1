#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh - the rules of the tree: who includes whom, what no file may hold, how large things may
# grow
#
# usage: tests/lint.sh [--build DIR] [TREE]
# With --build also the symbols of the built programs. TREE: default, the one this file is in.
set -u
shopt -s lastpipe

build=
if [ "${1:-}" = --build ]; then
	build=$(realpath "$2")
	shift 2
fi
lint=$(cd "$(dirname "$0")" && pwd)/lint
cd "${1:-$lint/../..}" || exit 2

STARTER_LINES=400 # likewise, of cli/starter, which keeps root while a recording lasts
COLLECTOR_LINES=7597 # not blank, no comment; linked into collector or opener, libraries aside
COLUMNS_MOST=100
FILE_LINES=400
FUNCTION_LINES=60

failed=0
passed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# verdict CLAIM: the claim holds if nothing comes in on stdin; what comes in breaks it.
verdict()
{
	local broken

	broken=$(cat)
	if [ -z "$broken" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		printf '%s\n' "$broken" | sed 's/^/    /'
	fi
}

# sources ROOM...: its C files
sources()
{
	find "$@" \( -name node_modules -o -name 'build*' -type d \) -prune -o \
		-name '*.[ch]' -type f -print | sort
}

# includes: "file:line header" of the files named on stdin, quotes or brackets kept
includes()
{
	xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include' |
		sed -E 's/^([^:]+:[0-9]+):.*include[[:space:]]*(["<][^">]*[">]).*/\1 \2/'
}

# strangers ALLOWED: headers named with a folder, by the files on stdin, that are not ALLOWED. A
# quoted name without a folder is generated in the build folder and breaks no rule.
strangers()
{
	includes | grep -E '"[^"]*/|"\.\.' | grep -vE "\"($1)\""
}

# code: "file:line text" of the files named on stdin, without comments and the text of literals
code()
{
	xargs -r awk '
	FNR == 1 { inside = 0 }
	{
		line = $0
		gsub(/\\"/, "", line)
		gsub(/"[^"]*"/, "\"\"", line)
		out = ""
		while (line != "") {
			if (inside) {
				at = index(line, "*/")
				if (at == 0) break
				line = substr(line, at + 2)
				inside = 0
				continue
			}
			at = index(line, "/*")
			slashes = index(line, "//")
			if (slashes > 0 && (at == 0 || slashes < at)) {
				out = out substr(line, 1, slashes - 1)
				break
			}
			if (at == 0) { out = out line; break }
			out = out substr(line, 1, at - 1)
			line = substr(line, at + 2)
			inside = 1
		}
		if (out ~ /[^[:space:]]/) print FILENAME ":" FNR " " out
	}'
}

# --- doors -------------------------------------------------------------------------------------

# name: a header of a folder; topics: the folders of one process without the folders of its children
name='[a-z0-9_]+\.h'
own="shared/$name"

# Sources of a process without those of its children.
collector() { sources collector | grep -v '^collector/opener/'; }
symbolizer()
{
	local others='parser|network|exporter|debuginfod|spool|viewer'

	sources symbolizer | grep -vE "^symbolizer/($others)/"
}

for folder in shared bpf collector collector/opener symbolizer symbolizer/parser \
	symbolizer/network symbolizer/debuginfod symbolizer/exporter symbolizer/spool \
	symbolizer/viewer service cli tests; do
	[ -n "$(sources $folder)" ] || echo "$folder: empty"
done | verdict 'every component is there'
sources shared | strangers "$own|shared/seccompgen/$name" |
	verdict 'shared/ includes nothing but shared/ and libc'
sources shared | grep -v '^shared/seccompgen/' | includes |
	grep -E '<(bpf/|seccomp|gelf|libelf|elf|zlib|curl|sys/capability)|"shared/seccompgen/' |
	verdict 'shared/ uses no library'
layouts='event|bpf_state|method|runtime|unwind_map|unwind_table'
sources bpf |
	strangers "shared/($layouts)\.h|bpf/[a-z0-9_.]+\.h" |
	verdict 'bpf/ includes only what it shares with the collector, and bpf/'
sources bpf | includes | grep '<' |
	grep -vE '<(linux/[a-z_]+|std(bool|int|def)|vmlinux)\.h>' |
	grep -vE '<bpf/bpf_(helpers|core_read|tracing|endian)\.h>' |
	verdict 'bpf/ uses only headers of the kernel and of BPF'
collector | strangers "$own|collector/$name|collector/opener/opener\.h" |
	verdict 'collector/ includes only shared/, its own and the message header of its child'
sources collector/opener | strangers "$own|collector/opener/$name" |
	verdict 'collector/opener/ includes only shared/ and its own'
topics='base|profile|unwind|names|output'
children='parser/parser|exporter/exporter|debuginfod/debuginfod|spool/spool'
symbolizer | strangers "$own|symbolizer/(($topics)/)?$name|symbolizer/($children)\.h" |
	verdict 'symbolizer/ includes only shared/, its own and the message headers of its children'
topics='elf|cfi|dwarf|go|java|jit|python|symbols|x86'
sources symbolizer/parser | strangers "$own|symbolizer/parser/(($topics)/)?$name" |
	verdict 'symbolizer/parser/ includes only shared/ and its own'
sources symbolizer/network | strangers "$own|symbolizer/network/$name" |
	verdict 'symbolizer/network/ includes only shared/ and its own'
sources symbolizer/debuginfod |
	strangers "$own|symbolizer/network/$name|symbolizer/debuginfod/$name" |
	verdict 'symbolizer/debuginfod/ includes only shared/, network/ and its own'
sources symbolizer/exporter |
	strangers "$own|symbolizer/network/$name|symbolizer/exporter/$name" |
	verdict 'symbolizer/exporter/ includes only shared/, network/ and its own'
lower="(base|output)/$name|profile/sample_kind\.h"
sources symbolizer/viewer | strangers "$own|symbolizer/viewer/$name|symbolizer/($lower)" |
	verdict 'symbolizer/viewer/ includes only shared/, base/, output/ and its own'
sources symbolizer/spool | strangers "$own|symbolizer/spool/$name" |
	verdict 'symbolizer/spool/ includes only shared/ and its own'
sources cli | strangers "$own|cli/(starter/)?$name" |
	verdict 'cli/ includes only shared/ and its own'
sources service | strangers "$own|service/$name" |
	verdict 'service/ includes only shared/ and its own'
sources collector service cli | includes |
	grep -E '<(libelf|gelf|elf|dwarf|elfutils/.*|curl/.*|zlib|lzma|zstd|protobuf-c/.*)(\.h)?>' |
	verdict 'collector/ and cli/ use no parsing library'
sources symbolizer | includes |
	grep -E '<(bpf/.*|linux/bpf|linux/perf_event|sys/capability|curl/.*)(\.h)?>' |
	grep -vE '^symbolizer/(network|debuginfod|exporter)/.*<curl/' |
	verdict 'symbolizer/ uses no BPF, no capability, and only its children a network library'
symbolizer | includes | grep -E '<(libelf|gelf|elf|dwarf|elfutils/.*)(\.h)?>' |
	verdict 'only symbolizer/parser/ reads ELF'
sources shared bpf collector symbolizer service cli | includes | grep '"tests/' |
	verdict 'nobody includes tests/'

# A topic of the symbolizer includes those before it in this list, never one behind it, nor what
# stands above all of them in symbolizer/ itself.
later='profile unwind names output'
for topic in base profile unwind names output; do
	later=${later#"$topic"}
	later=${later# }
	sources "symbolizer/$topic" | includes |
		grep -E "\"symbolizer/((${later// /|}${later:+|}\.)/)?$name\""
done | verdict 'a topic of the symbolizer includes only those below it'

"$lint/../include_graph" --text . | sed -n '/^includes that run upwards/,$p' |
	grep -vE '^(includes that run upwards|circles between modules): 0$' |
	verdict 'no include runs upwards, and no modules include each other in a circle'

# A folder with a main.c is a process; one without is a topic of the process around it.
find bpf shared collector symbolizer service cli -type d | while read -r folder; do
	case $folder in
	bpf | shared | shared/seccompgen | symbolizer/output/html) ;;
	*/main.c) ;;
	*)
		[ -f "$folder/main.c" ] || [ -f "${folder%/*}/main.c" ] ||
			echo "$folder: neither a process (main.c) nor a topic directly beneath one"
		;;
	esac
done | verdict 'each folder is a process or a topic of the process around it'

# --- what no file may hold ---------------------------------------------------------------------

programs=$(sources shared collector symbolizer service cli)
all=$(sources shared bpf collector symbolizer service cli tests)
echo "$all" | code >"$scratch/code"
code_of_all() { cat "$scratch/code"; }
code_of_programs() { grep -vE '^(bpf|tests)/' "$scratch/code"; }
code_of_user_space() { grep -vE '^bpf/|^[^:]*\.bpf\.[ch]:' "$scratch/code"; }

banned='strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|alloca|system|popen|usleep|signal'
code_of_all | grep -E "\\b($banned)[[:space:]]*\\(" |
	verdict 'no banned call'
code_of_programs | grep -E '\b_?exit[[:space:]]*\(' |
	grep -vE '(^|/)main\.c:' | grep -vE '\b_exit' |
	verdict 'exit() only in main.c'
code_of_user_space | grep -E '\bgoto\b' | verdict 'no goto in user space'
code_of_user_space | grep -E '\bvolatile\b' | grep -vE '\b(asm|__asm__)\b' |
	verdict 'no volatile in user space'
code_of_all | grep -E '\b(asm|__asm__)\b' | grep -vE '^(bpf|tests)/' |
	verdict 'no assembly outside bpf/'
code_of_programs |
	grep -E '\b(atomic_(thread|signal)_fence|__sync_synchronize|__atomic_thread_fence)\b' |
	grep -v '^collector/watermark\.c:' | verdict 'no fence but that of the watermark'
echo collector/watermark.c | code | grep -E '\batomic_thread_fence\b' | tail -n +2 |
	verdict 'one fence in the watermark'
unordered='load|store|exchange|fetch_[a-z]+|compare_exchange_(weak|strong)'
code_of_programs |
	grep -E "\\b(__sync_|__atomic_)[a-z]|\\batomic_($unordered)[[:space:]]*\\(" |
	verdict 'every atomic operation names its order'
echo "$all" | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b' | verdict 'nothing is left for later'
echo "$all" | grep -E '/(util|utils|common|misc|helpers?|stuff)\.[ch]$' |
	verdict 'every module has a noun'

# An acquire, a release or a fence: a label and its partner in the comment on or above it.
# Relaxed: a reason in the same place.
echo "$programs" | xargs awk '
function closes() {
	held = 0
	ordered = statement ~ /memory_order_(acquire|release|acq_rel|seq_cst|consume)/
	if (statement !~ /atomic_[a-z_]+(_explicit|_fence)[ (]/) return
	if (ordered && said !~ /[A-Z][0-9]/) print FILENAME ":" first " no label: " text
	if (!ordered && said !~ /[a-z]/) print FILENAME ":" first " no reason: " text
}
FNR == 1 { said = ""; held = 0; comment = 0 }
{
	line = $0
	if (!held && (comment || line ~ /^[[:space:]]*\/\*/)) {
		if (!comment) said = ""
		said = said " " line
		comment = line !~ /\*\//
		next
	}
	if (!held && line ~ /atomic_[a-z_]+(_explicit|_fence)[ (]/) {
		held = 1; first = FNR; statement = ""; text = line
		gsub(/^[[:space:]]+/, "", text)
	}
	if (held) {
		statement = statement line
		if (match(line, /\/\*.*\*\//)) said = said substr(line, RSTART, RLENGTH)
		if (line ~ /[;{][[:space:]]*(\/\*.*\*\/)?[[:space:]]*$/) { closes(); said = "" }
	} else if (line ~ /[;}]/ || line ~ /^$/) said = ""
}' | verdict 'every atomic line has its label or reason'

# texts: every text that is written by hand
texts()
{
	find README.md HACKING.md SECURITY.md quickstart meson.build meson_options.txt \
		shared bpf collector symbolizer service cli systemd man completions apparmor \
		containers tests \
		\( -name node_modules -o -name corpus \) -prune -o \
		-type f ! -name 'package*.json' ! -name 'go.*' ! -name '*.png' \
		! -path 'tests/upgrade/*/*' -print \
		2>/dev/null | sort
}
"$lint/words.sh" . 2>&1 | verdict 'no retired stem, prefix or word (tests/lint/retired)'
texts | xargs -d '\n' awk -v most=$COLUMNS_MOST '{
	line = $0
	gsub(/\t/, "        ", line)
	if (length(line) > most) print FILENAME ":" FNR ": " length(line) " columns"
}' | verdict "no line past $COLUMNS_MOST columns"

# --- the form of a file ------------------------------------------------------------------------

{
	echo "$all" | xargs sh -c 'find "$@" -maxdepth 0 -empty -printf "%p: empty\n"' sh
	echo "$all" | xargs awk '
	function ends() {
		if (file != "" && !said) print file ": no sentence `" name " - ...` at its head"
	}
	FNR == 1 {
		ends()
		file = name = FILENAME
		sub(/.*\//, "", name)
		sub(/\.[ch]$/, "", name)
		sub(/\.bpf$/, "", name)
		said = name == "main"
		if ($0 !~ /SPDX-License-Identifier/) print file ": no licence in line 1"
	}
	FNR <= 6 && $0 ~ name "(\\.bpf)?(\\.c|\\.h)? - [^ ]" { said = 1 }
	END { ends() }'
} | verdict 'every file has its licence and its sentence'
echo "$all" | xargs wc -l | awk -v most=$FILE_LINES '$1 > most && $2 != "total" {
	print $2 ": " $1 " lines"
}' | verdict "no file over $FILE_LINES lines"

functions=$(echo "$all" | ctags --languages=C --langmap=C:.c.h --kinds-C=f --fields=+ne -L - -o - |
	awk -F'\t' '{
		from = to = 0
		for (i = 4; i <= NF; i++) {
			if ($i ~ /^line:/) from = substr($i, 6)
			if ($i ~ /^end:/) to = substr($i, 5)
		}
		if (to > 0) print to - from + 1, $1, $2
	}' | sort -rn)
{ [ -n "$functions" ] || echo 'ctags found none'; } | verdict 'functions can be measured'
printf '%s\n' "$functions" | awk -v most=$FUNCTION_LINES '$1 > most' |
	verdict "no function over $FUNCTION_LINES lines"

# privileged: what is linked into the collector and its opener, whatever folder it lies in: their
# own sources, those of shared/ that a build linked into either, and the headers of shared/ that the
# compilation of these included; without a build, all of shared/.
privileged()
{
	sources collector
	if [ -n "$build" ]; then
		sources shared | grep -v '^shared/seccompgen/' | grep '\.c$' |
			while read -r file; do
				linked "$(basename "$file" .c)" && echo "$file"
			done | included
	else
		sources shared | grep -v '^shared/seccompgen/'
	fi
}

# included: the sources on stdin, and the headers of shared/ that their compilation included, or
# that of collector/
included()
{
	awk '
	FNR == NR { print; object["shared/libshared.a.p/" substr($1, 8) ".o:"] = 1; next }
	/^[^ ]/ { privileged = $1 ~ /^collector\// || $1 in object }
	privileged && match($1, /(^|\/)shared\/[a-z0-9_]+\.h$/) {
		header = substr($1, RSTART)
		sub(/^\//, "", header)
		print header
	}' - <(ninja -C "$build" -t deps) | sort -u
}

# linked STEM: whether a function of shared/STEM.c is in the collector or the opener
linked()
{
	nm --defined-only "$build"/shared/libshared.a.p/"$1".c.o 2>/dev/null |
		awk '$2 == "T" { print $3 }' | grep -qxFf - "$scratch/linked"
}

[ -z "$build" ] || nm --defined-only "$build"/collector/tidemark-collector \
	"$build"/collector/opener/tidemark-opener | awk '{ print $3 }' >"$scratch/linked"
starter_lines=$(sources cli/starter | code | wc -l)
{ [ "$starter_lines" -lt $STARTER_LINES ] || echo "$starter_lines lines"; } |
	verdict "the starter of a recording stays under $STARTER_LINES lines"
collector_lines=$(privileged | code | wc -l)
{ [ "$collector_lines" -lt $COLLECTOR_LINES ] || echo "$collector_lines lines"; } |
	verdict "the privileged code stays under $COLLECTOR_LINES lines"

# --- what was built ----------------------------------------------------------------------------

# foreign FORBIDDEN: undefined symbols of that kind in the objects and programs named on stdin
foreign()
{
	sed "s|^|$build/|" | xargs nm -A -u | grep -E " U ($1)"
}

if [ -n "$build" ]; then
	parsing='elf_|elf32_|elf64_|gelf_|dwarf_|dwfl_|curl_|inflate|uncompress|gz|lzma_|ZSTD_'
	parsing="$parsing|getaddrinfo|gethostby|dlopen|dlsym"
	for program in collector/tidemark-collector collector/opener/tidemark-opener \
		symbolizer/tidemark-symbolizer symbolizer/parser/tidemark-parser \
		symbolizer/debuginfod/tidemark-debuginfod symbolizer/exporter/tidemark-exporter \
		symbolizer/spool/tidemark-spool symbolizer/viewer/tidemark-viewer \
		cli/tidemark; do
		[ -x "$build/$program" ] || echo "$program is not built"
	done | verdict 'every program is there'
	(cd "$build" &&
		find collector -name '*.o' -o -name tidemark-collector -o -name tidemark-opener) |
		foreign "$parsing" |
		verdict 'collector and opener ask for no parsing, network or loading symbol'
	echo collector/opener/tidemark-opener | foreign 'bpf_' | verdict 'the opener holds no BPF'
	echo symbolizer/tidemark-symbolizer |
		foreign 'elf_|gelf_|dwarf_|bpf_|cap_|curl_|dlopen|getaddrinfo|ptrace|process_vm' |
		verdict 'the symbolizer holds neither ELF nor BPF'
	echo symbolizer/parser/tidemark-parser |
		foreign 'bpf_|cap_|dlopen|getaddrinfo|socket@|connect@' |
		verdict 'the parser holds neither BPF nor network'
	echo symbolizer/viewer/tidemark-viewer |
		foreign 'bpf_|cap_|elf_|gelf_|dwarf_|dlopen|getaddrinfo|socket@|execv|fork@' |
		verdict 'the viewer holds neither ELF, BPF nor network, and starts nothing'
	for program in debuginfod exporter; do
		echo symbolizer/$program/tidemark-$program |
			foreign 'bpf_|cap_|elf_|gelf_|dwarf_|dlopen|execv|fork@|bind@|listen@' |
			verdict "$program/ reads no ELF, starts nothing and listens to nobody"
	done
	echo symbolizer/spool/tidemark-spool |
		foreign "$parsing|bpf_|cap_|execv|fork@|socket@|connect@|bind@|listen@|rename" |
		verdict 'spool/ parses nothing, starts nothing and has no network'
fi

echo "privileged code: $collector_lines lines of $COLLECTOR_LINES (not blank, no comment, linked)"
echo 'largest functions:'
printf '%s\n' "$functions" | head -5 | sed 's/^/    /'
echo "lint: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
