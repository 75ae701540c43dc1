#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_man - the manual pages say what --help says, and mandoc finds nothing wrong in them
#
# usage: test_man.py TIDEMARK PAGE...; without mandoc: 77, once everything else holds.
import os
import re
import shutil
import subprocess
import sys

tidemark, pages = sys.argv[1], {os.path.basename(path): path for path in sys.argv[2:]}
failed = False


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong)
        failed = True


def printed(*arguments):
    return subprocess.run([tidemark, *arguments], stdout=subprocess.PIPE, check=True,
                          text=True).stdout


def text_of(page):
    with open(pages[page], encoding="utf-8") as file:
        return file.read()


def options_of_help(text):
    """-d and --duration of the lines that begin with an option."""
    found = set()
    for line in re.findall(r"^ {2,6}(-.*)", text, re.M):
        head = re.match(r"(-\w|--[a-z-]*)( [A-Z=]+)?(, (-\w|--[a-z-]+)( [A-Z=]+)?)*", line)[0]
        found.update(re.findall(r"--?[a-zA-Z-]*", head))
    return found - {"--"}


def options_of_page(text):
    found = set()
    for line in re.findall(r"^\.It (Fl .*)", text, re.M):
        found.update("-" + name for name in re.findall(r"\bFl (\S+)", line))
    return found - {"--"}


def same_options(command):
    said, written = options_of_help(printed(command, "--help")), \
        options_of_page(text_of(f"tidemark-{command}.1"))
    claim(len(said) >= 3, f"{command} --help has only {said}")
    claim(said == written, f"only in {command} --help: {sorted(said - written)}; "
                           f"only in the page: {sorted(written - said)}")


def same_keys():
    text = printed("config", "--help")
    keys = re.findall(r"^  (TIDEMARK_\w+) .*\n +(.*); default (.*)", text, re.M)
    paragraphs = dict(re.findall(r"^\.It Ev (\w+)\n(.*?)(?=^\.It|^\.El)",
                                 text_of("tidemark.conf.5"), re.M | re.S))
    services = dict(re.findall(r"^(TIDEMARK_\w+)=\S* +default +(.*)$",
                               printed("config", "/dev/null"), re.M))
    claim({key for key, _, _ in keys} == set(paragraphs),
          f"keys: {sorted(paragraphs)}, not {sorted(key for key, _, _ in keys)}")
    claim(len(keys) > 5, "config --help shows no keys")
    for key, limits, default in keys:
        words = set(re.findall(r"[\w/]+", paragraphs.get(key, "")))
        for word in [default, *re.findall(r"\d\d+", limits), *services[key].split()]:
            claim(word in words, f"{key}: the page has no {word}")


def same_commands():
    said = set(re.findall(r"^  tidemark (\w+)", printed("--help"), re.M)) | {"help"}
    written = set(re.findall(r"^\.It Cm (\w+)", text_of("tidemark.1"), re.M))
    claim(said == written, f"commands: {sorted(written)}, not {sorted(said)}")


def no_warnings():
    for path in pages.values():
        lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True)
        claim(lint.returncode == 0 and not lint.stdout, lint.stdout)


for each in sorted(pages):
    if each.startswith("tidemark-"):
        same_options(each[len("tidemark-"):-len(".1")])
same_keys()
same_commands()
if shutil.which("mandoc"):
    no_warnings()
elif not failed:
    print("mandoc is not there")
    sys.exit(77)
sys.exit(failed)
