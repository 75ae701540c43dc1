#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# claimed_build_id - a file in another mount namespace that claims the build id of the host's libc,
# and a debug file there that does, change nothing of the host's names
. "$(dirname "$0")/../../lib/integration.bash"

HZ=499
LENGTH=4

libc=$(ldd "$TM_WORKLOADS/deep-cfi" | awk '$1 ~ /^libc\.so/ { print $3 }')
[[ -s $libc ]] || skip "deep-cfi has no libc.so here"
id=$(readelf -n "$libc" | awk '/Build ID/ { print $3 }')
[[ ${#id} == 40 ]] || skip "$libc has no build id of 20 bytes"

# The same program with other names; its note claims libc's build id.
mkdir "$WORK/other"
sed 's/hot_\([136]0\)/evl_\1/g' "$TM_WORKLOADS/hot" >"$WORK/named"
must objcopy --dump-section .note.gnu.build-id="$WORK/note" "$WORK/named" "$WORK/copy"
python3 - "$WORK/note" "$id" <<'NOTE' || wrong "no note"
import sys
note = open(sys.argv[1], "rb").read()
open(sys.argv[1], "wb").write(note[:-20] + bytes.fromhex(sys.argv[2]))
NOTE
must objcopy --update-section .note.gnu.build-id="$WORK/note" "$WORK/named" "$WORK/other/claims"
must chmod 755 "$WORK/other/claims"

record_host() { # NAME
	record_ok "$1" -F $HZ -d $LENGTH --no-cache -o "$WORK/$1.folded" || finish
	balance "$1" zero-drops
}

"$TM_WORKLOADS/deep-cfi" 20 0 600 &
STARTED+=($!)
record_host alone
# In its own namespace the program lies on a file system of its own, and its debug file where the
# host's would be.
unshare --mount --propagation private sh -c '
	if [ -d /usr/lib/debug ]; then
		mount -t tmpfs tmpfs /usr/lib/debug && mkdir -p "/usr/lib/debug/.build-id/$3" &&
			cp "$1/other/claims" "/usr/lib/debug/.build-id/$3/$4.debug" || exit
	fi
	mount -t tmpfs tmpfs "$2" && cp "$1/other/claims" "$2/libc.so.6" &&
		exec "$2/libc.so.6" 1 600
	' sh "$WORK" /mnt "${id:0:2}" "${id:2}" &
STARTED+=($!)
claimant=$!
runs() { [[ $(readlink "/proc/$claimant/exe") == */libc.so.6 ]]; }
until_true 20 runs || wrong "the program in the other namespace did not start"
record_host beside

python '
work = sys.argv[1]
def roots(name):
    """Names between the start of a thread and the recursion, in the host program."""
    found = collections.Counter()
    for comm, frames, count in folded(work + "/" + name + ".folded"):
        if comm.startswith("deep-cfi") and "recurse" in frames and frames[0] == "_start":
            found[tuple(frames[:frames.index("recurse")])] += count
    return found
def leaves(name, comm):
    return {user_leaf(frames) for c, frames, _ in folded(work + "/" + name + ".folded")
            if c == comm}
alone, beside = roots("alone"), roots("beside")
print("  alone:  %s" % alone.most_common(1))
print("  beside: %s" % beside.most_common(1))
check(alone and beside, "the host program has no whole stack")
names = alone.most_common(1)[0][0]
check(beside.most_common(1)[0][0] == names, "the names of the host program changed")
check(any("libc_start" in name for name in names), "no frame of libc has a name")
shown = {f for comm, frames, _ in folded(work + "/beside.folded") if comm != "libc.so.6"
         for f in frames if f.startswith("evl_")}
check(not shown, "frames of other programs have the names of the file that claims: %s" % shown)
check({"evl_60", "evl_30"} <= leaves("beside", "libc.so.6"),
      "the program that claims has not its own names: %s" % leaves("beside", "libc.so.6"))
' "$WORK"
finish
