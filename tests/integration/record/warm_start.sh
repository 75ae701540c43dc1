#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# warm_start - files that the cache knows have their unwind tables at the first sample, and a file
# that was changed since then has none of before; so after a reboot, if its file system has a UUID
. "$(dirname "$0")/../../lib/integration.bash"

CACHE=$WORK/tables.cache
[[ $(stat -c %Hd "$WORK") != 0 ]] ||
	skip "$WORK is on a device of major number 0, for which nothing is sent ahead"

# recorded NAME PID EXPRESSION - records the running program for a second
recorded() {
	local name=$1 pid=$2
	record_ok "$name" -F 1999 -d 1 --cache "$CACHE" -p "$pid" -o "$WORK/$name.folded" || return
	balance "$name"
	python '
name, expression = sys.argv[2:]
read = summary(sys.argv[1] + ".json")
cut = sum(n for comm, stack, n in folded(sys.argv[1] + ".folded")
          if truncation(stack) == "no_table")
names = collections.Counter()
for comm, stack, n in folded(sys.argv[1] + ".folded"):
    for frame in set(stack):
        names[frame.split("+")[0]] += n
print("  %s: %d samples, %d without a table; %d tables ahead, %d refused" %
      (name, read["taken"], cut, read["tables_ahead"], read["tables_ahead_refused"]))
check(read["taken"] >= 200, "only %d samples" % read["taken"])
check(read["tables_refused"] == 0, "%d tables were refused" % read["tables_refused"])
check(eval(expression), "%s: %s is not so" % (name, expression))
' "$WORK/$name" "$name" "$3"
}

must cp "$TM_WORKLOADS/deep-cfi" "$WORK/program"
"$WORK/program" 200 0 60 >/dev/null &
PROGRAM=$!
STARTED+=("$PROGRAM")
recorded first "$PROGRAM" 'cut > 0 and read["tables_ahead"] == 0'
recorded second "$PROGRAM" 'cut == 0 and read["tables_ahead"] >= 2'
recorded third "$PROGRAM" 'cut == 0 and read["tables_ahead"] >= 2'

say "after a reboot, so the boot id says:"
# recorded_after_reboot NAME EXPRESSION
recorded_after_reboot() {
	local command=$TM_TIDEMARK
	cat >"$WORK/rebooted" <<-END
		#!/bin/bash
		cat /proc/sys/kernel/random/uuid >$WORK/boot_id
		exec unshare --mount --propagation private sh -c '
			mount --bind $WORK/boot_id /proc/sys/kernel/random/boot_id &&
				exec $command "\$@"' sh "\$@"
	END
	chmod +x "$WORK/rebooted"
	TM_TIDEMARK=$WORK/rebooted
	recorded "$1" "$PROGRAM" "$2"
	TM_TIDEMARK=$command
}
if [[ $(stat -f -c %t "$WORK") == ef53 ]]; then
	recorded_after_reboot known_again 'cut == 0 and read["tables_ahead"] >= 2'
else
	recorded_after_reboot unknown 'read["tables_ahead"] == 0'
fi

say "a library that was overwritten in place between two recordings, size and mtime as before:"
must cp "$TM_WORKLOADS/variant_a.so" "$WORK"
cat >"$WORK/spin.py" <<'END'
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print("loaded", flush=True)
while True:
    library.variant_a(1, 2000000)
END
start_spin() {
	python3 "$WORK/spin.py" "$WORK/variant_a.so" >"$WORK/spin.out" &
	SPIN=$!
	STARTED+=("$SPIN")
}
start_spin
recorded before "$SPIN" 'names["variant_a"] > 0'
recorded known "$SPIN" 'cut == 0 and names["variant_a"] > 100'
kill -KILL "$SPIN"
wait "$SPIN" 2>/dev/null
python '
import os
path = sys.argv[1]
before = os.stat(path)
with open(path, "r+b") as file:
    image = file.read()
    # the symbol that the program looks up keeps its name; what names are made from does not
    at = image.rfind(b"variant_a\0")
    check(at > 0 and image.find(b"variant_a\0") != at, "%s has but one symbol table" % path)
    file.seek(at)
    file.write(b"changed_a")
os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
after = os.stat(path)
check((before.st_ino, before.st_size, before.st_mtime_ns) ==
      (after.st_ino, after.st_size, after.st_mtime_ns), "%s does not look as before" % path)
' "$WORK/variant_a.so"
start_spin
recorded changed "$SPIN" 'names["changed_a"] > 100 and names["variant_a"] == 0'
recorded settled "$SPIN" 'cut == 0 and names["changed_a"] > 100 and names["variant_a"] == 0'
finish
