#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# opened_files - an opened file is compared with what the kernel said of it, so that either the
# right file is read or none, on every file system
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

[[ -n ${TM_INNER:-} && ! -e /dev/fuse ]] && skip "this container has no /dev/fuse"
HZ=1999
SPIN=200000 # microseconds of CPU time of each program
mkdir "$WORK"/{numbered,overlay,btrfs,tmpfs,bind,fuse,hang,own}
# The programs from 16 on never run. They lie where another program is expected, and no sample may
# show their names.
must python3 "$TM_LIB/numbered_programs.py" "$TM_WORKLOADS/delayed_start" "$WORK/numbered" 20
FUSE_SERVERS=()
identity_clean_up() {
	# A process that waits for an answer of the FUSE server cannot end while that server runs.
	((${#FUSE_SERVERS[@]})) && stop "${FUSE_SERVERS[@]}"
	umount -l "$WORK"/{fuse,hang,own,overlay/merged,btrfs,tmpfs,bind/over} 2>/dev/null
}

# place NUMBER WHAT PATH [SEEN-AS] - puts the program of that number at PATH. WHAT is `named` if its
# samples must show its function, or `none` if they must not, as another file lies under its path.
# In neither case may they show a function of another program.
place() {
	must cp "$WORK/numbered/program-$(printf %06d "$1")" "$WORK/$3"
	printf '%s\t%s\t%s\n' "$1" "$2" "$WORK/${4:-$3}" >>"$WORK/expected"
	PLACES+=("$WORK/${4:-$3}")
}
# lie FOLDER NAME TRUE-FILE CONTENT [hang] - mounts a FUSE file system on FOLDER; its file NAME
# claims to be TRUE-FILE and has the content of the file CONTENT; with `hang`, opening it hangs
lie() {
	"$TM_WORKLOADS/fuse_server" "$WORK/$1" "$2" "$3" "$4" ${5:-} >/dev/null &
	FUSE_SERVERS+=($!)
	until_true 20 is_covered "$WORK/$1" || wrong "no FUSE server on $1: no FUSE here"
}

# wait_for_go - starts the programs of PLACES; each of them waits at a FIFO until it may go on;
# their process ids are in WAITING
wait_for_go() {
	local i in_open
	WAITING=()
	for i in "${!PLACES[@]}"; do
		mkfifo "$WORK/go$i"
		"${PLACES[i]}" "$WORK/go$i" $SPIN &
		WAITING+=($!)
		STARTED+=($!)
	done
	for in_open in "${WAITING[@]}"; do
		until_true 20 is_in_open "$in_open" ||
			wrong "$(readlink "/proc/$in_open/exe") does not wait"
	done
}
# let_go NAME [OPTION...] - starts a recording of the programs that wait, lets them go on, and
# judges what was recorded
let_go() {
	local i arguments=("${@:2}")
	for i in "${WAITING[@]}"; do
		arguments+=(-p "$i")
	done
	start_attached_recording "$1" -F $HZ -o "$WORK/$1.html" "${arguments[@]}"
	for i in "${!WAITING[@]}"; do
		echo go >"$WORK/go$i"
	done
	end_recording 120
	((STATUS == 0)) || wrong "record $1 exited with $STATUS: $(head -c 400 "$WORK/$1.err")"
	rm "$WORK"/go*
	balance "$1" zero-drops
	[[ -s $WORK/$1.err ]] && sed 's/^/  /' "$WORK/$1.err"
	python '
from process_page import *
work, name = sys.argv[1:]
read = summary("%s/%s.json" % (work, name))
page, bad = ProcessPage("%s/%s.html" % (work, name)), []
print("  files: opened %d, refused %d, failed %d" %
      (read["files_opened"], read["files_refused"], read["files_failed"]))
for line in open(work + "/expected"):
    number, what, path = line.rstrip("\n").split("\t")
    own = "own_function_%06d" % int(number)
    mine = [h for h in page.hits if h.generation.exe == path and not in_kernel_half_way(h)]
    count = sum(h.count for h in mine)
    named = sum(h.count for h in mine if own in h.frames)
    others = {f for h in mine for f in h.frames if f.startswith("own_function_") and f != own}
    print("  %s %-48s %4d samples, %4d named" % (number, path[len(work):], count, named))
    if count < 100:
        bad.append("%s: only %d samples" % (path, count))
    if others:
        bad.append("%s is shown with the names of another file: %s" % (path, others))
    if what == "named" and named < 0.9 * count:
        bad.append("%s: only %d of %d named" % (path, named, count))
    if what == "none" and named:
        bad.append("%s: named, so its file could be reached and nothing is tested" % path)
for line in bad:
    print("    " + line)
check(name != "covered" or read["files_refused"] >= 2,
      "only %d files were refused, though others lie under their paths" % read["files_refused"])
check(not bad, "%d findings in the files above" % len(bad))
' "$WORK" "$1"
	: >"$WORK/expected"
	PLACES=()
}

say "the right file, on each file system:"
PLACES=()
must mount -t tmpfs none "$WORK/tmpfs"
place 1 named tmpfs/one
mkdir "$WORK"/overlay/{lower,upper,work,merged}
must cp "$WORK/numbered/program-000002" "$WORK/overlay/lower/two"
overlay=lowerdir=$WORK/overlay/lower,upperdir=$WORK/overlay/upper,workdir=$WORK/overlay/work
must mount -t overlay -o "$overlay" none "$WORK/overlay/merged"
place 2 named overlay/lower/two overlay/merged/two
place 3 named overlay/merged/three
mkdir "$WORK"/bind/{from,over}
must mount --bind "$WORK/bind/from" "$WORK/bind/over"
place 4 named bind/from/four bind/over/four
if grep -qw btrfs /proc/filesystems && command -v mkfs.btrfs >/dev/null; then
	truncate -s 256M "$WORK/btrfs.image"
	must mkfs.btrfs -q "$WORK/btrfs.image" >/dev/null
	must mount -o loop "$WORK/btrfs.image" "$WORK/btrfs"
	must btrfs -q subvolume create "$WORK/btrfs/volume"
	place 5 named btrfs/volume/five
	must btrfs -q subvolume snapshot "$WORK/btrfs/volume" "$WORK/btrfs/snapshot"
else
	say "left out: btrfs"
fi
# The program on the FUSE file system claims to be another one that runs at the same time. Whatever
# a FUSE server says, its file is not taken, since closing it would mean to wait for that server.
place 10 named ten
must cp "$WORK/numbered/program-000009" "$WORK/nine"
lie own nine "$WORK/ten" "$WORK/nine"
printf '9\tnone\t%s\n' "$WORK/own/nine" >>"$WORK/expected"
PLACES+=("$WORK/own/nine")
wait_for_go
let_go found

say "another file under the path of a running program:"
place 6 none fuse/six   # covered by a FUSE file that claims to be it in every field
place 8 none eight      # taken by another file, of the same size and times
# moved, and its path taken by another file: it is reported, and found, where it lies now
place 12 named twelve thirteen
# covered by a tmpfs with another file of the same size and times
place 11 none bind/over/eleven
PLACES[2]=$WORK/twelve
wait_for_go
mv "$WORK/twelve" "$WORK/thirteen"
must cp "$WORK/numbered/program-000020" "$WORK/twelve"
lie fuse six "$WORK/fuse/six" "$WORK/numbered/program-000016"
# A second link keeps the file; if it were moved, it would be reported under its new name.
must ln "$WORK/eight" "$WORK/kept"
rm "$WORK/eight"
must cp "$WORK/numbered/program-000018" "$WORK/eight"
touch -r "$WORK/kept" "$WORK/eight"
must mount -t tmpfs none "$WORK/bind/over"
must cp "$WORK/numbered/program-000019" "$WORK/bind/over/eleven"
touch -r "$WORK/bind/from/eleven" "$WORK/bind/over/eleven"
# With --public-files a file can be reached only by its path, where the wrong file lies.
let_go covered --public-files
umount "$WORK/bind/over"

# By itself: while an owner's files hang, his others on that device are not opened.
say "a file under the path of a running program, which hangs whoever opens it:"
place 7 none hang/seven
wait_for_go
lie hang seven "$WORK/hang/seven" "$WORK/numbered/program-000017" hang
let_go hung --public-files
finish
