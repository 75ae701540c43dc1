#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results - one meson test log: shows what failed or was skipped, and counts

usage: results.py LOG.json NUMBERS NAMES
       NUMBERS gets "passed failed skipped", and NAMES a line more for each test that failed
"""
import json
import os
import sys

SHOWN_LINES = 60
TELLING = ("WRONG:", "FAIL:", "FAILED", "Sanitizer", "runtime error")
TELLING_LINES = 12
SKIPPED = ("SKIP",)
PASSED = ("OK", "EXPECTEDFAIL")
# What the container of clean.sh leaves out, by name: {test: why}. Any other skip in there is a
# failure.
LEFT_OUT = {
    "parser java_layout": "it compares with a running JVM, which no package of the container has",
    "a CPU that goes and comes is sampled again, and nothing is lost on the other":
        "/sys is read-only there, so no CPU can be switched",
    "cgroup paths and container ids as each runtime names them":
        "the cgroups of a container are not where runtimes put theirs",
}


def output_of(test):
    """Last lines of what the test said; in front of them those that say what is wrong, since a log
    may be shown in part."""
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    lines = text.strip().splitlines()
    telling = [line for line in lines if any(word in line for word in TELLING)][:TELLING_LINES]
    return telling + [line for line in lines[-SHOWN_LINES:] if line not in telling]


def main():
    log, numbers, names = sys.argv[1:]
    passed = failed = skipped = 0
    inner = os.environ.get("TM_INNER") == "1"
    lines = open(log, encoding="utf-8").readlines() if os.path.exists(log) else []
    if not lines:
        print("  FAILED: no test ran")
        failed += 1
    for line in lines:
        test = json.loads(line)
        said = output_of(test)
        reason = said[-1] if said else "no reason given"
        agreed = LEFT_OUT.get(test["name"].split(" / ", 1)[-1])
        if test["result"] in PASSED:
            passed += 1
        elif test["result"] in SKIPPED:
            expected = inner and agreed is not None
            kind, why = ("left out", agreed) if expected else ("skipped", reason)
            print("  %s: %s: %s" % (kind, test["name"], why))
            skipped += 1
            failed += inner and not expected
        else:
            failed += 1
            print("  FAILED: %s (%s)" % (test["name"], test["result"]))
            for said_line in said:
                print("    " + said_line)
            with open(names, "a", encoding="utf-8") as out:
                out.write("  %s: %s\n" % (test["name"], said[0].strip() if said else ""))
    with open(numbers, "w", encoding="utf-8") as out:
        out.write("%d %d %d\n" % (passed, failed, skipped))


main()
