#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_environment_file - random files are read as systemd itself reads them
#
# usage: test_environment_file.py DUMP; DUMP: the program dump_environment_file. TM_SEED: repeats a
# run. The generator of environment.d(5) prints what systemd's reader, that of EnvironmentFile=,
# makes of a file. It leaves out empty values, and it alone expands variables: such values are not
# compared, nor from systemd 254 on files in which a comment ends in a backslash, which it reads in
# another way since then. Without it: 77.
import os
import random
import re
import subprocess
import sys
import tempfile

GENERATOR = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"
COMMENTS_END = 254  # the version from which on a comment ends with its line
FILES = 250
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
PIECES = ["a", "B", "7", " ", "  ", "\t", "\n", "\n", "\r", "=", "'", '"', "\\", "\\\n", "#", ";",
          "\nTM_A=", "\nTM_B=", "\n TM_C =", "\nTM_D='", '\nTM_E="', "$ ", "`", "/", "_", "é",
          "\\$", "\nTM_F=x\\", "\n#"]


def printed(text):
    """The assignments that the generator printed: KEY=VALUE, or KEY="VALUE" with escapes."""
    found, at = {}, 0
    while at < len(text):
        equals = text.index("=", at)
        key, value, at = text[at:equals], "", equals + 1
        if text[at] == '"':
            at += 1
            while text[at] != '"':
                escaped = text[at] == "\\"
                at += escaped
                value += ESCAPED.get(text[at], text[at]) if escaped else text[at]
                at += 1
            at += 1
        else:
            value = text[at:text.index("\n", at)]
            at += len(value)
        assert text[at] == "\n", text[at:]
        found[key] = value
        at += 1
    return found


def of_systemd(folder):
    out = subprocess.run([GENERATOR], env={"XDG_CONFIG_HOME": folder, "LC_ALL": "C.UTF-8"},
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return {k: v for k, v in printed(out.stdout.decode()).items() if k.startswith("TM_")}


def version():
    out = subprocess.run(["systemctl", "--version"], stdout=subprocess.PIPE, check=True).stdout
    return int(re.search(rb"\d+", out)[0])


def of_tidemark(dump, folder, newer):
    """Its assignments, and the keys that cannot be compared; None: none can."""
    out = subprocess.run([dump, f"{folder}/environment.d/x.conf"], stdout=subprocess.PIPE,
                         check=True).stdout.decode()
    found = {}
    for assignment in out.split("\0")[:-2]:
        if assignment == "#":
            if newer:
                return None
            continue
        key, value = assignment.split("=", 1)
        if re.fullmatch("TM_[A-Za-z0-9_]*", key):
            found.setdefault(key, []).append(value)
    left_out = {key for key, values in found.items()
                if "" in values or re.search(r"\$[^ ]", "".join(values))}
    return {key: found[key][-1] for key in found if key not in left_out}, left_out


def main():
    if not os.access(GENERATOR, os.X_OK):
        print(f"{GENERATOR} is not there")
        return 77
    seed = int(os.environ.get("TM_SEED", random.randrange(1 << 32)))
    print(f"seed: {seed}")
    chance = random.Random(seed)
    compared, newer = 0, version() >= COMMENTS_END
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/environment.d")
        for _ in range(FILES):
            text = "".join(chance.choices(PIECES, k=chance.randint(1, 40)))
            with open(f"{folder}/environment.d/x.conf", "w", encoding="utf-8", newline="") as file:
                file.write(text)
            read = of_tidemark(sys.argv[1], folder, newer)
            if not read:
                continue
            tidemark, left_out = read
            systemd = {key: value for key, value in of_systemd(folder).items()
                       if key not in left_out}
            compared += len(systemd)
            if systemd != tidemark:
                print(f"WRONG: {text!r}\n  systemd:  {systemd}\n  tidemark: {tidemark}")
                return 1
    print(f"{FILES} files, {compared} values")
    if compared < FILES // 2:
        print("WRONG: too few values to prove anything")
        return 1
    return 0


sys.exit(main())
