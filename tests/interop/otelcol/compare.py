#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare - what a collector wrote is what was sent to it, sample for sample

compare.py [--silent] WRITTEN SENT...: a file of length-prefixed requests, and those requests in
their order. The last line is the sum of both. otlp_decoder.py checks what was sent.

A collector keeps the order and the indices of tables, but fills the empty entries 0, and puts the
keys and texts of resources into the table of strings.
"""
import collections
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../lib"))
import otlp # pylint: disable=wrong-import-position

# What only a collector writes.
otlp.KEY_VALUE[3] = ("key_strindex", "i", None)
otlp.ANY_VALUE[8] = ("string_value_strindex", "i", None)
otlp.LINK.update({1: ("trace_id", "b", None), 2: ("span_id", "b", None)})


class Kept(otlp.Request):
    """A request as a collector writes it."""

    def _check_zero_entries(self):
        for part in self.message["resource_profiles"]:
            for attribute in part["resource"]["attributes"]:
                attribute["key"] = attribute["key"] or self.strings[attribute["key_strindex"]]
                value = attribute["value"]
                value["string_value"] = (value["string_value"] or
                                         self.strings[value["string_value_strindex"]])

    def _check_tables(self):
        pass

    def _check_used(self):
        pass


def requests(path):
    with open(path, "rb") as file:
        while head := file.read(4):
            length, = struct.unpack(">I", head)
            data = file.read(length)
            otlp.check(len(data) == length, "what was written is cut off")
            yield Kept(data)


def identity(sample):
    about = [tuple(sorted(sample[part].items())) for part in ("resource", "profile", "attributes")]
    stack = tuple((repr(place["mapping"]), place["address"], place["type"], place["path"],
                   tuple(place["lines"])) for place in sample["stack"])
    return (*about, stack, sample["types"], sample["time"], sample["duration"], sample["period"],
            sample["value"])


def compared(path, left, right, silent):
    """Whether they have the same samples."""
    sent, kept = (collections.Counter(map(identity, request.samples)) for request in (left, right))
    if sent != kept or not silent:
        print("  %s: %d stacks %s" % (os.path.basename(path), len(left.samples),
                                      "are equal" if sent == kept else "DIFFER"))
    for name, more in (("written", sent - kept), ("sent", kept - sent)):
        for key in list(more)[:1]:
            print("    not %s: %s" % (name, key))
    return sent == kept


def main():
    silent = sys.argv[1] == "--silent"
    written, *paths = sys.argv[1 + silent:]
    kept, wrong, totals, stacks = requests(written), 0, collections.Counter(), 0
    for path in paths:
        sent, found = otlp.read(path), next(kept, None)
        if found is None:
            sys.exit("  %s was not written" % path)
        wrong += not compared(path, sent, found, silent)
        totals += otlp.totals([sent])
        stacks += len(sent.samples)
    if next(kept, None) is not None:
        sys.exit("  more was written than sent")
    # Else there would be nothing to compare.
    for kind in (otlp.ON_CPU, otlp.OFF_CPU):
        otlp.check(totals[kind] > 0, "nothing is of %s" % kind[0])
    print("  %d requests, %d stacks, %d samples on a CPU, %d ns off it: %d requests differ" %
          (len(paths), stacks, totals[otlp.ON_CPU], totals[otlp.OFF_CPU], wrong))
    sys.exit(wrong > 0)


main()
