#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debug_files - stripped programs have the names of their separate debug files, and of no others
. "$(dirname "$0")/../../lib/integration.bash"

ROOT=$WORK/roots
mkdir -p "$WORK/.debug" "$ROOT/.build-id" "$ROOT$WORK"
mkdir -m 700 "$WORK/closed"

# program FOLDER NAME - a copy of hot without symbols, with a build id and a debug link of its own;
# its debug file becomes NAME.debug in the current folder
program() {
	local program=$1/$2 debug=$WORK/made/$2.debug

	mkdir -p "$WORK/made"
	python '
hot, program, name = sys.argv[1:]
import hashlib, subprocess
notes = subprocess.run(["readelf", "-n", hot], capture_output=True, text=True).stdout
build_id = bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", notes).group(1))
content = open(hot, "rb").read()
check(content.count(build_id) == 1, "the build id is not there once")
mine = hashlib.sha256(name.encode()).digest()[:len(build_id)]
open(program, "wb").write(content.replace(build_id, mine))
' "$TM_WORKLOADS/hot" "$program" "$2"
	must objcopy --only-keep-debug "$program" "$debug"
	must objcopy --strip-all "$program"
	must objcopy "--add-gnu-debuglink=$debug" "$program"
	must chmod 755 "$program"
	must chmod 644 "$debug"
}

# by_build_id PROGRAM - where its debug file lies below a root
by_build_id() {
	readelf -n "$1" | sed -n 's|.*Build ID: \(..\)|.build-id/\1/|p' | sed 's/$/.debug/'
}

# contained NAME - runs that program below a root of its own, on a file system of its own, which is
# a copy of $WORK/container
contained() {
	local exe=$WORK/mounted-$1/bin/$1
	mkdir -p "$WORK/container/bin" "$WORK/mounted-$1"
	must cp "$WORK/$1" "$WORK/container/bin"
	unshare --mount --propagation private sh -c 'mount -t tmpfs none "$2" &&
		cp -a "$1/." "$2" && exec chroot "$2" "/bin/$3" 1 120' \
		sh "$WORK/container" "$WORK/mounted-$1" "$1" &
	STARTED+=("$!")
	until_true 20 runs "${STARTED[-1]}" "$exe" || wrong "$1 does not run in its container"
}
runs() { [[ $(readlink "/proc/$1/exe") == "$2" ]]; }

for name in id link folder root crc owner outside none inner hosted upwards; do
	program "$WORK" "$name"
done
program "$WORK/closed" private
for name in id hosted; do
	path=$ROOT/$(by_build_id "$WORK/$name")
	mkdir "${path%/*}"
	must mv "$WORK/made/$name.debug" "$path"
done
must mv "$WORK/made/link.debug" "$WORK/made/crc.debug" "$WORK/made/owner.debug" "$WORK"
must mv "$WORK/made/folder.debug" "$WORK/.debug"
must mv "$WORK/made/root.debug" "$ROOT$WORK"
must mv "$WORK/made/private.debug" "$WORK/closed"
printf x >>"$WORK/crc.debug"
must chown 4242 "$WORK/owner.debug"
must ln -s /etc/shadow "$WORK/outside.debug"

# In a container: a debug file in its own root, one in the host's, and a link that leads upwards.
path=$WORK/container/usr/lib/debug/$(by_build_id "$WORK/inner")
must mkdir -p "${path%/*}"
must mv "$WORK/made/inner.debug" "$path"
path=$WORK/container/usr/lib/debug/$(by_build_id "$WORK/upwards")
must mkdir -p "${path%/*}"
must ln -s "../../../../../../../../../../..$WORK/made/upwards.debug" "$path"
must test "$(cd "${path%/*}" && readlink -f "$path")" -ef "$WORK/made/upwards.debug"
contained inner
contained hosted
contained upwards

for name in id link folder root crc owner outside none closed/private; do
	"$WORK/$name" 1 120 &
	STARTED+=("$!")
done

# leaves NAME PROGRAM... - the programs of which at least 90 % of the leaves have names
leaves() {
	python '
path, *named = sys.argv[1:]
taken, good = collections.Counter(), collections.Counter()
for comm, frames, count in folded(path):
    taken[comm] += count
    good[comm] += count * ("hot_" in frames[-1])
for comm in ("id", "link", "folder", "root", "crc", "owner", "outside", "none", "private", "inner",
             "hosted", "upwards"):
    print("  %-8s %d samples, %d of them named" % (comm, taken[comm], good[comm]))
    check(taken[comm] >= 10, "only %d samples of %s" % (taken[comm], comm))
    check(good[comm] >= 0.9 * taken[comm] if comm in named else good[comm] == 0,
          "%s: %d of %d samples are named" % (comm, good[comm], taken[comm]))
' "$WORK/$1.folded" "${@:2}"
}

say 'the debug files that belong to their programs, and no others'
record_ok shown -d 4 -F 499 --debug-root /usr/lib/debug --debug-root "$ROOT" \
	-o "$WORK/shown.folded"
balance shown
leaves shown id link folder root inner hosted

say 'with --no-debug-files, none'
record_ok without -d 4 -F 499 --no-debug-files -o "$WORK/without.folded"
balance without
leaves without

finish
