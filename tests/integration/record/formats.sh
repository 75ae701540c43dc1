#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# formats - all formats of one recording hold the same samples; built and installed alike
. "$(dirname "$0")/../../lib/integration.bash"

"$TM_WORKLOADS/hot" 3 600 &
STARTED+=($!)

same() { # NAME
	balance "$1" zero-drops
	python '
import subprocess
name = sys.argv[1]
read = summary(name + ".json")
folded_sum = folded_total(name + ".folded")
profile = Pprof(name + ".pb.gz")
speed, unit = speedscope_total(name + ".speedscope.json")
if unit == "seconds":
    speed *= read["hz"]
page = Page(name + ".html").total()
print("  samples: exported %d, folded %d, pprof %d, speedscope %.3f, page %d" %
      (read["exported"], folded_sum, profile.total(), speed, page))
check(read["exported"] > 0, "nothing was exported")
check(folded_sum == read["exported"], "folded differs")
check(profile.total() == read["exported"], "pprof differs")
check(abs(speed - read["exported"]) < 0.01, "speedscope differs")
check(page == read["exported"], "the page differs")

# Each format gives the reason of every stack that is cut.
cut = {reason: n for reason, n in read["truncated"].items() if n}
by_reason = collections.Counter()
for comm, frames, count in folded(name + ".folded"):
    if truncation(frames):
        by_reason[truncation(frames)] += count
by_page = collections.Counter()
for comm, exe, frames, count in Page(name + ".html").samples:
    if truncation(frames):
        by_page[truncation(frames)] += count
by_label = collections.Counter()
for values, labels, stack in profile.samples:
    if "truncated" in labels:
        by_label[labels["truncated"]] += values[0]
print("  truncated: %s" % cut)
check(dict(by_reason) == cut, "folded says truncated %s" % dict(by_reason))
check(dict(by_page) == cut, "the page says truncated %s" % dict(by_page))
check(dict(by_label) == cut, "pprof says truncated %s" % dict(by_label))

# The formats agree not only in total but also for each function.
by_folded = collections.Counter()
for comm, frames, count in folded(name + ".folded"):
    if comm == "hot" and frames:
        by_folded[frames[-1].replace("_[k]", "")] += count
by_pprof = collections.Counter()
for values, labels, stack in profile.samples:
    if labels.get("comm") == "hot" and stack:
        by_pprof[stack[0][0]] += values[0]
for function in ("hot_60", "hot_30", "hot_10"):
    check(by_folded[function] == by_pprof[function] > 0, "%s: folded %d, pprof %d" %
          (function, by_folded[function], by_pprof[function]))
print("  by function: " +
      ", ".join("%s %d" % (f, by_folded[f]) for f in ("hot_60", "hot_30", "hot_10")))
' "$WORK/$1"
}

all_formats() { printf -- '-o\n%s\n' "$WORK/$1".{html,pb.gz,folded,speedscope.json}; }

say "from the build tree:"
mapfile -t outputs < <(all_formats built)
record_ok built -F 199 -d 4 "${outputs[@]}" && same built

say "installed:"
if DESTDIR=$WORK/root meson install --no-rebuild -C "$TM_BUILD" >"$WORK/install.log" 2>&1; then
	installed=$(find "$WORK/root" -name tidemark -type f -perm -u+x)
	say "  $installed"
	built=$TM_TIDEMARK
	TM_TIDEMARK=$installed
	chmod -R go+rX "$WORK/root"
	mapfile -t outputs < <(all_formats installed)
	record_ok installed -F 199 -d 4 "${outputs[@]}" && same installed
	"$installed" version >"$WORK/version.installed"
	"$built" version >"$WORK/version.built"
	cmp -s "$WORK/version.installed" "$WORK/version.built" ||
		wrong "the built and the installed program print different versions"
	find "$WORK/root" -type f -printf '  %P\n' | sort
	TM_TIDEMARK=$built
else
	wrong "meson install: $(tail -n 5 "$WORK/install.log")"
fi

say "no -o: tidemark.html in the working folder; several words for help:"
mkdir "$WORK/empty"
(cd "$WORK/empty" && timeout 60 "$TM_TIDEMARK" record -d 1 >out 2>err </dev/null) ||
	wrong "record without -o failed: $(head -c 300 "$WORK/empty/err")"
[[ -s $WORK/empty/tidemark.html ]] || wrong "no tidemark.html"
for words in --help 'record --help' version; do
	# shellcheck disable=SC2086 # words
	"$TM_TIDEMARK" $words >"$WORK/help" 2>"$WORK/help.err" || wrong "tidemark $words: exit $?"
	[[ -s $WORK/help && ! -s $WORK/help.err ]] ||
		wrong "tidemark $words says nothing on its output"
done
finish
