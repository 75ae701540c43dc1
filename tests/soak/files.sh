#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# files - code in more files than there are file numbers: it is said, it is counted, and it heals
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

PLACES=$(awk '$2 == "FILES_MAX" { print $3 }' "$TM_SOURCE/bpf/maps.h")
COUNT=${1:-$((PLACES + 1200))}
HZ=9999

mkdir "$WORK/code" "$WORK/numbered"
make_numbered_programs 1
# Files of code without symbols, hit at ten thousand a second, so that the table fills faster than
# the collector gives numbers back.
begin files "$TM_SOAK/many" files "$WORK/code" "$COUNT" 200 -- -F $HZ -o "$WORK/files.html" || finish
say "$COUNT files for $PLACES numbers:"
for ((pass = 1; pass <= 2; pass++)); do
	echo 0 >&"$ASK"
	heard done 300 || wrong "it did not come to its end"
	say "  pass $pass: $(kept_one counts files) numbers in use, files_full $(kept_one levels files_full)"
done
full=$(kept_one levels files_full)
((full > 0)) || wrong "the table was never full"

until_kept 120 files 0 || wrong "$(kept_one counts files) file numbers were not given back"
say "  given back: all, $ELAPSED s after the last sample"
echo "$WORK/numbered/program-000001" >&"$ASK"
heard done 60 || wrong "the new program did not end"
(($(kept_one levels files_full) == full)) || wrong "files_full still grows"
end files
balance files
python '
from process_page import *
work, count, places = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
read = summary(work + "/files.json")
page = ProcessPage(work + "/files.html")
named, nameless, own, wrong = collections.Counter(), 0, 0, []
for hit in page.hits:
    named.update(f.split("+")[0] for f in hit.frames if f.startswith("code-"))
    nameless += hit.count if "[files_full]" in hit.frames else 0
    if "own_function_000001" in hit.frames:
        own += hit.count
        if hit.comm != "program-000001" or any(f.startswith("code-") for f in hit.frames):
            wrong.append(hit)
print("  %d different files named; %d samples with a frame [files_full]; the new program: %d samples in its function" %
      (len(named), nameless, own))
check(len(named) > 0.9 * places, "only %d files were named" % len(named))
check(nameless > 0, "no sample says files_full")
check(own > 20 and not wrong, "the new program is not named: %d samples, wrong %s" % (own, wrong[:2]))
check(read["unresolved"]["files_full"] > 0, "the summary does not count files_full")
said = open(work + "/files.out", encoding="utf-8").read() + open(work + "/files.err", encoding="utf-8").read()
check("no room for a file" in said, "the completeness line does not speak of files without room: %s" % said[-300:])
check(read["files_retired"] >= places, "%d numbers retired" % read["files_retired"])
print("FIGURE file numbers exhausted | %d files, %d places | %d named, %d samples say files_full, %d given back | healed" %
      (count, places, len(named), nameless, read["files_retired"]))
' "$WORK" "$COUNT" "$PLACES"
finish
