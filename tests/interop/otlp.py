#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otlp - the OTLP requests contain what the report does, and nothing that a receiver refuses

otlp.py MAKE_REPORT
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import otlp # pylint: disable=wrong-import-position

CASES = ("tiny", "hostile", "truncated", "inlined", "deep", "large", "kinds", "threads")
PERIOD_NS = 1000000000 // 99


def made(program, name, folder):
    """(samples that went in, path of a file): of the case."""
    os.mkdir(folder)
    subprocess.run([program, name, folder], check=True)
    with open(os.path.join(folder, "plain.json"), encoding="utf-8") as file:
        plain = json.load(file)
    for sample in plain["samples"]:
        sample["calls"] = [plain["calls"][index] for index in sample["stack"]]
    return plain["samples"]


def wanted_key(sample):
    calls = [(call["name"] or ("" if call["system_name"] else "[unnamed]"), call["system_name"],
              call["source"], call["start_line"], call["line"],
              "kernel" if call["kernel"] else "native") for call in sample["calls"]]
    if sample["stop"] or not calls:
        root = "[truncated: %s]" % sample["stop"] if sample["stop"] else "[no frames]"
        calls.insert(0, (root, "", "", 0, 0, "native"))
    return (sample["pid"], sample["start"], sample["exec_id"], sample["tid"], sample["comm"],
            sample["stop"], sample["state"], sample["kind"], tuple(calls))


def found_key(sample):
    calls = [(*line, place["type"])
             for place in sample["stack"] for line in reversed(place["lines"])]
    resource, thread = sample["resource"], sample["attributes"]
    return (resource["process.pid"], resource["tidemark.process.start"],
            resource["tidemark.process.exec_id"], thread["thread.id"],
            thread.get("thread.name", ""), thread.get("tidemark.truncated", ""),
            thread.get("tidemark.thread.state", ""),
            int(sample["types"] == otlp.OFF_CPU), tuple(calls))


def compare(name, samples, requests):
    wanted, found = collections.Counter(), collections.Counter()
    for sample in samples:
        value = sample["value"] if sample["kind"] else round(sample["value"] / PERIOD_NS)
        wanted[wanted_key(sample)] += value
    for request in requests:
        for sample in request.samples:
            found[found_key(sample)] += sample["value"]
            otlp.check(sample["profile"]["tidemark.completeness"].startswith("taken "),
                       "it does not say how complete it is")
            otlp.check(sample["period"] in (0, PERIOD_NS), "the period is %d" % sample["period"])
    missing, more = wanted - found, found - wanted
    otlp.check(not missing and not more, "%s: missing %s, beyond %s" %
               (name, list(missing.items())[:2], list(more.items())[:2]))
    print("%s: %d samples in %d requests" % (name, len(found), len(requests)))


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        for name in CASES:
            folder = os.path.join(work, name)
            samples = made(program, name, folder)
            compare(name, samples, [otlp.read(os.path.join(folder, "out.otlp"))])
            parts = sorted(file for file in os.listdir(folder) if file.startswith("part."))
            otlp.check(parts, "%s has no parts" % name)
            requests = [otlp.read(os.path.join(folder, file)) for file in parts]
            otlp.check(len(parts) > 1 or len(samples) == 1, "%s is one part" % name)
            compare(name, samples, requests)
        made(program, "empty", os.path.join(work, "empty"))
        otlp.check(os.path.getsize(os.path.join(work, "empty", "out.otlp")) == 0,
                   "a report without samples is a request")


main()
