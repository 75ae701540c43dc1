#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_python_lines - lines of functions are those that CPython itself says

test_python_lines.py PROGRAM: python_lines_program. TM_SEED=N repeats the choice of modules.
Functions of the standard library are compiled by the Python that runs this, 3.6 or later; its
table is compared, and tables in older encodings that are made here of the same lines.
"""
import dis
import os
import random
import struct
import subprocess
import sys
import sysconfig

MODULES = 60
VERSION = sys.version_info[0] << 8 | sys.version_info[1]


def functions_of(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from functions_of(constant)


def lines_of(code):
    """The line of each code unit; 0: none."""
    count = len(code.co_code)
    lines = [0] * (count // 2)
    if VERSION >= 0x030a:
        spans = list(code.co_lines())
    else:
        starts = list(dis.findlinestarts(code))
        ends = [start for start, _ in starts[1:]] + [count]
        spans = [(start, end, line) for (start, line), end in zip(starts, ends)]
    for start, end, line in spans:
        lines[start // 2:end // 2] = [line or 0] * ((end - start) // 2)
    return lines


def runs(lines):
    """[line, bytes of code]"""
    found = []
    for line in lines:
        if found and found[-1][0] == line:
            found[-1][1] += 2
        else:
            found.append([line, 2])
    return found


def increments(lines, first):
    """co_lnotab, as to 3.9: (bytes that went before, lines more)"""
    table, last, before = bytearray(), first, 0
    for line, count in runs(lines):
        while before > 255:
            table += bytes((255, 0))
            before -= 255
        while line != last:
            step = max(-128, min(127, line - last))
            table += struct.pack("Bb", before, step)
            last, before = last + step, 0
        before += count
    return bytes(table)


def ranges(lines, first):
    """co_linetable of 3.10: (bytes of the range, lines more)"""
    table, last = bytearray(), first
    for line, count in runs(lines):
        while line and abs(line - last) > 127:
            step = max(-127, min(127, line - last))
            table += struct.pack("Bb", 0, step)
            last += step
        delta = line - last if line else -128
        while count > 254:
            table += struct.pack("Bb", 254, delta)
            count, delta = count - 254, 0 if line else -128
        table += struct.pack("Bb", count, delta)
        last = line or last
    return bytes(table)


def cases_of(code):
    lines, first = lines_of(code), code.co_firstlineno
    yield VERSION, first, code.co_linetable if VERSION >= 0x030a else code.co_lnotab, lines
    yield 0x030a, first, ranges(lines, first), lines
    if all(lines):
        yield 0x0309, first, increments(lines, first), lines


def modules():
    folder = sysconfig.get_paths()["stdlib"]
    names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    seed = int(os.environ.get("TM_SEED", random.SystemRandom().randrange(1 << 32)))
    print("TM_SEED=%d" % seed)
    for name in random.Random(seed).sample(names, min(MODULES, len(names))):
        with open(os.path.join(folder, name), "rb") as file:
            yield compile(file.read(), name, "exec", dont_inherit=True)


def main():
    cases = [case for module in modules() for code in functions_of(module)
             for case in cases_of(code)]
    asked = b"".join(struct.pack("IIII", version, first, len(table), len(lines)) + table
                     for version, first, table, lines in cases)
    answer = subprocess.run([sys.argv[1]], input=asked, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for version, first, table, lines in cases:
        found = list(struct.unpack_from("%dI" % len(lines), answer, at))
        at += 4 * len(lines)
        if found != lines:
            sys.exit("version %x, first line %d, table %s:\n%s\nbut it is\n%s" %
                     (version, first, table.hex(), found, lines))
    assert at == len(answer)
    versions = {version for version, *_ in cases}
    print("%d functions, %d of them with 1000 code units or more, versions %s" %
          (len(cases), sum(len(lines) >= 1000 for *_, lines in cases),
           " ".join(sorted(map(hex, versions)))))


main()
