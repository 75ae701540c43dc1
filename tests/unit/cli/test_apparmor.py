#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# test_apparmor - the AppArmor profiles are valid, and no more generous than the units
#
# usage: test_apparmor.py SYSTEMD-FOLDER ABSTRACTION PROFILE...; nothing is loaded. Without
# apparmor_parser: 77, once everything else holds.
import os
import re
import shutil
import subprocess
import sys
import tempfile

systemd, abstraction, profiles = sys.argv[1], sys.argv[2], sys.argv[3:]
failed = False


def claim(holds, wrong):
    global failed
    if not holds:
        print("WRONG: " + wrong)
        failed = True


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parses(folder):
    for path in profiles:
        ended = subprocess.run(["apparmor_parser", "-Q", "-K", "-T", "-W", "--warn=all",
                                "-I", folder, path], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, check=False, text=True)
        claim(ended.returncode == 0, f"{path}: {ended.stdout}")


def agrees_with_its_unit(path):
    """Capabilities and network, beside CapabilityBoundingSet= and RestrictAddressFamilies=."""
    name, profile = os.path.basename(path), text_of(path)
    unit = f"{systemd}/{name}.service.in"
    if not os.path.exists(unit):  # debuginfod: the command starts it
        return
    allowed = set(re.search("^CapabilityBoundingSet=(.*)", text_of(unit), re.M)[1].split())
    if name == "tidemark-opener":
        allowed |= set(re.search("^CapabilityBoundingSet=(.*)",
                                 text_of(f"{systemd}/private-files.conf"), re.M)[1].split())
    holds = {"CAP_" + word.upper() for word in re.findall(r"^ *capability (\w+),", profile, re.M)}
    claim(holds == allowed, f"{name}: {sorted(holds)}, and its unit {sorted(allowed)}")
    families = set(re.search("^RestrictAddressFamilies=(.*)", text_of(unit), re.M)[1].split())
    inet = set(re.findall(r"^ *network (inet6?) ", profile, re.M))
    claim(inet == {f[3:].lower() for f in families} - {"unix"},
          f"{name}: network {sorted(inet)}, and its unit {sorted(families)}")


for each in profiles:
    agrees_with_its_unit(each)
claim(len(profiles) > 4, "these are not all programs")
if shutil.which("apparmor_parser"):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/abstractions")
        shutil.copy(abstraction, f"{folder}/abstractions/tidemark")
        parses(folder)
elif not failed:
    print("apparmor_parser is not there")
    sys.exit(77)
sys.exit(failed)
