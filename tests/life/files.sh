#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# files - what was opened is checked by kernel values: the right file or none, on every file system
. "$(dirname "$0")/../lib/system.bash"
. "$(dirname "$0")/life.bash"

[[ -n ${TM_INNER:-} && ! -e /dev/fuse ]] && skip "this container has no /dev/fuse"
HZ=1999
mkdir "$WORK"/{lives,overlay,btrfs,tmpfs,bind,fuse,hang,own}
clone_lives 20 # life-000011 and up: what must never give its names
life_clean_up() {
	# a process that waits for the liar's answer can only go when the liar is gone
	[[ -s $WORK/liars ]] && xargs kill -KILL <"$WORK/liars" 2>/dev/null
	umount -l "$WORK"/{fuse,hang,own,overlay/merged,btrfs,tmpfs,bind/over} 2>/dev/null
}
expect() { printf '%s\t%s\t%s\n' "$@" >>"$WORK/expected"; }

# Each process runs for a while; "NUMBER named" must be shown by its function, "NUMBER none" must not
# be, as the file that lies under its path is not the one that it runs.
place() { must cp "$WORK/lives/life-$(printf %06d "$1")" "$2"; }

must mount -t tmpfs none "$WORK/tmpfs"
place 1 "$WORK/tmpfs/one"
expect 1 named "$WORK/tmpfs/one"

mkdir "$WORK"/overlay/{lower,upper,work,merged}
place 2 "$WORK/overlay/lower/two"
overlay=lowerdir=$WORK/overlay/lower,upperdir=$WORK/overlay/upper,workdir=$WORK/overlay/work
must mount -t overlay -o "$overlay" none "$WORK/overlay/merged"
expect 2 named "$WORK/overlay/merged/two"
place 3 "$WORK/overlay/merged/three"
expect 3 named "$WORK/overlay/merged/three"

mkdir "$WORK"/bind/{from,over}
place 4 "$WORK/bind/from/four"
must mount --bind "$WORK/bind/from" "$WORK/bind/over"
expect 4 named "$WORK/bind/over/four"

if grep -qw btrfs /proc/filesystems && command -v mkfs.btrfs >/dev/null; then
	truncate -s 256M "$WORK/btrfs.image"
	must mkfs.btrfs -q "$WORK/btrfs.image" >/dev/null
	must mount -o loop "$WORK/btrfs.image" "$WORK/btrfs"
	must btrfs -q subvolume create "$WORK/btrfs/volume"
	place 5 "$WORK/btrfs/volume/five"
	must btrfs -q subvolume snapshot "$WORK/btrfs/volume" "$WORK/btrfs/snapshot"
	expect 5 named "$WORK/btrfs/volume/five"
else
	say "left out: btrfs"
fi

# The path of a running program is covered by a FUSE file that claims to be it in every field.
place 6 "$WORK/fuse/six"
expect 6 none "$WORK/fuse/six"
# The same, but whoever opens the file hangs.
place 7 "$WORK/hang/seven"
expect 7 none "$WORK/hang/seven"
# The path of a running program is taken by another file: of the same size and times.
place 8 "$WORK/eight"
expect 8 none "$WORK/eight"
# A program on the FUSE file system, which claims to be one that runs at the same time.
place 10 "$WORK/ten"
expect 9 either "$WORK/own/nine"
expect 10 named "$WORK/ten"
must cp "$WORK/lives/life-000009" "$WORK/nine"
"$TM_LIFE/liar" "$WORK/own" nine "$WORK/ten" "$WORK/nine" & STARTED+=($!)
lies() { [[ -e $WORK/own/nine ]]; }
until_true 5 lies || wrong "no FUSE here"

cat >"$WORK/cases" <<'CASES'
cd "$1"
run() { "$@" 700 & }
run tmpfs/one
run overlay/merged/two
run overlay/merged/three
run bind/over/four
[ -e btrfs/volume/five ] && run btrfs/volume/five
run own/nine
run ./ten
wait
for covered in fuse/six hang/seven eight; do
	"./$covered" 900 &
	until [ ! -e "/proc/$!" ] || [ "$(readlink "/proc/$!/exe")" = "$1/$covered" ]; do :; done
	echo "$covered" >covering
	read -r go <covered
	wait
done
CASES
mkfifo "$WORK/covering" "$WORK/covered"
lie() { # FOLDER NAME NUMBER - covers it with the content of that life
	"$TM_LIFE/liar" "$WORK/$1" "$2" "$WORK/$1/$2" "$WORK/lives/life-0000$3" ${4:-} &
	echo $! >>"$WORK/liars"
}
cover() {
	local which program
	while read -r which <"$WORK/covering"; do
		case $which in
		fuse/six) lie fuse six 16 ;;
		hang/seven) lie hang seven 17 hang ;;
		eight)
			mv "$WORK/eight" "$WORK/moved"
			must cp "$WORK/lives/life-000018" "$WORK/eight"
			touch -r "$WORK/moved" "$WORK/eight"
			;;
		esac
		mounted() { [[ $which == eight ]] || grep -q " $WORK/${which%/*} fuse" /proc/mounts; }
		until_true 5 mounted || echo "no liar on $which" >>"$WORK/covers"
		echo "$which" >>"$WORK/covers"
		echo go >"$WORK/covered"
		[[ $which == eight ]] && break
	done
}
cover & STARTED+=($!)
record_ok files -F $HZ -o "$WORK/files.html" -- bash "$WORK/cases" "$WORK" || finish
balance files zero-drops
[[ $(<"$WORK/covers") == $'fuse/six\nhang/seven\neight' ]] || wrong "not covered: $(<"$WORK/covers")"
[[ -s $WORK/files.err ]] && sed 's/^/  /' "$WORK/files.err"

python '
from lives import *
work = sys.argv[1]
read, lives, bad = summary(work + "/files.json"), Lives(work + "/files.html"), []
print("  opened %d, refused %d, failed %d" % (read["files_opened"], read["files_refused"], read["files_failed"]))
for line in open(work + "/expected"):
    number, what, path = line.rstrip("\n").split("\t")
    own = "own_function_%06d" % int(number)
    mine = [h for h in lives.hits if h.life.exe == path and not in_kernel_half_way(h)]
    count = sum(h.count for h in mine)
    named = sum(h.count for h in mine if own in h.frames)
    others = {f for h in mine for f in h.frames if f.startswith("own_function_") and f != own}
    print("  %s %-48s %4d samples, %4d named" % (number, path[len(work):], count, named))
    if count < 20:
        bad.append("%s: only %d samples" % (path, count))
    if others:
        bad.append("%s bears the names of another file: %s" % (path, others))
    if what == "named" and named < 0.9 * count:
        bad.append("%s: only %d of %d named" % (path, named, count))
for line in bad:
    print("    " + line)
check(read["files_refused"] >= 1, "no file was refused: nothing was tested")
check(not bad, "%d files" % len(bad))
' "$WORK"
finish
