#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# threads - for each thread of a mixed load, times on CPUs, asleep and waiting for a CPU add up to
# its lifetime, and are what the thread and the scheduler say
. "$(dirname "$0")/../../lib/integration.bash"
. "$(dirname "$0")/waits.bash"

record_waits threads --off-cpu --no-lines -- mixed 400 10000000 || finish
python '
from wait_truth import *
work = sys.argv[1]
truth, data = Truth(work + "/threads.out"), Page(work + "/threads.html").data
states = data["thread_times"]["states"]
rows = {}
for _, tid, comm, count, lifetime, *ns in data["thread_times"]["rows"]:
    rows[tid] = (data["strings"][comm], count, lifetime, dict(zip(states, ns)))
threads = [words for words in truth.others if words[0] == "thread"]
stolen = truth.stolen["mixed"]
check(len(threads) == 12, "the program names %d threads" % len(threads))
check(not data["thread_times"]["missing"], "what the threads did is missing")
for _, tid, name, *numbers in threads:
    lived, ran, queued = map(int, numbers)
    check(int(tid) in rows, "thread %s (%s) has no row" % (tid, name))
    comm, count, lifetime, ns = rows[int(tid)]
    on_cpu, waiting = ns["on_cpu"], sum(ns[state] for state in WAITING)
    asleep = sum(ns.values()) - on_cpu - waiting
    print("  %-14s lived %.4f s, row %.4f s; on CPUs %.4f s, row %.4f s; queued %.4f s, row %.4f "
          "s; asleep %.4f s; the row lacks %d ns" %
          (name, lived / 1e9, lifetime / 1e9, ran / 1e9, on_cpu / 1e9, queued / 1e9, waiting / 1e9,
           asleep / 1e9, lifetime - sum(ns.values())))
    slack = lived / 100
    check((comm, count) == (name, 1), "thread %s (%s) is %s, %d threads" % (tid, name, comm, count))
    check(abs(sum(ns.values()) - lifetime) <= slack, "%s: the states add up to %d of %d ns" %
          (name, sum(ns.values()), lifetime))
    # It measures its lifetime from its first CPU on.
    check(lived - slack <= lifetime <= lived + ns["new"] + slack,
          "%s lived %d ns, its row has %d" % (name, lived, lifetime))
    check(ran - slack - stolen <= on_cpu <= ran + slack + stolen,
          "%s ran for %d ns, its row has %d" % (name, ran, on_cpu))
    check(waiting >= queued - slack - stolen, "%s waited %d ns for CPUs, its row has %d" %
          (name, queued, waiting))
for step, state in (("run_and_yield", "yielded"), ("sleep_to_end", "interruptible"),
                    ("run_on", "on_cpu")):
    check(all(ns[state] > 0 for comm, _, _, ns in rows.values() if comm == step),
          "a thread %s is never %s" % (step, state))
' "$WORK"
finish
