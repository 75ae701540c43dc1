#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results - one meson test log: shows what failed or was skipped, and counts

usage: results.py LOG.json NUMBERS   (NUMBERS gets "passed failed skipped")
"""
import json
import os
import sys

SHOWN_LINES = 60
SKIPPED = ("SKIP",)
PASSED = ("OK", "EXPECTEDFAIL")
# What a container cannot do; tests say so in their reason.
LEFT_OUT = ("TM_INNER", "inside", "a container", "/sys", "/proc/sys")


def output_of(test):
    """Last lines of what the test said."""
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    return text.strip().splitlines()[-SHOWN_LINES:]


def main():
    log, numbers = sys.argv[1:]
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
        if test["result"] in PASSED:
            passed += 1
        elif test["result"] in SKIPPED:
            expected = inner and any(word in reason for word in LEFT_OUT)
            print("  %s: %s: %s" % ("left out" if expected else "skipped", test["name"], reason))
            skipped += 1
            # In the container only what was agreed may be left out.
            failed += inner and not expected
        else:
            failed += 1
            print("  FAILED: %s (%s)" % (test["name"], test["result"]))
            for said_line in said:
                print("    " + said_line)
    with open(numbers, "w", encoding="utf-8") as out:
        out.write("%d %d %d\n" % (passed, failed, skipped))


main()
