# SPDX-License-Identifier: Apache-2.0
"""generations_program - forks, and is replaced by exec, with functions of each process

usage: generations_program.py [INTERPRETER]
INTERPRETER: runs this program last. Before, a sub-interpreter runs in a function.
"""
import os
import sys

import burning

try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters as _interpreters


def in_child():
    burning.burn()


def in_parent():
    burning.burn()


def forked():
    child = os.fork()
    if not child:
        in_child()
        os._exit(0)
    in_parent()
    if os.waitpid(child, 0)[1]:
        sys.exit("the child failed")


def subinterpreter():
    text = """
import burning
burning.OUTER = %r
def in_subinterpreter():
    burning.burn()
in_subinterpreter()
"""
    other = _interpreters.create()
    failed = _interpreters.run_string(other, text % burning.stack_of(sys._getframe()))
    if failed:
        sys.exit("in the sub-interpreter: %s" % failed)


def before_exec():
    burning.burn()


def after_exec():
    burning.burn()


if len(sys.argv) > 1:
    forked()
    subinterpreter()
    before_exec()
    os.execv(sys.argv[1], [sys.argv[1], __file__])
after_exec()
