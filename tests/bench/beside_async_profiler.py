# SPDX-License-Identifier: Apache-2.0
"""beside_async_profiler - shares of Java methods, by tidemark, async-profiler and jstack

usage: beside_async_profiler.py NAME - NAME.otlp of tidemark, NAME.ap of async-profiler (collapsed),
NAME.jstack, dumps of jstack (or none); all of one run
"""
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE + "/../lib", HERE + "/../integration/java"]
import java_stacks # noqa: E402

SHOWN = 30
# What differs by name alone: the addresses and numbers of hidden classes.
HIDDEN = re.compile(r"(\$\$Lambda)[^.]*(?:\.0x[0-9a-f]+)?|(LambdaForm\$\w+?)[+.]0x[0-9a-f]+")
JSTACK = re.compile(r"^\tat ([^(]+)\(")


def plain(name):
    return HIDDEN.sub(lambda m: m.group(1) or m.group(2), name.replace("/", "."))


class Shares:
    """Of stacks that have a method: where a method is, and is the innermost method."""

    def __init__(self):
        self.samples, self.total, self.own = 0, collections.Counter(), collections.Counter()

    def add(self, methods, count):
        if methods:
            self.samples += count
            self.own[methods[-1]] += count
            for method in set(methods):
                self.total[method] += count

    def of(self, which, method):
        return 100.0 * getattr(self, which)[method] / max(self.samples, 1)


def of_tidemark(path):
    shares = Shares()
    for stack in java_stacks.read(path):
        shares.add([plain(f.name) for f in stack.frames if f.is_method], stack.count)
    return shares


def of_async_profiler(path):
    """Methods have slashes between packages; those of no package a dot, and no mark of C++."""
    shares, method = Shares(), re.compile(r"^[\w$]+(/[\w$]+)*([+./]0x[0-9a-f]+)?\.<?[\w$]+>?$")
    with open(path, encoding="utf-8") as file:
        for line in file:
            text, count = line.rsplit(" ", 1)
            frames = [re.sub(r"_\[[0-9a-z]\]$", "", f) for f in text.split(";")]
            shares.add([plain(f) for f in frames if method.match(f) and not f.endswith(".so")],
                       int(count))
    return shares


def of_jstack(path):
    """Runnable threads that are in the program."""
    shares, methods, runs = Shares(), [], False

    def close():
        if runs and any(m.startswith("TruthProgram") for m in methods):
            shares.add(methods[::-1], 1)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            found = JSTACK.match(line)
            if line.startswith('"'):
                close()
                methods, runs = [], False
            runs |= "State: RUNNABLE" in line
            if found:
                methods.append(plain(found.group(1).split("/")[-1] if "@" in found.group(1)
                                     else found.group(1)))
    close()
    return shares


def main(name):
    kinds = [("tidemark", of_tidemark(name + ".otlp")), ("async", of_async_profiler(name + ".ap")),
             ("jstack", of_jstack(name + ".jstack"))]
    print("stacks with a method: " + ", ".join("%s %d" % (k, s.samples) for k, s in kinds))
    for which, title in (("own", "innermost method"), ("total", "somewhere in the stack")):
        methods = sorted(set(getattr(kinds[0][1], which)) | set(getattr(kinds[1][1], which)),
                         key=lambda m: -max(s.of(which, m) for _, s in kinds[:2]))
        worst = max(methods, key=lambda m: abs(kinds[0][1].of(which, m) - kinds[1][1].of(which, m)))
        print("%s: | %s | worst: %s, %.2f and %.2f" %
              (title, " | ".join(k for k, _ in kinds), worst,
               *(s.of(which, worst) for _, s in kinds[:2])))
        for method in methods[:SHOWN]:
            print("  %-60s %s" % (method[-60:], " ".join("%7.2f" % s.of(which, method)
                                                         for _, s in kinds)))


main(*sys.argv[1:])
