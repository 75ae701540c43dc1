# SPDX-License-Identifier: Apache-2.0
"""java_stacks - stacks of an OTLP file, with what is known of each method of Java

As a program: java_stacks.py NAME.otlp - prints how many samples are whole, and have all names, by
process.
"""
import collections
import os
import re
import sys

import otlp

# line: 0 is not known. is_method: of Java, else machine code: of a file, or of HotSpot's own.
Frame = collections.namedtuple("Frame", "name file line is_method")
# frames: root first, without the kernel's. cut: why the stack is not whole, or None.
Stack = collections.namedtuple("Stack", "process tid comm frames count cut")

# Classes that HotSpot makes for lambdas, and leaves out of the stack traces that programs see.
HIDDEN = re.compile(r"\$\$Lambda|LambdaForm|^java\.lang\.invoke\.")


def frame(line, is_jvm):
    name, _, path, _, number = line
    return Frame(name, os.path.basename(path), number,
                 is_jvm and "." in name and " " not in name)


def frames(sample):
    found = []
    for place in sample["stack"]:
        if place["type"] != "kernel":
            found += [frame(line, place["type"] == "jvm") for line in reversed(place["lines"])]
    return [f for f in found if not f.name.startswith("[truncated")]


def is_nameless(of):
    return (of.name.startswith("[") and of.name != "[vdso]") or re.search(r"\+0x[0-9a-f]+$",
                                                                          of.name)


def is_nameless_java(of):
    """Machine code of a file without symbols is not HotSpot's to name."""
    return of.name.startswith("[") and of.name != "[vdso]"


def read(path):
    request = otlp.read(path)
    return [Stack((s["resource"]["process.pid"], s["resource"]["tidemark.process.start"],
                   s["resource"]["tidemark.process.exec_id"]),
                  s["attributes"].get("thread.id"), s["attributes"].get("thread.name", ""),
                  frames(s), s["value"], s["attributes"].get("tidemark.truncated"))
            for s in request.samples if s["types"] == otlp.ON_CPU]


def main(path):
    total, cut, nameless, methods = (collections.Counter() for _ in range(4))
    reasons = collections.Counter()
    for stack in read(path):
        total[stack.comm] += stack.count
        cut[stack.comm] += stack.count * bool(stack.cut)
        methods[stack.comm] += stack.count * any(f.is_method for f in stack.frames)
        nameless[stack.comm] += stack.count * any(map(is_nameless_java, stack.frames))
        reasons[stack.cut] += stack.count
    print("%-16s %8s %8s %8s %8s" % ("thread", "samples", "whole %", "Java %", "nameless %"))
    for comm, count in [("all", sum(total.values())), *total.most_common(12)]:
        parts = [sum(c.values()) if comm == "all" else c[comm] for c in (cut, methods, nameless)]
        print("%-16s %8d %8.2f %8.2f %8.2f" %
              (comm, count, 100 - 100 * parts[0] / count, 100 * parts[1] / count,
               100 * parts[2] / count))
    print("cut: %s" % {reason: n for reason, n in reasons.items() if reason})


if __name__ == "__main__":
    main(*sys.argv[1:])
