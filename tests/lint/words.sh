#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# words.sh - what tests/lint/retired names must not come back: file stems, identifier prefixes,
# words
#
# usage: tests/lint/words.sh [TREE]; prints each place as `FILE:LINE what, instead of it`
set -u
lint=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$lint/../..}" || exit 2

# texts: every text file of the tree that is written by hand
texts()
{
	find README.md HACKING.md SECURITY.md quickstart meson.build meson_options.txt \
		shared bpf collector symbolizer service cli systemd man completions apparmor \
		containers tests \
		\( -name node_modules -o -name corpus -o -path tests/lint \) -prune -o \
		-type f ! -name 'package*.json' ! -name 'go.*' ! -name '*.png' \
		! -path 'tests/upgrade/*/*' -print 2>/dev/null | sort
}

retired() { awk -F'\t' -v kind="$1" '$1 == kind' "$lint/retired"; }

retired stem | while IFS=$'\t' read -r _ component old new; do
	find "$component" \( -path symbolizer/parser -a ! -path "$component" -o \
		-path collector/opener -a ! -path "$component" \) -prune -o -type f \
		\( -name "$old.c" -o -name "$old.h" -o -name "$old.bpf.h" \) -print 2>/dev/null |
		sed "s|\$|: retired file stem; instead: $new|"
done

# Functions, structs, enums and macros that headers declare: "file:line name"
texts | grep '\.h$' | grep -v '^tests/' |
	ctags --languages=C --langmap=C:.h --kinds-C=fpdsgu --fields=+n -L - -o - 2>/dev/null |
	awk -F'\t' '!/^!/ {
		line = 0
		for (i = 4; i <= NF; i++) if ($i ~ /^line:/) line = substr($i, 6)
		print $2 ":" line " " $1
	}' | awk -v list="$lint/retired" '
	BEGIN {
		while ((getline row < list) > 0) {
			split(row, part, "\t")
			if (part[1] != "prefix") continue
			where[++count] = part[2]
			old[count] = part[3]
			new[count] = part[4]
		}
	}
	{
		path = $1
		sub(/:.*/, "", path)
		name = tolower($2)
		stem = path
		sub(/.*\//, "", stem)
		sub(/(\.bpf)?\.h$/, "", stem)
		if (index(name, stem "_") == 1 || name == stem) next
		home = path
		sub(/\/[^\/]*$/, "", home)
		if (path ~ /^symbolizer\/parser\//) home = "symbolizer/parser"
		else if (path ~ /^collector\/opener\//) home = "collector/opener"
		else sub(/\/.*/, "", home)
		for (i = 1; i <= count; i++)
			if ((where[i] == "." || where[i] == home) &&
			    (index(name, old[i] "_") == 1 || name == old[i]))
				print $1 " " $2 ": retired prefix " old[i] "_; instead: " new[i] "_"
	}'

exempt=$(grep -v '^#' "$lint/exempt" | paste -sd '|')
texts | xargs -d '\n' awk -v list="$lint/retired" -v exempt="$exempt" '
	BEGIN {
		while ((getline row < list) > 0) {
			split(row, part, "\t")
			if (part[1] != "word") continue
			old[++count] = "(^|[^a-z0-9])(" part[3] ")([^a-z0-9]|$)"
			new[count] = part[4]
			any = any (count > 1 ? "|" : "") part[3]
		}
		any = "(^|[^a-z0-9])(" any ")([^a-z0-9]|$)" # one look at most lines is enough
	}
	{
		line = tolower($0)
		if (line !~ any) next
		gsub(exempt, "", line)
		for (i = 1; i <= count; i++)
			if (line ~ old[i])
				print FILENAME ":" FNR ": retired word " old[i] "; instead: " new[i]
	}' | sed -E 's/\(\^\|\[\^a-z0-9\]\)\(//; s/\)\(\[\^a-z0-9\]\|\$\)//'
