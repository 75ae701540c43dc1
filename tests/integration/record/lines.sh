#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lines - inlined calls and source lines are those of addr2line, also of a program that has exited
. "$(dirname "$0")/../../lib/integration.bash"

PROGRAM=$WORK/busy
must g++ -O2 -g -o "$PROGRAM" "$TM_SOURCE/tests/integration/programs/busy.cpp"

say 'a program that has exited before its report is made'
record_ok exited -F 499 -o "$WORK/exited.folded" -o "$WORK/exited.html" -o "$WORK/exited.pb.gz" \
	-- "$PROGRAM" 1
python '
import subprocess
path, folded_path = sys.argv[1:3]
profile, read = Pprof(sys.argv[3]), summary(sys.argv[4])
mine = {address: calls for (file, address), calls in profile.places.items() if file == path}
check(profile.flags[path] == {"functions", "filenames", "line_numbers", "inline_frames"},
      "pprof says that the program has %s" % sorted(profile.flags[path]))
order = sorted(mine)
text = subprocess.run(["addr2line", "-aifC", "-e", path] + [hex(a) for a in order],
                      capture_output=True, check=True, text=True).stdout.splitlines()
truth, at = {}, None
for first, second in zip(text, text[1:] + [""]):
    if re.fullmatch("0x[0-9a-f]+", first):
        at, odd = truth.setdefault(int(first, 16), []), True
    elif odd:
        file, line = second.rsplit(":", 1)
        at.append((file, int(line.split()[0]) if line[0] != "?" else 0))
        odd = False
    else:
        odd = True
known = [a for a in order if truth[a][0][1]]
same = [a for a in known if [(os.path.normpath(f), n) for _, f, n in mine[a]] ==
        [(os.path.normpath(f), n) for f, n in truth[a]]]
deep = [a for a in same if len(mine[a]) > 1]
print("  %d places, %d with lines by addr2line, %d the same, %d of those with inlined calls" %
      (len(order), len(known), len(same), len(deep)))
for a in [a for a in known if a not in same][:3]:
    print("  0x%x: %s, addr2line %s" % (a, mine[a], truth[a]))
check(deep, "no place has inlined calls")
check(len(same) >= 0.9 * len(known), "%d of %d places are the same" % (len(same), len(known)))
count = "shop::Stock<double>::count(double const&) const"
check(any(len(c) > 1 and c[-1][0] == count for c in mine.values()),
      "nothing is inlined into %s" % count)
inner = {calls[0][0] for calls in mine.values() if len(calls) > 1}
check(any(frames[-1] in inner for comm, frames, n in folded(folded_path) if frames),
      "folded: no inlined function is a leaf")
check(read["lines"] > 50, "%d frames have lines" % read["lines"])
check(read["no_line"]["lines_pending"] == 0, "lines are pending: %s" % read["no_line"])
' "$PROGRAM" "$WORK/exited.folded" "$WORK/exited.pb.gz" "$WORK/exited.json"

say 'a stripped program, whose debug file lies below a root that is given'
SPLIT=$WORK/split ROOT=$WORK/root
id=$(readelf -n "$PROGRAM" | sed -n 's/.*Build ID: //p')
must mkdir -p "$ROOT/.build-id/${id:0:2}"
must objcopy --only-keep-debug "$PROGRAM" "$ROOT/.build-id/${id:0:2}/${id:2}.debug"
must chmod 644 "$ROOT/.build-id/${id:0:2}/${id:2}.debug"
must objcopy --strip-all "$PROGRAM" "$SPLIT"
record_ok split -F 499 --debug-root "$ROOT" -o "$WORK/split.pb.gz" -- "$SPLIT" 1
python '
path, split, folder = sys.argv[1:]
whole, profile = Pprof(folder + "/exited.pb.gz"), Pprof(folder + "/split.pb.gz")
check("inline_frames" in profile.flags[split], "%s" % sorted(profile.flags[split]))
places = {address: calls for (file, address), calls in profile.places.items() if file == split}
both = [a for (file, a) in whole.places if file == path and a in places]
same = [a for a in both if whole.places[path, a] == places[a]]
print("  %d places with and without strip, %d the same" % (len(both), len(same)))
check(len(both) >= 3 and len(same) == len(both), "places differ")
' "$PROGRAM" "$SPLIT" "$WORK"

say 'reports in between have lines too; with --no-lines, none has'
record_ok often --every 1 -F 199 -o "$WORK/often.pb.gz" -- "$PROGRAM" 3
record_ok none --no-lines -F 199 -o "$WORK/none.pb.gz" -- "$PROGRAM" 1
python '
path, folder = sys.argv[1:]
second = Pprof(folder + "/often.0002.pb.gz")
check("inline_frames" in second.flags[path], "the second report has no inlined calls")
none = Pprof(folder + "/none.pb.gz")
check(none.flags[path] == {"functions"}, "with --no-lines: %s" % sorted(none.flags[path]))
check(sum(summary(folder + "/none.json")["no_line"].values()) == 0, "lines are missed")
' "$PROGRAM" "$WORK"
finish
