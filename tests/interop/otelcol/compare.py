#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare - what a collector wrote is what was sent to it, sample for sample

compare.py WRITTEN SENT...: a file of length-prefixed requests, and those requests in their order.

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

KEPT_KEY = {**otlp.KEY_VALUE, 3: ("key_strindex", "i", None)}
KEPT_VALUE = {**otlp.ANY_VALUE, 8: ("string_value_strindex", "i", None)}
KEPT_LINK = {1: ("trace_id", "b", None), 2: ("span_id", "b", None)}


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
        data = file.read()
    at = 0
    while at < len(data):
        length, = struct.unpack_from(">I", data, at)
        yield Kept(data[at + 4:at + 4 + length])
        at += 4 + length


def identity(sample):
    about = [tuple(sorted(sample[part].items())) for part in ("resource", "profile", "attributes")]
    stack = tuple((repr(place["mapping"]), place["address"], place["type"], tuple(place["lines"]))
                  for place in sample["stack"])
    return (*about, stack, sample["types"], sample["time"], sample["duration"], sample["period"],
            sample["value"])


def main():
    sent = [otlp.read(path) for path in sys.argv[2:]]
    otlp.KEY_VALUE.update(KEPT_KEY)
    otlp.ANY_VALUE.update(KEPT_VALUE)
    otlp.LINK.update(KEPT_LINK)
    kept = list(requests(sys.argv[1]))
    wrong = len(sent) != len(kept)
    for path, left, right in zip(sys.argv[2:], sent, kept):
        equal = (collections.Counter(map(identity, left.samples)) ==
                 collections.Counter(map(identity, right.samples)))
        print("  %s: %d stacks %s" % (os.path.basename(path), len(left.samples),
                                      "are equal" if equal else "DIFFER"))
        wrong = wrong or not equal
    sys.exit("%d requests were sent, %d written" % (len(sent), len(kept)) if wrong else 0)


main()
