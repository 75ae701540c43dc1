# SPDX-License-Identifier: Apache-2.0
"""truth_check - compares a recording of TruthProgram with what that says of itself

usage: truth_check.py TRUTH NAME.otlp MODE STUBS [PREFIX]
MODE: as in truth.sh. STUBS: as stubs_of of java.bash says. PREFIX: of the names of threads that are
not the program's.
"""
import collections
import json
import re
import sys

import java_stacks
from java_stacks import HIDDEN, is_nameless_java
from recorded import Wrong, check

PLACE = re.compile(r"^(.+?)(?: \(([^()]*):(\d+)\))?$") # of the truth
PROGRAM = "TruthProgram"
WARM_UP = "TruthProgram.warmUp"
# Methods that may be called from any place, in the program.
BESIDE = ("note", "place", "part", "keep", "count", "<init>", "<clinit>", "isNoting", "kept")
BLOBS = re.compile("^StubRoutines") # what a stub is called until it is found
STUB_OF_CALLS = re.compile(r"^(call_stub$|call_stub_stub \(|StubRoutines)") # the second: of 27
# Whose work is done in machine code without a method. The compilers note no place at its call,
# since it is no safepoint, so that the line of its caller is that of another place.
STUB_PARTS = {"copies": re.compile("^jbyte_.*arraycopy"),
              "checksums": re.compile("^updateBytesCRC32")}

LEAST = 2000            # samples of all parts, and of each
LEAST_OF_PART = 50
POINTS = 2.0            # by which a share may differ, and the share of samples of full depth
# Of the samples: every method and line of a stack that is known. What is left is on its way there
# or back, which is no wrong stack: calls, locks, exceptions, notes, code that is thrown away.
EXACT = 0.75
EXACT_OF_PART = 0.5
EXACT_OF = {"exceptions": 0.2, "deopts": 0.4, "adapters": 0.1,
            "stores": 0.05} # C2 may say where its array was made
STRANGE_MAX = 0.005     # of the samples: stacks that cannot be
NAMELESS_MAX = 0.01     # likewise: a frame is without a name; the budget of METHOD records
LOST_MAX = 0.005        # likewise: stubs that the caller of the parts has called, as it seems
WHOLE_LEAST = 0.998 # of a few thousand samples; the goal is 99.9 % of all
CUT_EXPECTED = ("exec", "exiting", "no_table")
# As tests/integration/python/truth_check.py says: time that a hypervisor takes.
SMALL, STOLEN_MAX = 200, 0.01
STUB_LEAVES = 0.5       # of a stub part's samples, where it was compiled: the leaf is a stub
NAMED = 0.9             # of the samples in stubs, where these have names of their own
# What stands between a method of C and the one that it has called back, in this order.
BETWEEN = {
    "TruthProgram.compared": ["^Java_TruthProgram_nativeSort", "qsort|msort", "^compare_in_java",
                              STUB_OF_CALLS.pattern],
    "TruthProgram.alternate": ["^Java_TruthProgram_alternateNative", STUB_OF_CALLS.pattern],
}


def known(text):
    name, file, line = PLACE.match(text).groups()
    return name, file or "", int(line or 0)


def methods_of(frames):
    """(name, file, line) as `known` has it: a native method has no line, so no place."""
    return [(f.name, f.file if f.line else "", f.line) for f in frames if f.is_method]


class Node:
    """A place that a stack may go through: callees by (name, file, line)."""

    def __init__(self):
        self.callees, self.is_leaf = {}, False

    def add(self, stack):
        node = self
        for place in stack:
            node = node.callees.setdefault(place, Node())
        node.is_leaf = True

    def names(self):
        return {place[0] for place in self.callees}

    def named(self, name):
        return next(node for place, node in self.callees.items() if place[0] == name)


