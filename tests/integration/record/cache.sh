#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cache - the next recording need not make the unwind and symbol tables anew, and believes no cache
# that was changed
. "$(dirname "$0")/../../lib/integration.bash"

CACHE=$WORK/tables.cache
counts() { # NAME: what became of the tables
	python '
read = summary(sys.argv[1] + ".json")
print("  %s: %d tables made, %d of them from the cache, symbols of %d files from it, "
      "%d entries refused, %d late; parser %.3f s" %
      (sys.argv[2], read["tables_made"], read["tables_cached"], read["symbols_cached"],
       read["cache_refused"], read["cache_late"], read["cpu_seconds"]["parser"]))
check(read["tables_made"] > 0, "no table was made")
check(read["tables_refused"] == 0, "%d tables were refused" % read["tables_refused"])
' "$WORK/$1" "$1"
}
holds() { # NAME EXPRESSION: of its summary
	python 'read = summary(sys.argv[1] + ".json")
check(eval(sys.argv[2]), "%s is not so" % sys.argv[2])' "$WORK/$1" "$2"
}
COMMAND=("$TM_WORKLOADS/short_lived" 1500)
run() { # NAME ARGUMENT...
	local name=$1
	shift
	record_ok "$name" -F 499 -o "$WORK/$name.folded" "$@" -- "${COMMAND[@]}" &&
		balance "$name" && counts "$name"
}

run first --cache "$CACHE"
holds first 'read["tables_cached"] == read["symbols_cached"] == read["cache_refused"] == 0'
[[ $(stat -c '%U %a %h' "$CACHE") == 'root 600 1' ]] ||
	wrong "the cache is not root's alone: $(stat -c '%U %a %h' "$CACHE")"

run second --cache "$CACHE"
holds second 'read["tables_cached"] > 0 and read["symbols_cached"] > 0'
holds second 'read["cache_refused"] == 0'

run without --no-cache
holds without 'read["tables_cached"] == read["symbols_cached"] == 0'

# One bit of each kilobyte.
python3 - "$CACHE" <<'FLIP'
import sys
with open(sys.argv[1], "r+b") as cache:
    every = bytearray(cache.read())
    for at in range(200, len(every), 1024):
        every[at] ^= 4
    cache.seek(0)
    cache.write(every)
FLIP
run flipped --cache "$CACHE"
holds flipped 'read["cache_refused"] > 0'
run healed --cache "$CACHE"
holds healed 'read["tables_cached"] > 0'

# A cache on a file system that is full: nothing is lost but the cache, and it goes on where there
# is room again.
say "a file system of 64 KiB, then of 64 MiB:"
mkdir "$WORK/small"
mount -t tmpfs -o size=64k tidemark "$WORK/small" || skip "no tmpfs can be mounted"
test_clean_up() { umount -l "$WORK/small"; }
COMMAND=("$TM_WORKLOADS/work" 1) # on libc, whose table is larger than that
run filled --cache "$WORK/small/cache"
holds filled 'read["cache_unwritten"] > 0'
[[ -e $WORK/small/cache ]] || wrong "no cache was begun"
dd if=/dev/zero of="$WORK/small/filler" bs=4096 status=none 2>/dev/null # what may be left of it
run full --cache "$WORK/small/cache"
rm "$WORK/small/filler"
mount -o remount,size=64m "$WORK/small"
run roomy --cache "$WORK/small/cache"
(($(stat -c %s "$WORK/small/cache") > 65536)) ||
	wrong "the tables fit into 64 KiB: nothing is tested"
run again --cache "$WORK/small/cache"
holds again 'read["tables_cached"] > 0 and read["cache_refused"] == 0'
holds again 'read["cache_unwritten"] == 0'

refused() { # WHAT: exit 1, one sentence, and the file as it was
	local before after
	before=$(sha256sum <"$CACHE")
	record refused -d 1 -o "$WORK/refused.folded" --cache "$CACHE"
	after=$(sha256sum <"$CACHE")
	[[ $STATUS == 1 ]] || wrong "$1: exit $STATUS"
	grep -q -- "--cache $CACHE: " "$WORK/refused.err" ||
		wrong "$1: said $(head -n 1 "$WORK/refused.err")"
	[[ $before == "$after" ]] || wrong "$1: was written to"
}
mv "$CACHE" "$WORK/elsewhere" && ln -s "$WORK/elsewhere" "$CACHE"
refused "a symbolic link"
rm "$CACHE" && ln "$WORK/elsewhere" "$CACHE"
refused "a file linked twice"
rm "$CACHE" && install -m 600 /etc/passwd "$CACHE"
refused "a file that is no cache"
cp "$WORK/elsewhere" "$CACHE" && chmod 644 "$CACHE"
refused "a file that others may read"
cp "$WORK/elsewhere" "$CACHE" && chmod 600 "$CACHE" && chown daemon "$CACHE"
refused "somebody else's file"
finish
