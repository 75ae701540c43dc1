#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# identities - each unusual way to become a process, or to name a file, is reported under its
# right name
#
# Three of them were bugs upstream: a first thread that exits while others run (#365), a file that
# is really called "(deleted)" (#1797), and a path that leads to two files in two mount namespaces
# (#812).
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

HZ=997
SPIN=120000 # microseconds of CPU time of each case
REUSE=$TM_WORKLOADS/pid_reuse
ROLES=$WORK/process_cases

must cp "$TM_WORKLOADS/process_cases" "$ROLES"
identity_clean_up() { umount -l "$WORK"/{overlay/merged,bind/new,tmpfs,hidden} 2>/dev/null; }

# A case is a number: its process calls itself gNUMBER and spins in spin_NUMBER, and what it
# executes must be reported as the path given here. `expect NUMBER WHAT PATH` writes that down;
# a PATH that begins with a `?` needs no function names (nobody may open that file).
expect() { printf '%s\t%s\t%s\n' "$@" >>"$WORK/expected"; }

cp "$REUSE" "$WORK/plain"
expect 1 "a plain executable" "$WORK/plain"

printf '#!%s spin\n' "$WORK/plain" >"$WORK/script"
chmod +x "$WORK/script"
expect 2 "a #! script: its interpreter" "$WORK/plain"

cp "$REUSE" "$WORK/x (deleted)"
expect 3 "a live file that is called deleted" "$WORK/x (deleted)"

cp "$REUSE" "$WORK/unlinked"
expect 4 "a deleted executable" "?$WORK/unlinked"
expect 5 "a memfd" "?memfd:anonymous"

deep=$WORK/deep
for i in {1..36}; do deep+=/d$i; done
mkdir -p "$deep"
cp "$REUSE" "$deep/leaf"
expect 6 "a path of $(tr -dc / <<<"$deep/leaf" | wc -c) components" "$deep/leaf"

mkdir "$WORK"/{overlay,bind,tmpfs,hidden}
mkdir "$WORK"/overlay/{lower,upper,work,merged}
cp "$REUSE" "$WORK/overlay/lower/low"
layers=lowerdir=$WORK/overlay/lower,upperdir=$WORK/overlay/upper,workdir=$WORK/overlay/work
if mount -t overlay -o "$layers" none "$WORK/overlay/merged"; then
	cp "$REUSE" "$WORK/overlay/merged/up"
	expect 7 "overlayfs, the lower layer" "$WORK/overlay/merged/low"
	expect 8 "overlayfs, the upper layer" "$WORK/overlay/merged/up"
fi
mkdir "$WORK"/bind/{old,new}
cp "$REUSE" "$WORK/bind/old/bound"
mount --bind "$WORK/bind/old" "$WORK/bind/new"
expect 9 "a bind mount" "$WORK/bind/new/bound"
mount -t tmpfs none "$WORK/tmpfs"
cp "$REUSE" "$WORK/tmpfs/on_tmpfs"
expect 10 "tmpfs" "$WORK/tmpfs/on_tmpfs"

expect 11 "the same path in a mount namespace" "$WORK/hidden/same"
expect 12 "the same path in another one" "$WORK/hidden/same"
cp "$REUSE" "$WORK/same11"
cp "$REUSE" "$WORK/same12"

mkdir "$WORK/jail"
cp "$REUSE" "$WORK/jail/inside"
expect 13 "in a chroot: the path that it sees itself" "/inside"

for i in {14..18}; do cp "$REUSE" "$WORK/next$i"; done
expect 14 "executed by a vfork child" "$WORK/next14"
expect 15 "a chain of three: the last" "$WORK/next15"
expect 16 "executed by a thread" "$WORK/next16"
expect 17 "executed with 2,000 descriptors that close" "$WORK/next17"
long=$WORK/$(printf 'n%.0s' {1..255})
cp "$REUSE" "$long"
expect 18 "a name of 255 bytes" "$long"
odd=$WORK/$'tab\tline\nbell\aesc\x1b[31m \xff\xfe;semi "quoted" <b>'
cp "$REUSE" "$odd"
expect 19 "a name of control characters and bytes that are no text" "~"

