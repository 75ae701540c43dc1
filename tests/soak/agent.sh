#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# agent - another agent's BPF program keeps the kernel from running ours: said as `not run`
. "$(dirname "$0")/../lib/integration.bash"
. "$(dirname "$0")/../integration/identity/identity.bash"
. "$(dirname "$0")/soak.bash"

LENGTH=${1:-3}
HZ=999

begin agent "$TM_SOAK/agent" "$LENGTH" 100 -- -F $HZ -o "$WORK/agent.folded" || finish
echo go >&"$ASK"
heard done $((LENGTH + 30)) || wrong "the agent did not end"
end agent
balance agent
python '
work, spent, runs = sys.argv[1], int(sys.argv[2]) / 1e9, int(sys.argv[3])
read = summary(work + "/agent.json")
stacks = folded(work + "/agent.folded")
blocked = spent * read["hz"]
print("  the other program ran %d times, %.2f s together: %.0f hits fall into it; not run %d of %.0f owed" %
      (runs, spent, blocked, read["not_run"], read["seconds"] * read["hz"] * read["cpus"]))
check(blocked > 30, "only %.0f hits fall into it: nothing is tested" % blocked)
# the hits that fall into it are as many as its time, but for the scatter of their phases
check(read["not_run"] > 0.8 * blocked, "not run %d, and %.0f hits fell into it" % (read["not_run"], blocked))
check(sum(count for _, _, count in stacks) == read["exported"], "the output holds other samples")
print("FIGURE hits that another agent kept from running | %.1f s of its program | %.0f fell into it, not_run says %d | balance exact" %
      (spent, blocked, read["not_run"]))
' "$WORK" $HEARD
finish
