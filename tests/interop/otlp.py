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

CASES = ("tiny", "hostile", "truncated", "inlined", "deep", "large", "kinds", "threads",
         "resources", "runtimes")
PERIOD_NS = 1000000000 // 99
# What a process is, by the resources that say it; else its samples do.
OF_CONTAINER = {"container.id": "container", "k8s.pod.uid": "pod"}
OF_PROCESS = {"tidemark.process.comm": "process", "process.pid": "pid",
              "process.executable.path": "exe", "process.linux.cgroup": "cgroup",
              "tidemark.process.start": "start",
              "tidemark.process.exec_id": "exec_id"}
OF_THREAD = {"thread.id": "tid", "thread.name": "comm", "tidemark.truncated": "stop",
             "tidemark.thread.state": "state"}
GIVEN = {"host.name": "testhost", "deployment.environment.name": "a=b"}


def made(program, name, folder):
    """(samples that went in, path of a file): of the case."""
    os.mkdir(folder)
    subprocess.run([program, name, folder], check=True)
    with open(os.path.join(folder, "plain.json"), encoding="utf-8") as file:
        plain = json.load(file)
    for sample in plain["samples"]:
        sample["calls"] = [plain["calls"][index] for index in sample["stack"]]
    return plain["samples"]


def base(path):
    return path.rsplit("/", 1)[-1] or path


def service(sample):
    """The rules of otlp_services.h, for the cgroups of the cases."""
    if sample["kernel_thread"]:
        return "kernel"
    if "/_web@1.service/" in sample["cgroup"] and not sample["container"]:
        return "web@1"
    return base(sample["exe"]) or "unknown_service"


def wanted_facts(sample, grouping):
    """(of the resource, with the sample)"""
    known = {key: sample[of] for key, of in {**OF_CONTAINER, **OF_PROCESS}.items()
             if sample[of] != ""}
    if sample["exe"]:
        known["process.executable.name"] = base(sample["exe"])
    wide = {"process": known, "service": {}, "named": {},
            "container": {key: known[key] for key in OF_CONTAINER if key in known}}[grouping]
    name = "everything" if grouping == "named" else service(sample)
    thread = {key: sample[of] for key, of in OF_THREAD.items() if sample[of] != ""}
    return ({"service.name": name, **wide},
            {**thread, **{key: value for key, value in known.items() if key not in wide}})


def wanted_type(call):
    if call["kernel"]:
        return "kernel"
    if call["runtime"]:
        return call["runtime"]
    is_go = call["go_build_id"] and "." in call["system_name"] and not call["unnamed"]
    return "go" if is_go else "native"


def wanted_file(call):
    """(path of the mapping, its ids, path of a file that is no mapping)"""
    if call["kernel_file"] or not call["htlhash"] or call["file"].startswith("["):
        return ("", (), call["file"])
    return (call["file"], tuple(call[of] for of in ("htlhash", "build_id", "go_build_id")), "")


def found_file(place):
    ids = place["mapping"]["attributes"]
    ids = tuple(ids.get(otlp.BUILD_ID + kind, "") for kind in ("htlhash", "gnu", "go"))
    return (place["mapping"]["path"], ids if any(ids) else (), place["path"])


def wanted_call(call):
    """Made once: many samples share a call."""
    if "wanted" not in call:
        call["wanted"] = (call["name"] or ("" if call["system_name"] else "[unnamed]"),
                          call["system_name"], call["source"], call["start_line"], call["line"],
                          wanted_type(call), wanted_file(call))
    return call["wanted"]


def found_calls(place):
    if "found" not in place:
        file = found_file(place)
        place["found"] = [(*line, place["type"], file) for line in reversed(place["lines"])]
    return place["found"]


def wanted_key(sample, grouping):
    calls = [wanted_call(call) for call in sample["calls"]]
    if sample["stop"] or not calls:
        root = "[truncated: %s]" % sample["stop"] if sample["stop"] else "[no frames]"
        calls.insert(0, (root, "", "", 0, 0, "native", ("", (), "")))
    facts = wanted_facts(sample, grouping)
    return (*(tuple(sorted(part.items())) for part in facts), sample["kind"], tuple(calls))


def found_key(sample, given):
    calls = [call for place in sample["stack"] for call in found_calls(place)]
    resource = dict(sample["resource"])
    for key, value in given.items():
        otlp.check(resource.pop(key, None) == value, "a resource does not say %s" % key)
    # What the value does not say is for `tidemark view`: tests/unit/viewer.
    said = {key: value for key, value in sample["attributes"].items()
            if not key.startswith("tidemark.sample.")}
    return (tuple(sorted(resource.items())), tuple(sorted(said.items())),
            int(sample["types"] == otlp.OFF_CPU), tuple(calls))


def compare(name, samples, requests, grouping="process", given=None):
    wanted, found = collections.Counter(), collections.Counter()
    for sample in samples:
        value = sample["value"] if sample["kind"] else round(sample["value"] / PERIOD_NS)
        wanted[wanted_key(sample, grouping)] += value
    for request in requests:
        for sample in request.samples:
            found[found_key(sample, given or {})] += sample["value"]
            otlp.check(sample["profile"]["tidemark.completeness"].startswith("taken "),
                       "it does not say how complete it is")
            otlp.check(sample["period"] in (0, PERIOD_NS), "the period is %d" % sample["period"])
    if wanted != found:
        otlp.check(False, "%s: missing %s, beyond %s" %
                   (name, list((wanted - found).items())[:2], list((found - wanted).items())[:2]))
    print("%s: %d samples in %d requests" % (name, len(found), len(requests)))


def check_groupings(name, samples, folder):
    for grouping in ("process", "container", "service", "named"):
        request = otlp.read(os.path.join(folder, grouping + ".otlp"))
        compare("%s by %s" % (name, grouping), samples, [request], grouping, GIVEN)
        kinds = len({sample["kind"] for sample in samples})
        wanted = {wanted_key(sample, grouping)[0] for sample in samples}
        otlp.check(len(request.message["resource_profiles"]) == len(wanted),
                   "%d resources and not %d" %
                   (len(request.message["resource_profiles"]), len(wanted)))
        otlp.check(all(len(part["scope_profiles"][0]["profiles"]) <= kinds
                       for part in request.message["resource_profiles"]), "too many profiles")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        for name in CASES:
            folder = os.path.join(work, name)
            samples = made(program, name, folder)
            compare(name, samples, [otlp.read(os.path.join(folder, "out.otlp"))])
            if name != "large":
                check_groupings(name, samples, folder)
            parts = sorted(file for file in os.listdir(folder) if file.startswith("part."))
            otlp.check(parts, "%s has no parts" % name)
            requests = [otlp.read(os.path.join(folder, file)) for file in parts]
            otlp.check(len(parts) > 1 or len(samples) == 1, "%s is one part" % name)
            compare(name, samples, requests)
        made(program, "empty", os.path.join(work, "empty"))
        otlp.check(os.path.getsize(os.path.join(work, "empty", "out.otlp")) == 0,
                   "a report without samples is a request")


main()
