# SPDX-License-Identifier: Apache-2.0
"""codelets_check - what a sample shows that ends in the interpreter, but in none of its frames

usage: codelets_check.py JAVA NAME.otlp - of LeavingProgram
"""
import collections
import sys

import java_stacks
from recorded import Wrong, check

CALLER = "LeavingProgram.calls"
BLOB, NAMED = "Interpreter", "Interpreter: "
LEAST = 5000        # samples
NAMED_LEAST = 3     # with a codelet: of Java 17, which leaves in three instructions
SEARCHED_MAX = 6    # samples that a search among all codelets takes, and one more
RETURNS = 0.9       # of those with a codelet: it is the one by which `empty` ends


def main(java, path):
    total, named, blob = 0, collections.Counter(), 0
    for stack in java_stacks.read(path):
        names = [f.name for f in stack.frames]
        if CALLER not in names:
            continue
        total += stack.count
        blob += stack.count * (names[-1] == BLOB)
        if names[-1].startswith(NAMED):
            named[names[-1]] += stack.count
    codelets = sum(named.values())
    print("FIGURE java codelets: %s | %d samples, %d end in the interpreter without a method, %d "
          "of these have no codelet: %s | %d without" %
          (java, total, codelets + blob, blob, named.most_common(3), SEARCHED_MAX))
    check(total >= LEAST, "only %d samples" % total)
    check(codelets >= NAMED_LEAST, "only %d samples with a codelet" % codelets)
    check(blob <= SEARCHED_MAX, "%d samples have no codelet" % blob)
    check(named[NAMED + "return"] >= RETURNS * codelets, "these are none by which `empty` ends: "
          "%s" % named.most_common(4))


try:
    main(*sys.argv[1:])
except Wrong as found:
    print("  WRONG: %s" % found)
    sys.exit(1)
