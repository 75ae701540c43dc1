#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""encode_cost - what a report costs as requests of OTLP: CPU time and bytes, beside pprof

usage: encode_cost.py [--rounds N] [--seconds N] [--hz N] BUILD

First a made report of 50,000 different stacks, with 11 to 60 frames each, encoded in one process:
CPU time per 1,000 samples, the median of the rounds, and bytes per sample. Then, as root, a
recording of this host with some programs at work, on and off CPU, as the files of one report: bytes
per sample. Asserts nothing.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import otlp # pylint: disable=wrong-import-position

LEVEL = 3 # of gzip, as the exporter's bodies have it


def encoded(build, rounds):
    program = os.path.join(build, "tests/bench/encode_report")
    listing = subprocess.run([program, str(rounds)], check=True, capture_output=True, text=True)
    print("a made report          samples  stacks  us/1,000 samples  us/1,000 stacks  "
          "bytes/sample  bytes/stack")
    for line in listing.stdout.splitlines():
        name, *numbers = line.split()
        samples, stacks, took, size = map(int, numbers)
        print("  %-18s %9d %7d %17.1f %16.1f %13.2f %12.1f" %
              (name, samples, stacks, 1000 * took / samples, 1000 * took / stacks,
               size / samples, size / stacks))


def recorded(build, seconds, hz):
    programs = os.path.join(build, "tests/integration/programs")
    load = "'%s/hot' 2 %d & '%s/deep-cfi' 60 1 %d & find / -xdev >/dev/null 2>&1 & wait -n" % (
        programs, seconds, programs, seconds)
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, name) for name in ("x.otlp", "x.pb.gz")]
        summary = os.path.join(work, "x.json")
        busy = subprocess.Popen(["bash", "-c", load])
        subprocess.run([os.path.join(build, "cli/tidemark"), "record", "-d", str(seconds),
                        "-F", str(hz), "--off-cpu", "--summary", summary,
                        *(word for path in paths for word in ("-o", path))],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        busy.terminate()
        busy.wait()
        with open(paths[0], "rb") as file:
            body = file.read()
        with open(summary, encoding="utf-8") as file:
            report = json.load(file)
        request = otlp.Request(body)
        samples = report["exported"] + report["off_cpu"]["exported"]
        stacks = len(request.samples)
        print("%d s of this host: %d samples, %d different in OTLP, %d processes" %
              (seconds, samples, stacks, len(request.message["resource_profiles"])))
        for name, size in (("otlp", len(body)),
                           ("otlp.gz", len(gzip.compress(body, compresslevel=LEVEL))),
                           ("pprof.gz", os.path.getsize(paths[1]))):
            print("  %-18s %9d bytes %13.2f bytes/sample %12.1f bytes/stack" %
                  (name, size, size / samples, size / stacks))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--hz", type=int, default=99)
    parser.add_argument("build")
    options = parser.parse_args()
    encoded(options.build, options.rounds)
    if os.geteuid() == 0:
        recorded(options.build, options.seconds, options.hz)


main()
