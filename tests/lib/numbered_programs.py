# SPDX-License-Identifier: Apache-2.0
"""numbered_programs - writes numbered copies of the program `life`, each with its own function name

numbered_programs.py LIFE DIRECTORY COUNT [FIRST]
FIRST: the number of the first one, 1 if not given: so that what runs beside has others.
"""
import os
import sys


def main():
    template, directory, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with open(template, "rb") as file:
        image = file.read()
    mark = b"own_function_000000"
    if image.count(mark) < 1:
        sys.exit("numbered_programs.py: %s has no symbol own_function_000000" % template)
    for number in range(first, first + count):
        path = os.path.join(directory, "program-%06d" % number)
        with open(path, "wb") as file:
            file.write(image.replace(mark, b"own_function_%06d" % number))
        os.chmod(path, 0o755)


main()
