#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sampled_once - the executable of a process that is sampled but once is announced, although its
# stack has more new files than one sample announces
. "$(dirname "$0")/../../lib/integration.bash"

PROGRAMS=60
FILES=4 # and two more: the library, and the executable at the other end

cat >"$WORK/run" <<'END'
for program in "$1"/program-*; do
	mkdir "$program.files" && "$program" "$program.files" "$2" "$3" 15 || exit
done
END

# copies - gives each of the processes an executable of its own
copies() {
	rm -rf "$WORK/programs"
	must mkdir "$WORK/programs"
	for ((i = 100; i < 100 + PROGRAMS; i++)); do
		must cp "$TM_WORKLOADS/far_executable" "$WORK/programs/program-$i"
	done
}

# named NAME - every stack that reaches the code of a program's files must name its main()
named() {
	python '
stacks = [s for s in folded(sys.argv[1] + ".folded") if s[0].startswith("program-")]
deep = [s for s in stacks if any(f.startswith("variant_a") for f in s[1])]
once = [s for s in deep if sum(n for c, _, n in stacks if c == s[0]) == 1]
nameless = [s for s in deep if not any(f.split("+")[0] == "main" for f in s[1])]
print("  %s: %d stacks, %d of them of processes that were sampled once; %d without main()" %
      (sys.argv[2], len(deep), len(once), len(nameless)))
check(len(once) >= 5, "only %d processes were sampled once" % len(once))
check(not nameless, "%d stacks have a nameless executable: %s" % (len(nameless), nameless[:1]))
' "$WORK/$1" "$1"
}

copies
record_ok selected -F 67 --no-cache -o "$WORK/selected.folded" -- \
	bash "$WORK/run" "$WORK/programs" $FILES "$TM_WORKLOADS/variant_a.so" &&
	balance selected && named selected

say 'programs that no timer meets, of a recording of selected processes:'
copies
# shellcheck disable=SC2016 # expanded by the inner shell
record_ok unmet -F 1 --no-cache -o "$WORK/unmet.folded" -- \
	bash -c 'for program in "$1"/program-*; do "$program"; done; true' sh "$WORK/programs" &&
	balance unmet && python '
read = summary(sys.argv[1] + ".json")
asked = read["files_opened"] + read["files_refused"] + read["files_failed"]
print("  %d samples, %d files asked for" % (read["taken"], asked))
check(asked >= 30, "only %d files were announced at exec" % asked)
' "$WORK/unmet"

copies
start_attached_recording whole -F 67 --no-cache -o "$WORK/whole.folded"
bash "$WORK/run" "$WORK/programs" $FILES "$TM_WORKLOADS/variant_a.so" || wrong "a program failed"
stop_recording whole 60
named whole
finish
