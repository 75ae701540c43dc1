# SPDX-License-Identifier: Apache-2.0
"""burning - uses CPU time at the end of a known stack; TM_TRUTH: the file that gets the stacks"""
import os
import sys
import time

OUTER = []    # what runs this interpreter: frames of another one, outermost first
SECONDS = 0.4
WORK = range(50)


def place(code, line):
    name = getattr(code, "co_qualname", code.co_name) # qualified from 3.11 on
    return "%s (%s:%d)" % (name, os.path.basename(code.co_filename), line)


def stack_of(frame):
    """Outermost first."""
    stack = []
    while frame:
        stack.append(place(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return OUTER + stack[::-1]


def burn():
    """Writes a line: the frames, outermost first, with tabs between."""
    stack = stack_of(sys._getframe(1)) + [BURN]
    file = os.open(os.environ["TM_TRUTH"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(file, ("\t".join(stack) + "\n").encode())
    os.close(file)
    end = time.thread_time() + SECONDS
    while time.thread_time() < end: sum(WORK); sum(WORK); sum(WORK)  # noqa: E701,E702


BURN = place(burn.__code__, burn.__code__.co_firstlineno + 7)
