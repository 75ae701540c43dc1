# SPDX-License-Identifier: Apache-2.0
"""endless_program - makes a function, calls it, and forgets it, again and again

usage: endless_program.py COUNT - the function `made_N` begins on line N % 1000 + 1, and works on
the next one
"""
import sys

TEXT = "def made_%d(n):\n return sum(range(n))\n"


def make(number):
    space = {}
    exec(compile("\n" * (number % 1000) + TEXT % number, __file__, "exec"), space)
    return space["made_%d" % number]


for made in range(int(sys.argv[1])):
    make(made)(5000)
