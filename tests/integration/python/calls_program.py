# SPDX-License-Identifier: Apache-2.0
"""calls_program - has C functions call short functions of its own, so that many of its samples are
taken where one of these begins or returns

usage: calls_program.py SECONDS - of CPU time, for each way to call
"""
import functools
import sys
import time

VALUES = list(range(2000))


def key(value):
    return value


def sorting():
    sorted(VALUES, key=key)


def numbers():
    yield from VALUES


def summing():
    sum(numbers())


def add(left, right):
    return left + right


def reducing():
    functools.reduce(add, VALUES)


def run(call):
    end = time.thread_time() + float(sys.argv[1])
    while time.thread_time() < end:
        call()


for each in (sorting, summing, reducing):
    run(each)
