#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# seccompgen.sh - the filter compiler refuses every malformed table, naming the line and the reason
set -u

generator=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# refuses TABLE LINE REASON: TABLE (with \n) must be refused at LINE for REASON
refuses()
{
	printf "$1" >"$dir/t.seccomp"
	if "$generator" t "$dir/t.seccomp" "$dir/t.h" 2>"$dir/err"; then
		echo "accepted: $1"
		failed=1
	elif ! grep -qF "$dir/t.seccomp:$2: $3" "$dir/err"; then
		echo "refused $1 with: $(cat "$dir/err")"
		failed=1
	elif [ -e "$dir/t.h" ]; then
		echo "wrote a header for: $1"
		failed=1
	fi
}

refuses '' 0 'no rule in it'
refuses '# nothing\ndefault kill\n' 2 'no rule in it'
refuses 'read\nraed\n' 2 'unknown system call: `raed`'
refuses 'read\ndefault kill\n' 2 'unknown system call: `default`'
refuses 'default allow\nread\n' 1 'unknown system call: `default`'
refuses 'mmap arg2=0\n' 1 'not a condition'
refuses 'mmap arg6==0\n' 1 'not a condition'
refuses 'mmap argx==0\n' 1 'not a condition'
refuses 'mmap arg2PROT==0\n' 1 'not a condition'
refuses 'mmap sometimes\n' 1 'not a condition'
refuses 'mmap arg2==PROT_EXEQ\n' 1 'unknown constant: `PROT_EXEQ`'
refuses 'mmap arg2&PROT_EXEQ==0\n' 1 'unknown constant: `PROT_EXEQ`'
refuses 'mmap arg2==PROT_READ|PROT_EXEQ\n' 1 'unknown constant: `PROT_EXEQ`'
refuses 'mmap arg2==12x\n' 1 'unknown constant: `12x`'
refuses 'mmap arg2==\n' 1 'unknown constant'
refuses 'mmap arg2&PROT_EXEC==PROT_READ\n' 1 'a value outside its mask'
refuses 'read errno=EVERYTHING\n' 1 'unknown error: `EVERYTHING`'
refuses 'read\nwrite\nread\n' 3 'a line without conditions must be the only one'
refuses 'read arg0==1\nread\n' 2 'a line without conditions must be the only one'
refuses 'read arg0==1\nread arg0==1 errno=EPERM\n' 2 'the same rule twice'

# A table may include another one, which includes none; errors name the place where they are.
printf 'write\nraed\n' >"$dir/u.seccomp"
printf 'include u.seccomp\n' >"$dir/t.seccomp"
"$generator" t "$dir/t.seccomp" "$dir/t.h" 2>"$dir/err" ||
	grep -qF "$dir/u.seccomp:2: unknown system call: \`raed\`" "$dir/err" || {
	echo "an included error is reported as: $(cat "$dir/err")"
	failed=1
}
printf 'include v.seccomp\n' >"$dir/u.seccomp"
printf 'include u.seccomp\n' >"$dir/t.seccomp"
if "$generator" t "$dir/t.seccomp" "$dir/t.h" 2>"$dir/err" ||
	! grep -qF "$dir/u.seccomp:1: cannot be included" "$dir/err"; then
	echo "an include within an included table: $(cat "$dir/err")"
	failed=1
fi
printf 'write\n' >"$dir/u.seccomp"
printf 'read\ninclude u.seccomp\n' >"$dir/t.seccomp"
if ! "$generator" t "$dir/t.seccomp" "$dir/t.h" 2>"$dir/err" ||
	! grep -q 0x00000001 "$dir/t.h"; then # write(2) has the number 1
	echo "the lines of an included table are missing: $(cat "$dir/err")"
	failed=1
fi
rm -f "$dir/t.h"

if "$generator" t "$dir/missing.seccomp" "$dir/t.h" 2>"$dir/err"; then
	echo 'accepted a table that is not there'
	failed=1
fi
if "$generator" t 2>"$dir/err" || ! grep -q usage "$dir/err"; then
	echo 'no usage'
	failed=1
fi
printf 'read\n' >"$dir/t.seccomp"
if "$generator" t "$dir/t.seccomp" "$dir/none/t.h" 2>"$dir/err"; then
	echo 'wrote where it cannot'
	failed=1
fi
if ! "$generator" t "$dir/t.seccomp" "$dir/t.h" ||
	! grep -q 't_filter = {t_filter_code, ' "$dir/t.h"; then
	echo 'refused a good table'
	failed=1
fi
exit $failed