class Part:
    def __init__(self, name, truth):
        self.cpu, self.root = truth["cpu"], Node()
        self.stub = STUB_PARTS.get(name)
        stacks = [tuple(map(known, stack)) for stack in truth["stacks"]]
        stacks = [tuple(m for m in stack if not HIDDEN.search(m[0])) for stack in stacks]
        for stack in stacks:
            self.root.add(ours(stack))
        self.depth = max(map(len, stacks))
        self.samples = self.exact = self.nameless = self.stubs = self.named = self.hidden = 0
        self.strange = collections.Counter()
        self.inexact = collections.Counter()

    def add(self, frames, count):
        """What follows a stack that is known are methods of libraries, or stubs."""
        methods = methods_of(frames)
        stack = ours([m for m in methods if not HIDDEN.search(m[0])])
        self.samples += count
        self.hidden += count * any(HIDDEN.search(m[0]) for m in methods)
        named = bool(self.stub and self.stub.search(frames[-1].name))
        self.named += count * named
        self.stubs += count * (named or bool(BLOBS.search(frames[-1].name)))
        self.nameless += count * any(map(is_nameless_java, frames))
        node, at = self.root, 0
        while at < len(stack) and stack[at] in node.callees:
            node, at = node.callees[stack[at]], at + 1
        rest = stack[at:]
        if self.stub and rest and rest[0][0] in node.names():
            node, rest = node.named(rest[0][0]), rest[1:]
        if node.is_leaf and not any(map(is_strange, rest)):
            self.exact += count
            return True
        if rest and rest[0][0] in node.names():
            rest = rest[1:] # on its way to the line that works, or back
        strange = any(map(is_strange, rest))
        (self.strange if strange else self.inexact)[stack[-6:]] += count
        return False


def is_program(m):
    return m[0].startswith(PROGRAM)


def is_strange(m):
    """Where no stack is known that has it."""
    return is_program(m) and m[0].rsplit(".", 1)[1] not in BESIDE


def ours(stack):
    """From the outermost method of the program on: what is before it is the thread's."""
    first = next((i for i, m in enumerate(stack) if is_program(m)), len(stack))
    return tuple(stack[first:])


class Lost:
    """Stacks that end in `part` and a stub: it calls some, but whose frames are lost seem to have
    been called by it, too."""

    def __init__(self):
        self.stubs = collections.Counter()

    def add(self, frames, count):
        methods = [i for i, f in enumerate(frames) if f.is_method]
        if methods and frames[methods[-1]].name == PROGRAM + ".part":
            for f in frames[methods[-1] + 1:methods[-1] + 2]:
                self.stubs[f.name] += count

    def check(self, total):
        print("  %d stacks end in `part` and machine code: %s" % (sum(self.stubs.values()),
                                                                  self.stubs.most_common(3)))
        check(sum(self.stubs.values()) <= LOST_MAX * total, "frames are lost before stubs: %s" %
              self.stubs.most_common(3))


class Between:
    """The frames of machine code in stacks whose methods are all right."""

    def __init__(self):
        self.seen, self.wrong = collections.Counter(), collections.Counter()
        self.stubs = collections.Counter() # that call the first method

    def say(self, frames, what, count):
        self.wrong["%s: %s" % (what, " > ".join(f.name for f in frames))] += count

    def add(self, frames, count):
        places = [i for i, f in enumerate(frames) if f.is_method]
        if places[0] == 0 or not STUB_OF_CALLS.search(frames[places[0] - 1].name):
            self.say(frames[:places[0] + 1], "no stub calls the first method", count)
        else:
            self.stubs[frames[places[0] - 1].name] += count
        for caller, called in zip(places, places[1:]):
            name, native = frames[called].name, frames[caller + 1:called]
            if native:
                self.seen[name] += count
                self.add_call(frames[caller:called + 1], BETWEEN.get(name, ["\0"]), count)
            elif name == "TruthProgram.compared":
                self.say(frames[caller:called + 1], "no C", count)

    def add_call(self, frames, patterns, count):
        left = list(patterns)
        for f in frames[1:-1]:
            if left and re.search(left[0], f.name):
                left.pop(0)
        if left:
            self.say(frames, "without %s" % left[0], count)

    def check(self, stubs):
        print("  called by C: %s; the first one by: %s" % (dict(self.seen), dict(self.stubs)))
        check(stubs != "named" or sum(count for name, count in self.stubs.items() if
                                      not BLOBS.search(name)) >=
              NAMED * sum(self.stubs.values()),
              "call_stub has seldom its own name: %s" % self.stubs)
        missing = [name for name in BETWEEN if not self.seen[name]]
        check(not missing, "never seen called by C: %s" % missing)
        total = sum(self.wrong.values())
        check(total <= STRANGE_MAX * sum(self.seen.values()),
              "%d are called in another way: %s" % (total, self.wrong.most_common(3)))


def check_whole(stacks):
    total, cut, stolen, sample = 0, 0, 0, collections.Counter()
    for stack in stacks:
        total += stack.count
        if stack.cut == "time" and len(stack.frames) < SMALL:
            stolen += stack.count
        elif stack.cut and stack.cut not in CUT_EXPECTED:
            cut += stack.count
            names = [f.name for f in stack.frames]
            sample["%s, %s, %d frames: %s" % (stack.cut, stack.comm, len(names),
                                              names[:3] + names[-3:])] += stack.count
    print("FIGURE java whole: %d of %d samples are whole, %.3f %%, and %d of few frames are cut "
          "for time | %.1f %%" %
          (total - cut - stolen, total, 100 - 100 * cut / max(total, 1), stolen, 100 * WHOLE_LEAST))
    check(total - cut >= WHOLE_LEAST * total, "%d of %d stacks are cut: %s" %
          (cut, total, sample.most_common(4)))
    check(stolen <= 1 + STOLEN_MAX * total, "%d of %d stacks are cut for time" % (stolen, total))


