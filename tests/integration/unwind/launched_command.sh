#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# launched_command - the first sample of a COMMAND that nobody has sampled before has its unwind
# tables
#
# Each program is a new file, and there is no cache: all that could be known is known since COMMAND
# is held until its files are read.
. "$(dirname "$0")/../../lib/integration.bash"

LEAST=200 # samples

# launched NAME COMMAND... - records it, and expects no stack that lacks a table
launched() {
	local name=$1
	shift
	record_ok "$name" -F 1999 --no-cache -o "$WORK/$name.folded" -- "$@" || return
	balance "$name" zero-drops
	python '
name, least = sys.argv[2], int(sys.argv[3])
read = summary(sys.argv[1] + ".json")
cut = collections.Counter()
for comm, stack, samples in folded(sys.argv[1] + ".folded"):
    if truncation(stack) == "no_table":
        cut[comm + ";" + ";".join(stack[-3:])] += samples
print("  %-10s %5d samples, %d without a table" % (name, read["taken"], sum(cut.values())))
check(read["taken"] >= least, "only %d samples of %s" % (read["taken"], name))
check(not cut, "stacks of %s lack a table: %s" % (name, dict(cut.most_common(3))))
' "$WORK/$name" "$name" $LEAST
}

cp "$TM_WORKLOADS/deep-cfi" "$WORK/program"
cp "$(readlink -f /usr/bin/perl)" "$WORK/interpreter"
# A third of a second of its own CPU time, on any host.
busy='do { $sum += $_ for 1 .. 1e4 } while (times)[0] < 0.3;'
printf '#!%s\n%s\n' "$WORK/interpreter" "$busy" >"$WORK/script"
printf '#!/usr/bin/env -S %s\n%s\n' "$WORK/interpreter" "$busy" >"$WORK/by_env"
chmod 755 "$WORK/script" "$WORK/by_env"
launched program "$WORK/program" 20 0 1
launched script "$WORK/script"
launched by_env "$WORK/by_env"

# The dynamic linker opens a library that is a FIFO, and waits for ever: COMMAND is recorded all the
# same, and waits there itself.
must mkdir "$WORK/hangs"
must mkfifo "$WORK/hangs/libexpat.so.1"
LD_LIBRARY_PATH=$WORK/hangs record_ok hangs -d 1 -o "$WORK/hangs.folded" -- \
	"$(readlink -f /usr/bin/python3)" -c pass && balance hangs zero-drops
grep -q 'ended by signal 15' "$WORK/hangs.out" "$WORK/hangs.err" ||
	wrong "COMMAND did not wait for its library"
finish
