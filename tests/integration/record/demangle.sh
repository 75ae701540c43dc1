#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demangle - functions of C++ and Rust have the names of their sources, and their own in pprof
. "$(dirname "$0")/../../lib/integration.bash"

CPP='shop::Stock<double>::count(double const&) const'
CPP_MANGLED=_ZNK4shop5StockIdE5countERKd

must clang++ -O1 -o "$WORK/busy-cpp" "$TM_SOURCE/tests/integration/programs/busy.cpp"
command -v rustc >/dev/null || skip 'there is no rustc'
must rustc -O -o "$WORK/busy-rust" "$TM_SOURCE/tests/integration/programs/busy.rs"

busy() { # NAME ARGUMENT...
	local name=$1
	shift
	record_ok "$name" -d 3 -F 499 -o "$WORK/$name.folded" -o "$WORK/$name.html" \
		-o "$WORK/$name.pb.gz" "$@" -- \
		sh -c '"$0" 3 & "$1" 3; wait' "$WORK/busy-cpp" "$WORK/busy-rust"
	balance "$name"
}

# shown NAME CPP RUST - the names in all three formats: of the C++ function, and a pattern for all
# functions of the Rust program's own crate
shown() {
	python '
name, cpp, mangled, rust = sys.argv[1:]
read = summary(name + ".json")
check(read["undemangled_names"] == 0, "%d names have no answer" % read["undemangled_names"])
by_folded, by_page = collections.Counter(), collections.Counter()
for comm, frames, count in folded(name + ".folded"):
    for frame in set(frames):
        by_folded[frame] += count
for comm, exe, frames, count in Page(name + ".html").samples:
    for frame in set(frames):
        by_page[frame] += count
profile = Pprof(name + ".pb.gz")
by_pprof = collections.Counter()
for values, labels, stack in profile.samples:
    for function, _ in set(stack):
        by_pprof[function] += values[0]
for what, seen in ("folded", by_folded), ("the page", by_page), ("pprof", by_pprof):
    print("  %s: %d samples in %s" % (what, seen[cpp], cpp))
    # Fewer on a busy machine; what is tested is the name, and that every format has it.
    check(seen[cpp] >= 20, "%s: %d samples in %s" % (what, seen[cpp], cpp))
    other = [f for f in seen if re.search(r"^_(Z|R)", f) and cpp[0] != "_"]
    check(not other, "%s: mangled: %s" % (what, other[:3]))
    mine = [f for f in seen if re.search(rust, f)]
    print("  %s: %s" % (what, ", ".join(sorted(mine)[:4])))
    check(mine, "%s: no function of the Rust program" % what)
    check(cpp[0] == "_" or not [f for f in seen if re.search(r"::h[0-9a-f]{16}", f)],
          "%s: a hash is shown" % what)
check((cpp, mangled) in profile.system_names, "pprof: no system_name %s" % mangled)
' "$WORK/$1" "$2" "$CPP_MANGLED" "$3"
}

say 'the names of the sources'
busy shown
shown shown "$CPP" '\bbusy::'

say 'with --no-demangle, the names of the symbol tables'
busy raw --no-demangle
shown raw "$CPP_MANGLED" '^_(R|ZN).*4busy'
finish
