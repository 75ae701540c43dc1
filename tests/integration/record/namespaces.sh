#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# namespaces - names are right across PID and mount namespaces, overlays, deleted and replaced files
. "$(dirname "$0")/../../lib/integration.bash"

mkdir "$WORK/numbered" "$WORK/m"
python3 "$TM_LIB/numbered_programs.py" "$TM_WORKLOADS/short_lived" "$WORK/numbered" 6 || finish

# named NAME COMM PATH FUNCTION - checks that the samples of COMM in FUNCTION have the executable
# PATH
named() {
	python '
name, comm, path, function = sys.argv[1:]
page = Page(name + ".html")
mine = [s for s in page.samples if s[0] == comm and function in s[2]]
count = sum(s[3] for s in mine)
paths = collections.Counter()
for s in page.samples:
    if s[0] == comm:
        paths[s[1]] += s[3]
print("  %s: %d samples in %s; executables %s" % (comm, count, function, dict(paths)))
check(count >= 10, "only %d samples of %s in %s" % (count, comm, function))
check(all(s[1] == path for s in mine), "%s has not the path %s" % (function, path))
' "$@"
}

say "inside a PID namespace of its own: -p with the inner number, and a COMMAND:"
cat >"$WORK/inner.sh" <<'INNER'
"$2/hot" 1 60 &
"$1" record -F 199 -d 3 -p $! --summary "$3/inner.json" -o "$3/inner.html" \
	>"$3/inner.out" 2>"$3/inner.err" || exit
kill -KILL $!
"$1" record -F 199 --summary "$3/within.json" -o "$3/within.html" -- "$2/hot" 1 2 \
	>"$3/within.out" 2>"$3/within.err"
INNER
if unshare --pid --fork --mount-proc --kill-child sh "$WORK/inner.sh" "$TM_TIDEMARK" \
	"$TM_WORKLOADS" "$WORK" </dev/null; then
	balance inner zero-drops
	named "$WORK/inner" hot "$(realpath "$TM_WORKLOADS/hot")" hot_60
	balance within zero-drops
	named "$WORK/within" hot "$(realpath "$TM_WORKLOADS/hot")" hot_60
else
	wrong "inside a PID namespace: exit $?:" \
		"$(cat "$WORK"/inner.err "$WORK"/within.err 2>/dev/null | head -c 400)"
fi

# contained SOURCE PATH COMMAND... - runs PATH, a copy of SOURCE on a tmpfs that only it can see
contained() {
	local source=$1 path=$2
	shift 2
	mkfifo "$WORK/ready"
	unshare --mount --pid --fork --kill-child sh -c '
		mount -t tmpfs none "$1" && cp "$2" "$3" && echo >"$4" && shift 4 && exec "$@"
	' sh "$WORK/m" "$source" "$path" "$WORK/ready" "$@" </dev/null &
	STARTED+=($!)
	timeout 20 head -n 1 "$WORK/ready" >/dev/null ||
		wrong "$path did not start in its container"
	rm "$WORK/ready"
}

say "containers seen from the host: same path, different programs:"
contained "$WORK/numbered/program-000001" "$WORK/m/prog" "$WORK/m/prog" 60000
contained "$WORK/numbered/program-000002" "$WORK/m/prog" "$WORK/m/prog" 60000
[[ ! -e $WORK/m/prog ]] || wrong "the mounts are not private: nothing is tested"
if record_ok contained -F 199 -d 3 -o "$WORK/contained.html"; then
	balance contained zero-drops
	named "$WORK/contained" prog "$WORK/m/prog" own_function_000001
	named "$WORK/contained" prog "$WORK/m/prog" own_function_000002
fi
stop "${STARTED[@]}"
STARTED=()

say "on an overlay, deleted, replaced by another program under the same path, in a closed folder:"
mkdir -m 700 "$WORK/closed"
cp "$WORK/numbered/program-000001" "$WORK/closed/prog6"
mkdir "$WORK/lower" "$WORK/upper" "$WORK/work" "$WORK/merged"
cp "$WORK/numbered/program-000003" "$WORK/lower/prog3"
unmounted() { ! mountpoint -q "$WORK/merged" || umount "$WORK/merged" 2>/dev/null; }
# Programs that were killed may hold the overlay for a moment longer.
test_clean_up() { until_true 5 unmounted || umount -l "$WORK/merged"; }
overlay=yes
if ! mount -t overlay -o "lowerdir=$WORK/lower,upperdir=$WORK/upper,workdir=$WORK/work" none \
	"$WORK/merged" 2>"$WORK/overlay.err"; then
	overlay=
	say "  left out: no overlay here: $(cat "$WORK/overlay.err")"
fi
if [[ $overlay ]]; then
	"$WORK/merged/prog3" 60000 &
	STARTED+=($!)
fi
cp "$WORK/numbered/program-000004" "$WORK/prog4"
"$WORK/prog4" 60000 & STARTED+=($!)
cp "$WORK/numbered/program-000005" "$WORK/prog5"
"$WORK/prog5" 60000 & STARTED+=($!)
"$WORK/closed/prog6" 60000 & STARTED+=($!)
running() { [[ $(readlink "/proc/$1/exe") == */prog? ]]; }
for pid in "${STARTED[@]}"; do
	until_true 10 running "$pid"
done
rm "$WORK/prog4" "$WORK/prog5"
cp "$WORK/numbered/program-000006" "$WORK/prog5" # It never runs: its names must not appear.
say "  with --public-files, so that only the path leads to them:"
if record_ok files --public-files -F 199 -d 4 -o "$WORK/files.html"; then
	balance files zero-drops
	[[ $overlay ]] && named "$WORK/files" prog3 "$WORK/merged/prog3" own_function_000003
	python '
page = Page(sys.argv[1] + ".html")
read = summary(sys.argv[1] + ".json")
names = collections.Counter()
for comm, exe, frames, count in page.samples:
    if comm in ("prog4", "prog5", "prog6"):
        leaf = strip_kernel(frames)[-1]
        names[(comm, exe, re.sub("0x[0-9a-f]+", "0x..", leaf))] += count
for (comm, exe, leaf), count in names.most_common(8):
    print("  %s %s: %d samples, leaf %s" % (comm, exe, count, leaf))
check(not any("own_function_000006" in leaf for _, _, leaf in names),
      "a file that never ran gave its names to another")
for comm, function in (("prog4", "own_function_000004"), ("prog5", "own_function_000005"),
                       ("prog6", "own_function_000001")):
    good = sum(n for (c, _, leaf), n in names.items()
               if c == comm and leaf in (function, "bare_entry", "bare_run", comm + "+0x.."))
    total = sum(n for (c, _, _), n in names.items() if c == comm)
    check(total >= 10, "only %d samples of %s" % (total, comm))
    check(good == total, "%s: %d of %d samples have another name" % (comm, total - good, total))
check(read["unnamed_frames"] > 0, "files that cannot be opened are not counted as unnamed")
lost = read["files_not_opened"]
print("  files not opened: %s" % {reason: n for reason, n in lost.items() if n})
check(lost["no_permission"] + lost["another_file"] >= 3, "not opened: %s, not three" % lost)
' "$WORK/files"
fi

say "the same by default: also deleted, replaced and in a closed folder:"
if record_ok private -F 199 -d 4 -o "$WORK/private.html"; then
	balance private zero-drops
	named "$WORK/private" prog4 "$WORK/prog4" own_function_000004
	named "$WORK/private" prog5 "$WORK/prog5" own_function_000005
	named "$WORK/private" prog6 "$WORK/closed/prog6" own_function_000001
fi
finish
