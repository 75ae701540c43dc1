# SPDX-License-Identifier: Apache-2.0
"""py_spy_program - the same work each time, in six functions; says what CPU time each one had

py_spy_program.py FACTOR: waits for a line on its input; then prints JSON {"seconds": of wall time,
"parts": {function: CPU seconds}}.
"""
import functools
import json
import re
import sys
import time

FACTOR = float(sys.argv[1])
TEXT = json.dumps({"key %d" % i: [i, {"name": "value %d" % i}] for i in range(50)})


def times(count):
    return range(int(FACTOR * count))


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def recursing():
    for _ in times(150):
        fibonacci(19)


def parsing():
    for _ in times(2400):
        json.loads(TEXT)


def matching():
    for _ in times(1400):
        re.sub("[a-z]+", lambda found: found.group().upper(), TEXT)


def sort_key(value):
    return value * 7919 % 1009


def sorting():
    for _ in times(500):
        sorted(range(2000), key=sort_key)


def numbers(count):
    for number in range(count):
        yield number * number


def generating():
    for _ in times(500):
        sum(numbers(6000))


def adding():
    for _ in times(300):
        functools.reduce(lambda one, other: one + other, range(9000))


def main():
    parts, begin = {}, time.monotonic()
    for part in (recursing, parsing, matching, sorting, generating, adding):
        before = time.thread_time()
        part()
        parts[part.__name__] = time.thread_time() - before
    json.dump({"seconds": time.monotonic() - begin, "parts": parts}, sys.stdout)


sys.stdin.readline()
main()
