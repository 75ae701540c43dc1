#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# process_names - samples carry the name that their thread had at the time, also for kernel threads,
# and the number that their process has in its own namespaces
#
# TM_PROCESSES: the number of changes of name (1000 for the whole proof).
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

processes_of_this_run 40 1000
must cp "$TM_WORKLOADS/renames" "$TM_WORKLOADS/pid_reuse" "$WORK"

say "$TM_PROCESSES changes of the names of two threads:"
if record_with_reference renames -F 1999 -o "$WORK/renames.html" -- "$WORK/renames" 10 \
	"$TM_PROCESSES"; then
	balance renames zero-drops
	python '
from process_page import *
from reference import *
work, rounds = sys.argv[1], int(sys.argv[2])
sideband, records, ran = read_recording(work, "renames")
judged = Judgement(sideband, records)
page = ProcessPage(work + "/renames.html")
seen, bad = collections.Counter(), []
for h in page.hits:
    name = re.fullmatch(r"(first|other)-(\d+)", h.comm)
    spins = [int(f[5:]) for f in h.frames if re.fullmatch(r"spin_[0-3]", f)]
    if name and spins:
        seen[h.comm] += h.count
        if spins[0] != int(name.group(2)) & 3:
            bad.append(h)
    elif spins:
        bad.append(h)
exes = {h.generation.exe for h in page.hits if re.match("(first|other)-", h.comm)}
print("  %d of %d names were hit, %d samples; %d under the name of another time; "
      "%d wrong by the sideband" %
      (len(seen), 2 * rounds, sum(seen.values()), len(bad), len(judged.wrong)))
check(len(seen) >= 1.8 * rounds, "only %d names were hit" % len(seen))
check(not bad, "%d samples with a wrong name: %s" % (len(bad), bad[:2]))
check(not judged.wrong, "%d samples are wrong by the sideband: %s" %
      (len(judged.wrong), judged.wrong[:2]))
check(exes == {work + "/renames"}, "the samples name these executables: %s" % exes)
' "$WORK" "$TM_PROCESSES"
fi

# Each command that `as` is called with in `outer` may enter namespaces, and runs `inner` there,
# which notes its process id and its mount namespace and then becomes the process gNUMBER.
cat >"$WORK/inner" <<'INNER'
echo "$2 $$ $(readlink /proc/self/ns/mnt | tr -dc 0-9)" >>"$1/whoami"
exec "$1/pid_reuse" spin "$2" 200000
INNER
cat >"$WORK/outer" <<'OUTER'
cd "$1" || exit
as() { "$@" sh "$PWD/inner" "$PWD" $number; number=$((number + 1)); }
number=0
as env
as unshare --mount
as unshare --pid --fork --mount-proc --kill-child
as unshare --pid --fork --mount-proc --kill-child unshare --pid --fork --mount-proc --kill-child
as unshare --pid --fork --mount-proc --kill-child unshare --pid --fork --mount-proc --kill-child \
	unshare --pid --fork --mount-proc --kill-child
OUTER
say "processes in PID and mount namespaces, up to four deep:"
if record_with_reference inner -F 997 -o "$WORK/inner.html" -- sh "$WORK/outer" "$WORK"; then
	balance inner zero-drops
	python '
from process_page import *
from reference import *
work = sys.argv[1]
sideband, records, ran = read_recording(work, "inner")
page = ProcessPage(work + "/inner.html")
bad = []
for line in open(work + "/whoami"):
    number, pid, mount = map(int, line.split())
    # It is looked up by its samples, as it may have been announced before it had this name.
    generations = {s.generation for s in records.samples if s.comm.decode() == "g%d" % number}
    mine = [p for generation in generations for p in records.processes[generation]]
    shown = {(h.generation.ns_tgid, h.generation.exe)
             for h in page.hits if h.comm == "g%d" % number}
    count = sum(h.count for h in page.hits if h.comm == "g%d" % number)
    named = sum(h.count for h in page.hits if "spin_%d" % number in h.frames)
    levels = {p.level for p in mine}
    print("  g%d: pid %d in its own namespace, level %s, mounts %d: %d samples, "
          "%d with their function" % (number, pid, levels, mount, count, named))
    if {(p.ns_tgid, p.mnt_ns) for p in mine} != {(pid, mount)} or len(levels) != 1:
        bad.append("g%d is announced as %s" % (number, mine))
    base = min(levels) if number == 0 else base # the level that the test itself is on
    if levels != {base + max(0, number - 1)}:
        bad.append("g%d is on level %s" % (number, levels))
    if shown != {(pid, work + "/pid_reuse")}:
        bad.append("g%d is shown as %s" % (number, shown))
    if count < 50 or named < 0.9 * count:
        bad.append("g%d: %d samples, %d named" % (number, count, named))
for line in bad:
    print("    " + line)
check(not bad, "%d findings in the processes above" % len(bad))
check_exits(Judgement(sideband, records))
' "$WORK"
fi

if [[ -n ${TM_INNER:-} ]]; then
	say "kernel threads: left out inside a container, where none can be set to work"
	finish
fi

# The kernel thread that is set to work is the worker of a loop device whose file lies in memory.
say "kernel threads, while a loop device copies:"
must mkdir "$WORK/memory"
must mount -t tmpfs none "$WORK/memory"
LOOP=
identity_clean_up() {
	[[ $LOOP ]] && losetup -d "$LOOP"
	until_true 5 umount "$WORK/memory" 2>/dev/null || umount -l "$WORK/memory"
}
truncate -s 64M "$WORK/memory/image"
LOOP=$(losetup --show -f "$WORK/memory/image") || wrong "no loop device"
cat >"$WORK/copy" <<'COPY'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	dd if=/dev/zero of="$1" bs=1M count=64 oflag=direct status=none
done
COPY
start_attached_recording kernel -F 1999 -o "$WORK/kernel.html"
bash "$WORK/copy" "$LOOP"
# Only the threads that exist now can be listed, since workers come and go.
for thread in /proc/[0-9]*; do
	grep -q '^PPid:.2$' "$thread/status" && echo "${thread#/proc/} $(<"$thread/comm")"
done 2>/dev/null >"$WORK/threads"
stop_recording kernel 60
python '
from process_page import *
work = sys.argv[1]
page = ProcessPage(work + "/kernel.html")
threads = dict(line.rstrip("\n").split(" ", 1) for line in open(work + "/threads"))
shown, bad = collections.Counter(), []
for h in page.hits:
    name = threads.get(str(h.generation.ns_tgid))
    if name is None or strip_kernel(h.frames):
        continue
    shown[h.comm] += h.count
    # /proc shows the whole name of a kernel thread, of which comm has 15 bytes (kernel/kthread.c),
    # and that of a worker with the work that it did last behind it.
    right = name[:15] == h.comm or name.startswith((h.comm + "-", h.comm + "+"))
    if not right or h.generation.exe:
        bad.append((name, h.comm, h.generation))
workers = sum(n for name, n in shown.items() if name.startswith("kworker/"))
print("  %d kernel threads, %d samples, of workers %d: %s" %
      (len(shown), sum(shown.values()), workers, shown.most_common(5)))
check(workers >= 20, "only %d samples of workers, too few to test anything" % workers)
check(not bad, "%d entries have another name, or an executable: %s" % (len(bad), bad[:3]))
' "$WORK"
finish
