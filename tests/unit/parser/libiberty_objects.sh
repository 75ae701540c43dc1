#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libiberty_objects.sh - the parser links those objects of libiberty whose licence is the LGPL
#
# usage: tests/unit/parser/libiberty_objects.sh MAP
# MAP is the linker's map of tidemark-parser. Other objects of the library are under the GPL: one
# more needs a look at the licence at the head of its source before it is listed here.
set -u -o pipefail

# The first three, with an exception for linking; then what they call.
wanted='cp-demangle.o
d-demangle.o
rust-demangle.o
safe-ctype.o
xexit.o
xmalloc.o'

linked=$(grep -oE 'libiberty\.a\([^)]*\)' "$1" | sed 's/.*(\(.*\))/\1/' | sort -u)
[ "$linked" = "$wanted" ] && exit 0
echo 'linked from libiberty (>) beside what is expected (<):'
diff <(echo "$wanted") <(echo "$linked")
exit 1
