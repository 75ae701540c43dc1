# SPDX-License-Identifier: Apache-2.0
"""truth_program - calls functions of all kinds; writes each one's stacks and CPU time, as it knows

usage: truth_program.py FILE SECONDS RECURSION ALTERNATIONS
FILE gets JSON: {part: {"cpu": seconds, "stacks": [["function (file:line)", outermost first]]}}.
SECONDS is the CPU time of each part, which its innermost function `burn` uses on one line.
RECURSION and ALTERNATIONS: how deep the stacks of these parts are, in calls, and in calls of C that
call Python.
"""
import asyncio
import ctypes
import functools
import json
import os
import sys
import threading
import time

PARTS, PART = {}, threading.local()
SECONDS, RECURSION, ALTERNATIONS = float(sys.argv[2]), *map(int, sys.argv[3:])
WORK = range(50)


def place(code, line):
    name = getattr(code, "co_qualname", code.co_name) # qualified from 3.11 on
    return "%s (%s:%d)" % (name, os.path.basename(code.co_filename), line)


def burn(share=1.0):
    frame, stack = sys._getframe(1), []
    end = time.thread_time() + share * SECONDS
    while time.thread_time() < end: sum(WORK); sum(WORK); sum(WORK)  # noqa: E701,E702
    while frame:
        stack.append(place(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    PART.stacks.add(tuple(reversed(stack)))


BURN = place(burn.__code__, burn.__code__.co_firstlineno + 3)


def part(function, *arguments):
    PART.stacks, begin = set(), time.thread_time()
    function(*arguments)
    PARTS[function.__name__] = {
        "cpu": time.thread_time() - begin,
        "stacks": [list(stack) + [BURN] for stack in sorted(PART.stacks)]}


# --- one function in another, in each way ---------------------------------------------------------

def warm_up():
    burn(3)


def recursion(depth=RECURSION):
    if depth:
        recursion(depth - 1)
    else:
        burn()


class Methods:
    def __init__(self):
        self.made()

    def made(self):
        burn(0.1)

    def plain(self):
        burn(0.2)

    @staticmethod
    def static():
        burn(0.1)

    @classmethod
    def of_class(cls):
        burn(0.1)

    @property
    def attribute(self):
        return burn(0.1)

    def __getattr__(self, name):
        burn(0.1)
        return name

    def __call__(self):
        burn(0.1)

    def __enter__(self):
        burn(0.1)

    def __exit__(self, *_):
        burn(0.1)

    def __getitem__(self, index):
        burn(0.1)
        return index


def methods():
    one = Methods()
    one.plain()
    one.static()
    one.of_class()
    one.attribute
    one.missing
    one()
    with one:
        pass
    one[1]


def lambdas():
    (lambda: (lambda: burn(0.5))())()
    for each in (lambda: burn(0.25), lambda: burn(0.25)):
        each()


def nested_functions():
    def outer(count):
        def inner():
            if count:
                outer(count - 1)
            else:
                burn()
        inner()
    outer(3)


def größe():
    函数()


def 函数():
    𐐀𐐁𐐂()


def 𐐀𐐁𐐂():
    burn()


def names():
    größe()


def generator(count):
    for index in range(count):
        burn(0.5 / count)
        yield index


def delegating(count):
    yield from generator(count)
    yield 1


def generators():
    for index in delegating(10):
        index += 1
    sum(index for index in generator(10))


def comprehensions():
    [burn(0.1) for _ in range(5)]
    {burn(0.1) for _ in range(5)}


async def awaited():
    burn(0.25)
    await asyncio.sleep(0)
    burn(0.25)


async def awaiting():
    await awaited()


async def outermost():
    await asyncio.gather(awaiting(), awaiting())


def coroutines():
    asyncio.run(outermost())


class Failure(Exception):
    pass


def failing(depth):
    try:
        if not depth:
            burn(0.25)
            raise Failure
        failing(depth - 1)
    finally:
        if depth == 2:
            burn(0.25)


def exceptions():
    try:
        failing(5)
    except Failure:
        burn(0.5)


# --- Python called from C -------------------------------------------------------------------------

def sort_key(value):
    burn(0.05)
    return value


def sorting():
    sorted(range(20), key=sort_key)


def map_item(value):
    burn(0.1)
    return value


def mapping():
    list(map(map_item, range(10)))


def reduce_step(sum_so_far, value):
    burn(0.1)
    return sum_so_far + value


def reducing():
    functools.reduce(reduce_step, range(10), 0)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(one, other):
    burn(1 / 28)
    return one[0] - other[0]


def qsort():
    values = (ctypes.c_int * 16)(*range(16))
    ctypes.CDLL(None).qsort(values, 16, ctypes.sizeof(ctypes.c_int), compare)


def alternate(left, *_):
    if not left:
        burn()
    elif left % 3 == 0:
        sorted([left - 1], key=alternate)
    elif left % 3 == 1:
        list(map(alternate, [left - 1]))
    else:
        functools.reduce(reduced, [left - 1], None)


def reduced(_, value):
    alternate(value)


def alternations():
    alternate(ALTERNATIONS)


def long_body():
    """A function whose call lies in a further part of its line table (TM_METHOD_LINES_MAX)."""
    space = {"burn": burn}
    text = "def long_body():\n" + " x = 1\n" * 5000 + " burn()\n"
    exec(compile(text, __file__, "exec"), space)
    return space["long_body"]


LONG_BODY = long_body()


def long_function():
    LONG_BODY()


# --- threads --------------------------------------------------------------------------------------

def own_function(index):
    """A function that nobody else has, one line further down for each."""
    name = "thread_%d" % index
    space = {"burn": burn}
    text = "\n" * (1000 + index) + "def %s():\n burn(0.5)\n" % name
    exec(compile(text, __file__, "exec"), space)
    return space[name]


def threads():
    started = [threading.Thread(target=part, args=[own_function(i)]) for i in range(8)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


if __name__ == "__main__":
    sys.setrecursionlimit(3000)
    for each in (warm_up, methods, lambdas, nested_functions, names, generators, comprehensions,
                 coroutines, exceptions, sorting, mapping, reducing, qsort):
        part(each)
    threads()
    part(long_function)
    part(recursion)
    part(alternations)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(PARTS, file)
