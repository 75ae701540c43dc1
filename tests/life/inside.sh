#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# inside - tidemark in a PID namespace of its own, where the kernel's numbers are not those of its /proc
#
# TM_LIVES: short lives inside (10000 for the whole proof).
. "$(dirname "$0")/../lib/system.bash"
. "$(dirname "$0")/life.bash"

lives_of_this_run 400
life_tests=$(cd "$(dirname "$0")" && pwd)
mkdir "$WORK/lives"
clone_lives 4

say "the proof of short lives, all of it in a PID namespace:"
if TM_LIVES=$TM_LIVES unshare --pid --fork --mount-proc --kill-child bash "$life_tests/births.sh" </dev/null >"$WORK/births" 2>&1; then
	grep -E 'E1|E2|P2' "$WORK/births"
else
	wrong "births.sh inside: exit $?"
	cat "$WORK/births"
fi

# The whole host from inside: the numbers that are opened are those of the own namespace. Who is not
# visible there is opened by path where its mounts are ours, else it stays file+0xoffset.
say "the whole host, seen from a PID namespace: one program inside, one outside with our mounts, one with others:"
mkfifo "$WORK/inside.up" "$WORK/inside.go"
mkdir "$WORK/m"
unshare --pid --fork --mount-proc --kill-child sh -c '
	echo up >"$1/inside.up"
	read -r go <"$1/inside.go"
	"$1/lives/life-000001" 60000 &
	exec "$2" record -F 1999 -d 4 -o "$1/inside.html" --summary "$1/inside.json" >"$1/inside.out" 2>"$1/inside.err"
' sh "$WORK" "$TM_TIDEMARK" </dev/null &
inner=$!
STARTED+=("$inner")
timeout 20 head -n 1 "$WORK/inside.up" >/dev/null || wrong "no PID namespace"
nsenter --target "$(descendants "$inner" | head -n 1)" --mount "$WORK/lives/life-000002" 60000 &
STARTED+=($!)
unshare --mount --propagation private sh -c '
	mount -t tmpfs none "$1/m" && cp "$1/lives/life-000003" "$1/m/hidden" && exec "$1/m/hidden" 60000
' sh "$WORK" &
STARTED+=($!)
running() { [[ $(readlink "/proc/${STARTED[1]}/exe") == */life-000002 && $(readlink "/proc/${STARTED[2]}/exe") == */hidden ]]; }
until_true 20 running || wrong "the programs do not run"
echo go >"$WORK/inside.go"
wait "$inner" || wrong "record inside: exit $?: $(head -c 400 "$WORK/inside.err")"
stop "${STARTED[@]:1}"
balance inside
seen_from_inside() { # NAME
	python '
from lives import *
work, name = sys.argv[1:]
read, lives, bad = summary("%s/%s.json" % (work, name)), Lives("%s/%s.html" % (work, name)), []
print("  files: opened %d, refused %d, failed %d; unnamed frames %d" %
      (read["files_opened"], read["files_refused"], read["files_failed"], read["unnamed_frames"]))
for comm, path, function, what in (("life-000001", "/lives/life-000001", 1, "inside"),
                                   ("life-000002", "/lives/life-000002", 2, "outside, our mounts"),
                                   ("hidden", "/m/hidden", 3, "outside, other mounts")):
    mine = [h for h in lives.hits if h.comm == comm and h.life.exe == work + path]
    count = sum(h.count for h in mine)
    named = sum(h.count for h in mine if "own_function_%06d" % function in h.frames)
    offsets = sum(h.count for h in mine if any(f.startswith(comm + "+0x") for f in h.frames))
    print("  %-22s %5d samples, %d by name, %d by offset; its number there %s" %
          (what, count, named, offsets, {h.life.ns_tgid for h in mine}))
    if count < 50:
        bad.append("%s: only %d samples" % (what, count))
    if what != "outside, other mounts" and named < 0.9 * count:
        bad.append("%s: only %d of %d by name" % (what, named, count))
    if what == "outside, other mounts" and (named or offsets < 0.9 * count):
        bad.append("%s: %d by name, %d by offset" % (what, named, offsets))
for line in bad:
    print("    " + line)
check(not bad, "%d programs" % len(bad))
check(read["unnamed_frames"] > 0 and read["files_failed"] > 0, "what could not be opened is not counted")
' "$WORK" "$1"
}
seen_from_inside inside
finish
