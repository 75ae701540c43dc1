# SPDX-License-Identifier: Apache-2.0
"""short_program - works as fresh scripts do: imports, then many functions once, some often

usage: short_program.py MS [FILE] - for so much CPU time; with FILE, until that exists
"""
import argparse
import json
import os
import sys
import time


def worker(index):
    """One of 64 functions, on one line each."""
    space = {}
    exec(compile("\n" * index + "def worker_%d(n): return sum(range(n))" % index, __file__,
                 "exec"), space)
    return space["worker_%d" % index]


WORKERS = [worker(index) for index in range(64)]


def parse(text):
    return json.loads(json.dumps(json.loads(text)))


def work(round_):
    WORKERS[round_ % len(WORKERS)](20000)
    parse('{"key": [1, 2, 3, {"other": "value"}]}')
    argparse.ArgumentParser(prog="short").parse_args([])


def main(milliseconds, until=None):
    round_ = 0
    while time.process_time() * 1000 < milliseconds or (until and not os.path.exists(until)):
        work(round_)
        round_ += 1


main(int(sys.argv[1]), *sys.argv[2:])
