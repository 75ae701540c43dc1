#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# jit - code of JIT compilers has the names of its own process's perf map or jitdump, and of no
# other's; code that is replaced at one address has that of what lay there at the time
. "$(dirname "$0")/../../lib/integration.bash"

command -v node >/dev/null || skip 'there is no node'
cat >"$WORK/hot.js" <<'JS'
function innerLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
function outerLoop(n) { let t = 0; for (let i = 0; i < 50; i++) t ^= innerLoop(n + i); return t; }
const end = Date.now() + Number(process.argv[2]);
let x = 0;
while (Date.now() < end) x ^= outerLoop(20000);
JS
must cp "$TM_WORKLOADS/jit" "$TM_WORKLOADS/jitdump" "$WORK"
must ln -s "$(command -v node)" "$WORK/dumping" # another name for its threads
# Their /tmp is a folder of the test, in a mount namespace of their own: no map is left behind.
mkdir -m 1777 "$WORK/maps"
cat >"$WORK/all" <<'ALL'
cd "$1" && mount --bind maps /tmp || exit
# a map that another process 1 has left behind
echo '123450000 10 jit_own' >/tmp/perf-1.map && touch -d '1 minute ago' /tmp/perf-1.map || exit
unshare --pid --fork ./jit none 2 & # another process 1
for mode in own late short bytes fifo symlink link other old; do
	./jit $mode 2 &
done
node --perf-basic-prof - 2000 <hot.js &
./dumping --perf-prof - 2000 <hot.js &
for mode in own clock pid; do
	./jitdump $mode 2 &
done
wait
ALL
record_ok jit -F 499 -o "$WORK/jit.folded" -o "$WORK/jit.html" -o "$WORK/jit.pb.gz" -- \
	unshare --mount sh "$WORK/all" "$WORK"
balance jit

python '
read = summary(sys.argv[1] + ".json")
profile = Pprof(sys.argv[1] + ".pb.gz")
seen = {"folded": collections.Counter(), "the page": collections.Counter(),
        "pprof": collections.Counter()}
for comm, frames, count in folded(sys.argv[1] + ".folded"):
    for frame in set(frames):
        seen["folded"][comm, frame] += count
for comm, exe, frames, count in Page(sys.argv[1] + ".html").samples:
    for frame in set(frames):
        seen["the page"][comm, frame] += count
for values, labels, stack in profile.samples:
    for function, _ in set(stack):
        seen["pprof"][labels.get("thread_name", labels.get("comm")), function] += values[0]

named = {"own": "jit_own", "late": "jit_late", "short": "jit_short"}
modes = "own late short bytes none fifo symlink link other old"
for what, frames in seen.items():
    for comm in modes.split():
        mine = {f: n for (c, f), n in frames.items() if c == comm and re.match(r"jit_|\[anon", f)}
        expected = {named.get(comm, "[anon]")}
        if comm == "bytes":
            expected = {f for f in mine if f.startswith("jit_bytes") and f.isprintable()}
        check(set(mine) == expected and mine, "%s: %s is shown as %s" % (what, comm, mine))
    for node in "node", "dumping":
        js = {f: n for (c, f), n in frames.items()
              if c == node and re.match(r"JS:.*(inner|outer)Loop ", f)}
        print("  %s: %s: %s" % (what, node, js))
        check(sum(js.values()) >= 10, "%s: functions of %s: %s" % (what, node, js))
    for comm, expected in (("even", "jit_even"), ("odd", "jit_odd"), ("clock", "[anon]"),
                           ("pid", "[anon]")):
        mine = {f: n for (c, f), n in frames.items() if c == comm and re.match(r"jit_|\[anon", f)}
        wrong = set(mine) - {expected, "[anon]"} # which its first samples may be
        print("  %s: %s: %s" % (what, comm, mine))
        check(not wrong and mine.get(expected, 0) >= 3,
              "%s: %s is shown as %s" % (what, comm, mine))
        check(expected == "[anon]" or mine.get("[anon]", 0) <= 1 + mine[expected] / 5,
              "%s: %s is often not named: %s" % (what, comm, mine))
print("  unnamed: %s; not opened: %s" % (read["unnamed"], read["files_not_opened"]))
check(read["unnamed"]["map_refused"] >= 10 and read["unnamed"]["anonymous"] == 0,
      "unnamed: %s" % read["unnamed"])
for reason, count in (("not_regular", 2), ("another_file", 1), ("another_user", 1),
                      ("older_than_process", 2)):
    check(read["files_not_opened"][reason] >= count, "not opened: %s" % read["files_not_opened"])
' "$WORK/jit"
finish