cat >"$WORK/cases" <<'CASES'
cd "$1"
spin() { local n=$1; shift; "$@" spin "$n" "$SPIN"; }
spin 1 ./plain
"$1/script" 2 "$SPIN"
spin 3 "./x (deleted)"
./unlinked spin 4 "$SPIN" &
until [ ! -e "/proc/$!" ] || [ "$(readlink /proc/$!/exe)" = "$1/unlinked" ]; do :; done
rm unlinked
wait
python3 -c '
import os, sys
fd = os.memfd_create("anonymous", 0)
os.write(fd, open("plain", "rb").read())
os.execve(fd, ["memfd", "spin", "5", sys.argv[1]], {})' "$SPIN"
spin 6 "$2/leaf"
[ -e overlay/merged/up ] && spin 7 overlay/merged/low && spin 8 overlay/merged/up
spin 9 bind/new/bound
spin 10 tmpfs/on_tmpfs
# These two must live until their files are opened: when they are gone, nobody sees their mounts.
for n in 11 12; do
	unshare --mount --propagation private sh -c '
		mount -t tmpfs none hidden && cp "same$1" hidden/same &&
			exec hidden/same spin "$1" "$2"
	' sh "$n" "${SPIN}0"
done
# This one too: when it is gone, nobody sees its path from the inside of its root.
chroot jail /inside spin 13 "${SPIN}0"
./process_cases fork "$SPIN"
./process_cases vfork "$SPIN" ./next14 spin 14 "$SPIN"
./process_cases chain "$SPIN" ./process_cases chain "$SPIN" ./next15 spin 15 "$SPIN"
./process_cases thread "$SPIN" ./next16 spin 16 "$SPIN"
./process_cases crowd "$SPIN" 2000 ./next17 spin 17 "$SPIN"
./process_cases alone "$SPIN"
./process_cases heavy "$SPIN" 600
spin 18 "$3"
spin 19 "$4"
./process_cases named "$SPIN" "$(printf 'a;b\tc\n\033[31m\377')"
CASES
export SPIN
record_with_reference identities -F $HZ -o "$WORK/identities.html" -o "$WORK/identities.folded" \
	-o "$WORK/identities.pb.gz" -- bash "$WORK/cases" "$WORK" "$deep" "$long" "$odd" || finish
[[ -s $WORK/identities.err ]] && sed 's/^/  /' "$WORK/identities.err"
balance identities zero-drops

python '
from process_page import *
from reference import *
work, roles = sys.argv[1:]
sideband, records, ran = read_recording(work, "identities")
judged = Judgement(sideband, records)
n = judged.counts
print("  by the sideband: %d samples with an mm, %d in exec, %d dying, %d not judged: %d wrong" %
      (n["whole"], n["in_exec"], n["dying"], n["unjudged"], len(judged.wrong)))
for what, count in collections.Counter(w[0] for w in judged.wrong).most_common(5):
    print("    %d samples: %s" % (count, what))
page = ProcessPage(work + "/identities.html")
bad, wanted = [], {}
read = summary(work + "/identities.json")
print("  files: opened %d, refused %d, failed %d" %
      (read["files_opened"], read["files_refused"], read["files_failed"]))
