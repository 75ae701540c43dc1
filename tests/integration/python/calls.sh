#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# calls - a function that is about to begin or to return changes no other one's place in a stack
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/python.bash"

for interpreter in "${INTERPRETERS[@]}"; do
	version=$(version_of "$interpreter")
	say "$interpreter, $version"
	record_ok calls -F 1999 --cache "$WORK/cache" -o "$WORK/calls.folded" -- \
		"$interpreter" "$PYTHON_SOURCE/calls_program.py" "${TM_SECONDS:-0.7}" || continue
	balance calls
	python '
chains = [("<module>", "run", part, called)
          for part, called in (("sorting", "key"), ("summing", "numbers"), ("reducing", "add"))]
legal = {chain[:length] for chain in chains for length in range(len(chain) + 1)}
seen, strange, nameless = collections.Counter(), collections.Counter(), 0
for _, stack, count in folded(sys.argv[1]):
    if truncation(stack):
        continue
    own = tuple(f.split(" (")[0] for f in stack if " (calls_program.py:" in f)
    seen[own[-1:]] += count
    strange[own] += count * (own not in legal)
    nameless += count * ("[python]" in stack)
total = sum(seen.values())
print("FIGURE python calls: %s | %d samples, %d of functions called by C; in %d a function has "
      "another place than its own, in %d no name | none" %
      (sys.argv[2], total, sum(seen[chain[3:]] for chain in chains), sum(strange.values()),
       nameless))
for chain in chains:
    check(seen[chain[3:]] >= 20, "only %d samples of %s" % (seen[chain[3:]], chain[3]))
check(not sum(strange.values()), "no such stack: %s" % strange.most_common(3))
check(not nameless, "%d of %d samples have a function without a name" % (nameless, total))
' "$WORK/calls.folded" "$version"
done
finish
