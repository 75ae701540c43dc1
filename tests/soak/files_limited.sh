#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# files_limited - one owner runs code in more files than his share of the file numbers: this is
# reported and counted, and his new files are named again once numbers are free
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

# As many as are free then (bpf/owner.bpf.h).
SHARE=$(awk '$2 == "FILES_MAX" { print $3 / 2 }' "$TM_SOURCE/bpf/maps.h")
COUNT=${1:-$((SHARE + 1200))}
HZ=9999

mkdir "$WORK/code" "$WORK/numbered"
make_numbered_programs 1
# Numbers are freed meanwhile, so neither other load on the host nor the recording, which reads each
# of the files, may slow down the program that uses them up.
renice -n -5 -p $$ >/dev/null
# Files of code without symbols, sampled at 10 kHz, so that numbers are used up faster than the
# collector frees them.
begin files -F $HZ -o "$WORK/files.html" -- \
	nice -n -10 "$TM_SOAK/exceed_limits" files "$WORK/code" "$COUNT" 200 || finish
say "$COUNT files for $SHARE numbers:"
for ((pass = 1; pass <= 2; pass++)); do
	echo 0 >&"$TO_COMMAND"
	wait_for_word done 300 || wrong "pass $pass did not end"
	say "  pass $pass: $(bpf_state_of counts files) numbers in use," \
		"files_limited $(bpf_state_of levels files_limited)"
done
limited=$(bpf_state_of levels files_limited)
((limited > 0)) || wrong "the share was never used up"

until_entries 120 files 0 || wrong "$(bpf_state_of counts files) file numbers were not freed"
say "  all are free $ELAPSED s after the last sample"
echo "$WORK/numbered/program-000001" >&"$TO_COMMAND"
wait_for_word done 60 || wrong "the new program did not end"
(($(bpf_state_of levels files_limited) == limited)) || wrong "files_limited still rises"
end files
balance files
python '
from process_page import *
work, count, share = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
read = summary(work + "/files.json")
page = ProcessPage(work + "/files.html")
named, nameless, own, wrong = collections.Counter(), 0, 0, []
for hit in page.hits:
    named.update(f.split("+")[0] for f in hit.frames if f.startswith("code-"))
    nameless += hit.count if "[files_limited]" in hit.frames else 0
    if "own_function_000001" in hit.frames:
        own += hit.count
        if hit.comm != "program-000001" or any(f.startswith("code-") for f in hit.frames):
            wrong.append(hit)
print("  %d different files named; %d samples with a frame [files_limited]; the new program: %d "
      "samples in its function" %
      (len(named), nameless, own))
check(len(named) > 0.9 * share, "only %d files were named" % len(named))
check(nameless > 0, "no sample has a frame [files_limited]")
check(read["files_full"] == 0, "the table was full %d times" % read["files_full"])
check(own > 20 and not wrong,
      "the new program is not named: %d samples, wrong %s" % (own, wrong[:2]))
check(read["unresolved"]["files_limited"] > 0, "the summary does not count files_limited")
printed = "".join(open(work + name, encoding="utf-8").read()
                  for name in ("/files.out", "/files.err"))
check(re.search(r"\b%d times [^,;\n]*file" % read["files_limited"], printed),
      "the completeness line does not mention files without a number: %s" % printed[-300:])
check(read["files_retired"] >= 0.9 * share, "%d numbers retired" % read["files_retired"])
print("FIGURE share of file numbers used up | %d files, %d numbers | %d named, %d samples with "
      "[files_limited], %d freed | healed" %
      (count, share, len(named), nameless, read["files_retired"]))
' "$WORK" "$COUNT" "$SHARE"
finish
