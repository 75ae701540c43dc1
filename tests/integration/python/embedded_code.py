# SPDX-License-Identifier: Apache-2.0
"""embedded_code - what the program `embedded` calls in the interpreter that it has loaded"""
import burning


def called(depth):
    if depth:
        called(depth - 1)
    else:
        burning.burn()


def main_part():
    called(3)


def thread_part():
    called(2)


def subinterpreter_part():
    called(1)