for line in open(work + "/expected", encoding="utf-8"):
    number, what, path = line.rstrip("\n").split("\t")
    mine = [h for h in page.hits if h.comm == "g" + number and not in_kernel_half_way(h)]
    count = sum(h.count for h in mine)
    named = sum(h.count for h in mine if "spin_" + number in h.frames)
    foreign = [h for h in mine
               if any(re.match(r"spin_\d+$", f) and f != "spin_" + number for f in h.frames)]
    paths = collections.Counter(h.generation.exe for h in mine)
    want, needs_name = path.lstrip("?"), not path.startswith("?")
    if path == "~":
        want = paths.most_common(1)[0][0]
        clean = not re.search("[\x00-\x1f\x7f]", want)
        print("  shown: %r" % want)
        if not clean or not "semi" in want:
            bad.append("%s: shown as %r" % (what, want))
    # pprof writes what is no path in brackets.
    wanted[number] = want if want.startswith("/") or path == "~" else "[%s]" % want
    print("  %2s %-50s %4d samples, %d with their function, executable %s" %
          (number, what, count, named, "right" if set(paths) == {want} else dict(paths)))
    if count < 20:
        bad.append("%s: only %d samples" % (what, count))
    if set(paths) != {want}:
        bad.append("%s: executables %s, not %s" % (what, dict(paths), want))
    if foreign:
        bad.append("%s: functions of others: %s" % (what, foreign[:2]))
    if needs_name and named < 0.9 * count:
        left = collections.Counter(strip_kernel(h.frames)[-1:] and strip_kernel(h.frames)[-1]
                                   for h in mine if "spin_" + number not in h.frames)
        bad.append("%s: only %d of %d with their function; leaves %s" %
                   (what, named, count, left.most_common(3)))
for role in ("fork", "vfork", "chain", "thread", "crowd", "alone", "named", "heavy"):
    mine = [h for h in page.hits if "case_" + role in h.frames]
    count = sum(h.count for h in mine)
    paths = collections.Counter(h.generation.exe for h in mine)
    comms = collections.Counter(h.comm for h in mine)
    print("  %-53s %4d samples, executable %s, comm %s" %
          ("role " + role, count, "right" if set(paths) == {roles} else dict(paths), dict(comms)))
    if count < 20:
        bad.append("role %s: only %d samples" % (role, count))
    if set(paths) != {roles}:
        bad.append("role %s: executables %s" % (role, dict(paths)))
# A process that exits takes a while to give back its memory. The samples of that while are not
# lost, and are added to those of the same process.
alive = {h.generation.number for h in page.hits if "case_heavy" in h.frames}
dying = [h for h in page.hits if h.comm == "case_heavy" and "do_exit_[k]" in h.frames]
count = sum(h.count for h in dying)
print("  %-53s %4d samples, executable %s" % ("dying", count, {h.generation.exe for h in dying}))
if count < 5:
    bad.append("only %d samples of a dying process" % count)
if {h.generation.number for h in dying} != alive:
    bad.append("samples of a dying process are not added to those of its life")
for values, labels, stack in Pprof(work + "/identities.pb.gz").samples:
    for function, mapping in stack:
        number = re.fullmatch(r"spin_(\d+)", function)
        if number and mapping != wanted.get(number.group(1), mapping):
            bad.append("pprof: %s lies in %s" % (function, mapping))
        if function.startswith("case_") and mapping != roles:
            bad.append("pprof: %s lies in %s" % (function, mapping))
        if number and labels["comm"] != "g" + number.group(1):
            bad.append("pprof: %s is shown in the process %s" % (function, labels["comm"]))
for line in bad[:20]:
    print("    " + line)
check(not bad, "%d findings in the cases above" % len(bad))
check(not judged.wrong, "%d samples are not what the sideband reported" % len(judged.wrong))
check(n["whole"] > 20 * n["unjudged"], "%d samples could not be judged" % n["unjudged"])
check_exits(judged)
check_delivered(records, ran, sideband_tgids(sideband, records))
for name in (work + "/identities.folded",):
    for line in open(name, "rb").read().split(b"\n"):
        check(not re.search(rb"[\x00-\x1f\x7f]", line),
              "control characters in %s: %r" % (name, line))
        line.decode("utf-8")
' "$WORK" "$ROLES"
finish
