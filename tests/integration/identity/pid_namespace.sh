#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pid_namespace - tidemark runs in a PID namespace of its own, where the kernel's process numbers
# are not those of its /proc
#
# TM_PROCESSES: the number of short-lived processes inside (10000 for the whole proof). Upstream
# keyed its cleanup on a number that was zero for every process that its namespace did not show
# (#1274), and lost exits in such a namespace (#1538). In tidemark no process is known as zero, and
# short_lived.sh compares the EXIT records with the deaths.
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/identity.bash"

processes_of_this_run 400
identity_tests=$(cd "$(dirname "$0")" && pwd)
mkdir "$WORK/numbered"
make_numbered_programs 4

say "short_lived.sh, all of it in a PID namespace:"
if TM_PROCESSES=$TM_PROCESSES unshare --pid --fork --mount-proc --kill-child bash \
	"$identity_tests/short_lived.sh" </dev/null >"$WORK/short_lived" 2>&1; then
	grep -E 'E1|E2|P2' "$WORK/short_lived"
else
	wrong "short_lived.sh in a PID namespace exited with $?"
	cat "$WORK/short_lived"
fi

seen_from_inside() { # NAME
	python '
from process_page import *
work, name = sys.argv[1:]
read = summary("%s/%s.json" % (work, name))
page, bad = ProcessPage("%s/%s.html" % (work, name)), []
print("  files: opened %d, refused %d, failed %d; unnamed frames %d" %
      (read["files_opened"], read["files_refused"], read["files_failed"], read["unnamed_frames"]))
programs = (
    ("program-000001", "/numbered/program-000001", 1, "inside"),
    ("program-000002", "/numbered/program-000002", 2, "outside, our mounts"),
    ("hidden", "/m/hidden", 3, "outside, other mounts"),
)
for comm, path, function, what in programs:
    mine = [h for h in page.hits if h.comm == comm and h.generation.exe == work + path]
    count = sum(h.count for h in mine)
    named = sum(h.count for h in mine if "own_function_%06d" % function in h.frames)
    offsets = sum(h.count for h in mine if any(f.startswith(comm + "+0x") for f in h.frames))
    print("  %-22s %5d samples, %d by name, %d by offset; its process id in there %s" %
          (what, count, named, offsets, {h.generation.ns_tgid for h in mine}))
    numbers = {h.generation.number for h in mine}
    if len(numbers) != 1 or len({h.generation.tgid for h in mine} - {0}) != 1:
        bad.append("%s is not one process: %s" % (what, {h.generation[:3] for h in mine}))
    if count < 50:
        bad.append("%s: only %d samples" % (what, count))
    if what != "outside, other mounts" and named < 0.9 * count:
        bad.append("%s: only %d of %d by name" % (what, named, count))
    if what == "outside, other mounts" and (named or offsets < 0.9 * count):
        bad.append("%s: %d by name, %d by offset of %d" % (what, named, offsets, count))
for line in bad:
    print("    " + line)
check(not bad, "%d findings in the programs above" % len(bad))
check(read["unnamed_frames"] > 0 and read["files_failed"] > 0,
      "files that could not be opened, or the frames in them, are not counted")
' "$WORK" "$1"
}

# watch NAME COMMAND... - COMMAND makes the PID namespace and runs $WORK/within there, which
# records the whole host: one program inside, one outside with the same mounts, and one outside with
# other mounts. The files of a process that has a number in the namespace are opened through that
# number. Those of a process without one are opened by their path if its mounts are the same;
# otherwise its frames are shown as file+0xoffset.
watch() {
	local name=$1 inner other
	shift
	STARTED=()
	mkfifo "$WORK/up" "$WORK/go"
	"$@" sh "$WORK/within" "$WORK" "$TM_TIDEMARK" "$name" </dev/null 2>"$WORK/$name.maker" &
	STARTED+=($!)
	timeout 60 head -n 1 "$WORK/up" >/dev/null ||
		wrong "no PID namespace: $(<"$WORK/$name.maker")"
	for inner in $(descendants "${STARTED[0]}"); do
		[[ $(readlink "/proc/$inner/ns/pid") == "$(readlink /proc/self/ns/pid)" ]] || break
	done
	nsenter --target "$inner" --mount "$WORK/numbered/program-000002" 120000 &
	STARTED+=($!)
	unshare --mount --propagation private sh -c '
		mount -t tmpfs none "$1/m" && cp "$1/numbered/program-000003" "$1/m/hidden" &&
			exec "$1/m/hidden" 120000
	' sh "$WORK" &
	STARTED+=($!)
	until_true 20 runs_as "${STARTED[1]}" program-000002 &&
		until_true 20 runs_as "${STARTED[2]}" hidden ||
		wrong "the programs do not run"
	echo go >"$WORK/go"
	wait "${STARTED[0]}" || wrong "the recording inside exited with $?:" \
		"$(head -c 400 "$WORK/$name.err" "$WORK/$name.maker")"
	stop "${STARTED[@]:1}"
	rm "$WORK/up" "$WORK/go"
	balance "$name" && seen_from_inside "$name"
}
runs_as() { [[ $(readlink "/proc/$1/exe") == */$2 ]]; }
mkdir "$WORK/m"
cat >"$WORK/within" <<'WITHIN'
echo up >"$1/up"
read -r go <"$1/go"
"$1/numbered/program-000001" 120000 &
exec "$2" record -F 1999 -d 4 -o "$1/$3.html" --summary "$1/$3.json" >"$1/$3.out" 2>"$1/$3.err"
WITHIN

say "the whole host, seen from a PID namespace:"
watch inside unshare --pid --fork --mount-proc --kill-child

# The container has the capabilities that tidemark's programs need and no others: neither
# CAP_SYS_ADMIN nor any of the CAP_DAC_ ones.
say "the whole host, seen from a container of systemd-nspawn with few capabilities:"
if [[ -n ${TM_INNER:-} ]]; then
	say "  left out: this test already runs in a container, where no other can be made"
	finish
fi
root=$WORK/system
mkdir -p "$root"/{usr,etc,proc,sys,dev,run,tmp,var,root}
for folder in bin sbin lib lib64; do
	ln -s "usr/$folder" "$root/$folder"
done
kept=CAP_SETUID,CAP_SETGID,CAP_SETPCAP,CAP_KILL,CAP_BPF,CAP_PERFMON,CAP_SYSLOG,CAP_SYS_PTRACE
dropped=$(setpriv --list-caps | sed 's/.*/CAP_\U&/' |
	grep -vxF -f <(tr , '\n' <<<$kept) | paste -sd,)
unit=()
[[ -d /run/systemd/system ]] || unit=(--keep-unit)
watch contained systemd-nspawn --quiet --pipe --register=no --machine=tidemark-test "${unit[@]}" \
	-D "$root" --resolv-conf=off \
	--bind-ro=/usr --bind="$WORK" --bind="$TM_BUILD" --capability="$kept" \
		--drop-capability="$dropped" \
	--system-call-filter='bpf perf_event_open'
finish