def check_part(name, part, mode, stubs):
    check(part.samples >= LEAST_OF_PART, "%s: only %d samples" % (name, part.samples))
    check(part.exact >= EXACT_OF.get(name, EXACT_OF_PART) * part.samples,
          "%s: of %d samples %d have all methods and lines; without: %s" %
          (name, part.samples, part.exact, (part.strange + part.inexact).most_common(3)))
    if name in STUB_PARTS and mode != "interpreter":
        check(part.stubs >= STUB_LEAVES * part.samples, "%s: only %d of %d samples are in stubs" %
              (name, part.stubs, part.samples))
        check(stubs != "named" or part.named >= NAMED * part.stubs, "%s: only %d of %d samples "
              "in stubs have the name of one" % (name, part.named, part.stubs))
    if name == "lambdas":
        check(part.hidden >= part.exact, "lambdas: only %d of %d samples show the class of one" %
              (part.hidden, part.samples))


def check_parts(parts, mode, stubs):
    samples = sum(part.samples for part in parts.values())
    cpu = sum(part.cpu for part in parts.values())
    worst, worst_name, wrong = 0.0, "", []
    check(samples >= LEAST, "only %d samples" % samples)
    for name, part in sorted(parts.items()):
        share, truth = 100.0 * part.samples / samples, 100.0 * part.cpu / cpu
        print("  %-16s %5d samples, %5d exact, %4d in stubs, %3d strange; %5.2f %%, by itself "
              "%5.2f %%; %4d deep" %
              (name, part.samples, part.exact, part.stubs, sum(part.strange.values()), share, truth,
               part.depth))
        if abs(share - truth) >= worst:
            worst, worst_name = abs(share - truth), name
        try:
            check_part(name, part, mode, stubs)
        except Wrong as found:
            wrong.append(str(found))
    exact = sum(part.exact for part in parts.values())
    nameless_ = sum(part.nameless for part in parts.values())
    strange = sum((part.strange for part in parts.values()), collections.Counter())
    print("FIGURE java truth: %s | %d samples | the share of %s differs by %.2f points, no other "
          "by more; %.2f %% have every method and line, %d are strange, %d have a frame without a "
          "name | 2 points" % (mode, samples, worst_name, worst, 100.0 * exact / samples,
                               sum(strange.values()), nameless_))
    for stack, count in strange.most_common(3):
        print("  strange, %d: %s" % (count, " > ".join("%s:%d" % (m[0], m[2]) for m in stack)))
    check(not wrong, "; ".join(wrong))
    check(exact >= EXACT * samples, "only %d of %d samples are exact" % (exact, samples))
    check(worst <= POINTS, "%s differs by %.2f points" % (worst_name, worst))
    check(sum(strange.values()) <= STRANGE_MAX * samples, "no such stacks: %s" %
          strange.most_common(3))
    check(nameless_ <= NAMELESS_MAX * samples, "%d of %d samples have a frame without a name" %
          (nameless_, samples))


def main(truth_path, otlp_path, mode, stubs, others="\0"):
    with open(truth_path, encoding="utf-8") as file:
        parts = {"%s.%s" % (PROGRAM, name): Part(name, truth)
                 for name, truth in json.load(file).items()}
    stacks = [stack for stack in java_stacks.read(otlp_path) if not stack.comm.startswith(others)]
    between, lost = Between(), Lost()
    for stack in stacks:
        mine = [f.name for f in stack.frames if f.name in parts]
        if not mine and not stack.cut:
            lost.add(stack.frames, stack.count)
        if mine and mine[0] != WARM_UP and not stack.cut and \
                parts[mine[0]].add(stack.frames, stack.count):
            between.add(stack.frames, stack.count)
    del parts[WARM_UP]
    parts = {name[len(PROGRAM) + 1:]: part for name, part in parts.items()}
    wrong = 0
    for step in (lambda: check_whole(stacks), lambda: check_parts(parts, mode, stubs),
                 lambda: between.check(stubs),
                 lambda: lost.check(sum(part.samples for part in parts.values()))):
        try:
            step()
        except Wrong as found:
            print("  WRONG: %s" % found)
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
