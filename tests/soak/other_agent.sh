#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# other_agent - another agent's BPF program keeps the kernel from running ours: counted as `not_run`
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

LENGTH=${1:-3}
HZ=999

begin agent -F $HZ -o "$WORK/agent.folded" -- "$TM_SOAK/other_agent" "$LENGTH" 100 || finish
echo go >&"$TO_COMMAND"
wait_for_word done $((LENGTH + 30)) || wrong "the other agent did not end"
end agent
balance agent
python '
work, spent, runs = sys.argv[1], int(sys.argv[2]) / 1e9, int(sys.argv[3])
read = summary(work + "/agent.json")
stacks = folded(work + "/agent.folded")
blocked = spent * read["hz"]
print("  the other program ran %d times, %.2f s together: %.0f timer hits fell into it; "
      "%d of %.0f due were not run" %
      (runs, spent, blocked, read["not_run"], read["seconds"] * read["hz"] * read["cpus"]))
check(blocked > 30, "only %.0f timer hits fell into it: nothing is tested" % blocked)
# Which hits fall into it depends on their phases; their number follows from its run time.
check(read["not_run"] > 0.8 * blocked,
      "not_run is %d, but %.0f hits fell into it" % (read["not_run"], blocked))
check(sum(count for _, _, count in stacks) == read["exported"],
      "the output does not hold the exported samples")
print("FIGURE hits that another agent kept from running | %.1f s of its program | "
      "%.0f fell into it, not_run is %d | balance exact" % (spent, blocked, read["not_run"]))
' "$WORK" $ANSWER
finish
