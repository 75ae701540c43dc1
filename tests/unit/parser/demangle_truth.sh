#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demangle_truth.sh - the mangled names of libstdc++ and of a Rust program, beside c++filt
#
# usage: tests/unit/parser/demangle_truth.sh FILTER
# FILTER prints each line of its input as the parser displays it (demangle_filter.c).
set -u -o pipefail
filter=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
DISPLAY_MAX=4096 # PARSER_DISPLAY_MAX

# same WHAT LEAST [OPTION...]: the names on stdin, at least LEAST of them, beside c++filt's texts.
# Of a text that is longer than the parser's longest, only the length is checked.
same()
{
	local what=$1 least=$2
	shift 2

	sort -u >"$dir/names"
	c++filt "$@" <"$dir/names" >"$dir/wanted" || failed=1
	"$filter" <"$dir/names" >"$dir/shown" || failed=1
	paste -d '\n' "$dir/wanted" "$dir/shown" |
		LC_ALL=C awk -v most=$DISPLAY_MAX -v what="$what" -v least="$least" '
		NR % 2 { wanted = $0; next }
		length(wanted) > most { cut++; bad += length($0) > most; next }
		wanted != $0 { bad++; if (bad <= 5) print "wanted " wanted "\nshown  " $0 }
		{ compared++ }
		END {
			printf "%s: %d names, %d of them cut, %d differ\n", what, NR / 2, cut, bad
			exit bad > 0 || compared < least
		}' || failed=1
}

command -v c++filt >/dev/null && command -v nm >/dev/null || {
	echo 'c++filt and nm (binutils) are needed'
	exit 77
}
library=$(cc -print-file-name=libstdc++.a)
[ -f "$library" ] || library=$(cc -print-file-name=libstdc++.so.6)
{ nm -j "$library" 2>/dev/null || nm -Dj "$library"; } | sed 's/@.*//' | grep '^_Z' |
	same 'C++' 1000

cat >"$dir/program.rs" <<'END'
use std::collections::BTreeMap;
use std::fmt::Debug;

trait Sum<T> {
    fn sum(&self) -> T;
}
impl<T: Copy + Into<u64>> Sum<u64> for [T] {
    fn sum(&self) -> u64 {
        self.iter().map(|x| (*x).into()).sum()
    }
}
fn größe(m: &mut BTreeMap<String, Vec<u8>>) -> u64 {
    m.insert("a".to_string(), vec![1]);
    m.values().map(|v| Sum::sum(v.as_slice())).sum()
}
fn show(x: &dyn Debug) -> String {
    format!("{:?}", x)
}
fn main() {
    println!("{}", show(&größe(&mut BTreeMap::new())));
}
END
if command -v rustc >/dev/null; then
	for scheme in legacy v0; do
		# Whichever is the default of this rustc, the other one may be unstable.
		RUSTC_BOOTSTRAP=1 rustc -Z unstable-options -C symbol-mangling-version=$scheme \
			-C debuginfo=0 -o "$dir/program" "$dir/program.rs" || failed=1
		nm -j "$dir/program" | grep -E '^_(R|ZN)' >"$dir/mangled"
		same "Rust, $scheme" 300 -i <"$dir/mangled"
		! grep -qE '::h[0-9a-f]{16}$' "$dir/shown" || {
			echo "Rust, $scheme: a hash is shown"
			failed=1
		}
	done
else
	echo 'Rust: not compared, there is no rustc'
fi
exit $failed
