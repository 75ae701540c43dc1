#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# overwritten - a library that is overwritten in place after its samples, with its size and mtime
# as before, gives them its old names or none, never the new ones
. "$(dirname "$0")/../../lib/integration.bash"

# A library's function is variant_a or variant_b; once overwritten, it is changed_a or changed_b.
must cp "$TM_WORKLOADS"/variant_{a,b}.so "$WORK"
mkfifo "$WORK/go" "$WORK/done"
cat >"$WORK/spin.py" <<'END'
import ctypes, sys, time
work = sys.argv[1]
library = {letter: ctypes.CDLL("%s/variant_%s.so" % (work, letter)) for letter in "ab"}
with open(work + "/go") as go, open(work + "/done", "w") as done:
    for letter in go:
        end = time.process_time() + 0.4
        while time.process_time() < end:
            library[letter.strip()]["variant_" + letter.strip()](1, 2000000)
        print(letter.strip(), file=done, flush=True)
END
python3 "$WORK/spin.py" "$WORK" &
PROGRAM=$!
STARTED+=("$PROGRAM")
exec 5>"$WORK/go" 6<"$WORK/done"

# spin LETTER - has the function of that library run for a while; it is not sampled afterwards
spin() {
	local answer
	echo "$1" >&5
	read -r -t 60 answer <&6 || wrong "the program does not answer"
}
# overwrite LETTER - in place, as the same inode; size and mtime are those of before
overwrite() {
	python '
import os
path, letter = sys.argv[1], sys.argv[2].encode()
before = os.stat(path)
with open(path, "r+b") as file:
    image = file.read()
    check(b"variant_" + letter in image, "%s has no such symbol" % path)
    file.seek(0)
    file.write(image.replace(b"variant_" + letter, b"changed_" + letter))
os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
after = os.stat(path)
check((before.st_ino, before.st_size, before.st_mtime_ns) ==
      (after.st_ino, after.st_size, after.st_mtime_ns), "%s does not look as before" % path)
' "$WORK/variant_$1.so" "$1"
}

start_attached_recording overwritten -F 997 -p "$PROGRAM" --no-cache -o "$WORK/overwritten.folded"
spin a
overwrite a # by now its names have been read, or they are never
until_true 20 program_pid "$RECORDER" tidemark-parser >/dev/null || wrong "no parser runs"
parser=$(program_pid "$RECORDER" tidemark-parser)
kill -STOP "$parser"
spin b
overwrite b
kill -CONT "$parser"
kill -INT "$RECORDER"
end_recording 60
((STATUS == 0)) || wrong "exit code $STATUS: $(head -c 600 "$WORK/overwritten.err")"
nothing_left
balance overwritten
python '
named, of_library = collections.Counter(), collections.Counter()
for line in open(sys.argv[1] + ".folded"):
    stack, count = line.rsplit(" ", 1)
    for frame in stack.split(";"):
        for word in ("variant_a.so", "variant_b.so", "variant_a", "variant_b", "changed_"):
            if frame.startswith(word):
                named[word] += int(count)
                break
read = summary(sys.argv[1] + ".json")
failed, unopened = read["parse_failures"]["changed"], read["files_not_opened"].get("changed", 0)
print("  %s; changed when read: %d, when opened: %d" % (dict(named), failed, unopened))
check(named["variant_a"] + named["variant_a.so"] >= 200, "few samples of the first library")
check(named["variant_b.so"] >= 200, "few samples without a name of the second library")
check(named["variant_b"] == 0, "names of a file that could not be read yet")
check(named["changed_"] == 0, "samples bear names that were written after them")
check(failed + unopened >= 1, "no change was noticed")
' "$WORK/overwritten"
finish
