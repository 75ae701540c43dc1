#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_config - `tidemark config`: what it prints where, and its exit codes
#
# usage: test_config.py TIDEMARK
import re
import subprocess
import sys
import tempfile

failed = False


def run(*arguments):
    return subprocess.run([sys.argv[1], "config", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong)
        failed = True


def expect(arguments, code, out, error):
    """Patterns of the whole of both outputs."""
    ended = run(*arguments)
    claim(ended.returncode == code, f"{arguments}: exit code {ended.returncode}, not {code}")
    claim(re.fullmatch(out, ended.stdout, re.S), f"{arguments}: {ended.stdout!r}")
    claim(re.fullmatch(error, ended.stderr, re.S), f"{arguments}: {ended.stderr!r}")


with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/tidemark.conf"
    with open(path, "w", encoding="utf-8") as file:
        file.write("# mine\nTIDEMARK_INTERVAL_MS=1000\n")
    expect(["--check", path], 0, f"{path}: nothing is wrong\n", "")
    expect([path], 0, f".*\nTIDEMARK_RATE=19 +default +restart collector symbolizer\n.*"
           f"\nTIDEMARK_INTERVAL_MS=1000 +{path}:2 +reload symbolizer\n.*"
           "has been done since:\nsystemctl reload tidemark-symbolizer\n", "")
    with open(path, "a", encoding="utf-8") as file:
        file.write("TIDEMARK_RING_KIB=64\n")
    expect([path], 0, ".*has been done since:\nsystemctl restart tidemark-collector\n"
           "systemctl reload tidemark-symbolizer\n", "")
    with open(path, "a", encoding="utf-8") as file:
        file.write("TIDEMARK_SPOOL_BYTES=0\n")
    expect([path], 0, ".*has been done since:\nsystemctl restart tidemark-collector "
           "tidemark-symbolizer tidemark-spool\n", "")
    with open(path, "a", encoding="utf-8") as file:
        file.write("TIDEMARK_RATE=0\nTIDEMARK_RAT=\n")
    problems = f"{path}:5: TIDEMARK_RATE: 0 is not from 1 to 10000\n" \
               f"{path}:6: TIDEMARK_RAT: no such key; the nearest one is TIDEMARK_RATE\n"
    expect(["--check", path], 1, "", problems)
    expect([path], 1, f".*\nTIDEMARK_RATE=0 +{path}:5 .*", problems)
    expect(["--check", f"{folder}/none"], 1, "", ".*none: cannot be read: No such file.*")
    expect(["--check", folder], 1, "", ".*: cannot be read: Is a directory\n")
    expect(["--chek", path], 2, "", ".*--chek is not an option of config.*")
    expect([path, path], 2, "", ".*config takes one file, not 2.*")
    expect(["--help"], 0, "tidemark config .*TIDEMARK_RATE.*Exit code.*", "")

sys.exit(failed)
