#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_names - names of processes cannot harm a terminal or a report, and processes are named
# even where /proc hides them
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

must cp "$TM_WORKLOADS/process_cases" "$TM_WORKLOADS/pid_reuse" "$WORK"

say "names that hold control characters, markup, or bytes that are no text:"
cat >"$WORK/names" <<'NAMES'
cd "$1"
i=0
for name in "$(printf '\033[2J\033[H')" "$(printf 'a\nb 99\r')" "$(printf '\001\002\177')" \
	"$(printf '\377\376\200')" '</script><b>' 'a;b;c 7' '"quoted\' \
	"$(printf '\303\251t\303')" ' '; do
	./process_cases named 100000 "$name"
done
NAMES
record_ok names -F 997 -o "$WORK/names.html" -o "$WORK/names.folded" -o "$WORK/names.pb.gz" \
	-o "$WORK/names.speedscope.json" -- bash "$WORK/names" "$WORK"
balance names zero-drops
python '
from process_page import *
work = sys.argv[1]
text = open(work + "/names.html", encoding="utf-8").read()
data = re.search(r"<script type=.application/json.[^>]*>(.*?)</script>", text, re.S).group(1)
page = ProcessPage(work + "/names.html")
mine = [h for h in page.hits if "case_named" in h.frames]
comms = collections.Counter()
for h in mine:
    comms[h.comm] += h.count
print("  page: %s" % dict(comms))
check(len(comms) == 9, "the page shows %d names of 9" % len(comms))
check(all(n >= 20 for n in comms.values()), "a name has too few samples: %s" % dict(comms))
check(not any(re.search("[\x00-\x1f\x7f]", c) for c in comms),
      "the page shows control characters: %s" % comms)
check("</script><b" not in data and "<b>" not in data, "the page holds the markup of a name")
stacks = folded(work + "/names.folded")
check(folded_total(work + "/names.folded") == page.total(),
      "the folded text has another total than the page")
raw = open(work + "/names.folded", "rb").read()
check(not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", raw), "the folded text holds control characters")
shown = {c for c, frames, _ in stacks if "case_named" in frames}
check(len(shown) == 9, "the folded text shows these names instead of 9: %s" % shown)
total, _ = speedscope_total(work + "/names.speedscope.json")
pprof = Pprof(work + "/names.pb.gz")
check(pprof.total() == page.total(), "pprof has another total than the page")
check(not any(re.search("[\x00-\x1f\x7f]", s) for s in pprof.strings),
      "pprof holds control characters")
for name in ("names.out", "names.err"):
    out = open("%s/%s" % (work, name), "rb").read()
    check(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", out), "%s holds control characters" % name)
' "$WORK"

say "with /proc mounted hidepid=2, in a mount namespace of our own:"
unshare --mount --propagation private bash -c '
	mount -t proc -o hidepid=2 proc /proc &&
	exec "$1" record -F 499 --summary "$2/hidden.json" -o "$2/hidden.html" -- \
		"$2/pid_reuse" spin 3 600000
' sh "$TM_TIDEMARK" "$WORK" >"$WORK/hidden.out" 2>"$WORK/hidden.err" </dev/null
STATUS=$?
((STATUS == 0)) || wrong "exit $STATUS: $(head -c 400 "$WORK/hidden.err")"
[[ -s $WORK/hidden.err ]] && sed 's/^/  /' "$WORK/hidden.err"
balance hidden zero-drops
python '
from process_page import *
work = sys.argv[1]
read, page = summary(work + "/hidden.json"), ProcessPage(work + "/hidden.html")
mine = [h for h in page.hits if h.comm == "g3"]
count = sum(h.count for h in mine)
named = sum(h.count for h in mine if "spin_3" in h.frames)
unnamed = sum(h.count for h in mine if any(f.startswith("pid_reuse+0x") for f in h.frames))
print("  %d samples, %d with their function, %d by offset; files: opened %d, failed %d" %
      (count, named, unnamed, read["files_opened"], read["files_failed"]))
check(count >= 100, "only %d samples" % count)
exes = {h.generation.exe for h in mine}
check(exes == {work + "/pid_reuse"}, "the samples name these executables: %s" % exes)
# CAP_SYS_PTRACE sees through hidepid, so the program is opened all the same.
check(named >= 0.9 * count, "only %d of %d samples have their function" % (named, count))
check(read["files_failed"] == 0, "%d files could not be opened" % read["files_failed"])
' "$WORK"
finish
