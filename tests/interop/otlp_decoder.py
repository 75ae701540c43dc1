#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otlp_decoder - the decoder that OpenTelemetry generates reads our requests as ours does

otlp_decoder.py MAKE_REPORT | --requests FILE...: those that MAKE_REPORT writes, or these

It refuses invalid UTF-8, leaves out what it does not know, and must write each request again byte
for byte. Our own reader (tests/lib/otlp.py) checks the rules that it does not know.
"""
import collections
import os
import subprocess
import sys
import tempfile

from google.protobuf import message as protobuf
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import otlp # pylint: disable=wrong-import-position

CASES = ("tiny", "hostile", "truncated", "inlined", "deep", "large", "kinds", "threads",
         "resources", "runtimes")
FILES = ("out.otlp", "process.otlp", "container.otlp", "service.otlp", "named.otlp")


class Decoded:
    """A request as the generated code has it."""

    def __init__(self, data):
        self.message = profiles_service_pb2.ExportProfilesServiceRequest()
        otlp.check(self.message.ParseFromString(data) == len(data), "some of it was not read")
        self.message.DiscardUnknownFields() # then it is not written again as it was
        self.tables = self.message.dictionary
        self.strings = self.tables.string_table
        self.places = {}

    @staticmethod
    def value(value):
        kind = value.WhichOneof("value")
        otlp.check(kind in ("string_value", "int_value"), "a value is a %s" % kind)
        return getattr(value, kind)

    def attributes(self, indices):
        entries = [self.tables.attribute_table[index] for index in indices]
        return tuple(sorted((self.strings[entry.key_strindex], self.value(entry.value))
                            for entry in entries))

    def place(self, index):
        if index not in self.places:
            entry = self.tables.location_table[index]
            mapping = self.tables.mapping_table[entry.mapping_index]
            functions = [(self.tables.function_table[line.function_index], line.line)
                         for line in entry.lines]
            lines = tuple((self.strings[function.name_strindex],
                           self.strings[function.system_name_strindex],
                           self.strings[function.filename_strindex], function.start_line, line)
                          for function, line in functions)
            about = (self.strings[mapping.filename_strindex], mapping.memory_start,
                     mapping.memory_limit, mapping.file_offset,
                     self.attributes(mapping.attribute_indices))
            self.places[index] = (about, entry.address, lines)
        return self.places[index]

    def samples(self):
        found = collections.Counter()
        for part in self.message.resource_profiles:
            resource = tuple(sorted((attribute.key, self.value(attribute.value))
                                    for attribute in part.resource.attributes))
            for profile in part.scope_profiles[0].profiles:
                types = tuple(self.strings[index] for index in (
                    profile.sample_type.type_strindex, profile.sample_type.unit_strindex,
                    profile.period_type.type_strindex, profile.period_type.unit_strindex))
                for sample in profile.samples:
                    stack = self.tables.stack_table[sample.stack_index].location_indices
                    key = (resource, types, profile.period, profile.time_unix_nano,
                           profile.duration_nano, self.attributes(profile.attribute_indices),
                           self.attributes(sample.attribute_indices),
                           tuple(self.place(index) for index in stack))
                    found[key] += sample.values[0]
        return found


def ours(request):
    """The same of our own reader."""
    def items(attributes):
        return tuple(sorted(attributes.items()))

    def place(read):
        mapping = read["mapping"]
        return ((mapping["path"], mapping["memory_start"], mapping["memory_limit"],
                 mapping["file_offset"], items(mapping["attributes"])), read["address"],
                tuple(read["lines"]))

    found = collections.Counter()
    for sample in request.samples:
        key = (items(sample["resource"]), sample["types"], sample["period"], sample["time"],
               sample["duration"], items(sample["profile"]), items(sample["attributes"]),
               tuple(map(place, reversed(sample["stack"])))) # leaf first again
        found[key] += sample["value"]
    return found


def check_request(path):
    """How many bytes it has."""
    with open(path, "rb") as stream:
        data = stream.read()
    decoded, request = Decoded(data), otlp.Request(data)
    otlp.check(decoded.message.SerializeToString() == data, "%s is written otherwise" % path)
    otlp.check(decoded.samples() == ours(request), "%s has other samples" % path)
    return len(data)


def check_requests(paths):
    wrong, sizes = 0, []
    for path in paths:
        try:
            sizes.append(check_request(path))
        except (otlp.Invalid, protobuf.DecodeError, IndexError, KeyError) as error:
            print("  %s: %s: %s" % (path, type(error).__name__, error))
            wrong += 1
    otlp.check(sizes or wrong, "there are no requests")
    print("  %d requests of %d bytes, the longest %d, are read and written alike; %d are wrong" %
          (len(sizes), sum(sizes), max(sizes, default=0), wrong))
    return wrong


def check_cases(program):
    with tempfile.TemporaryDirectory() as work:
        for name in CASES:
            folder = os.path.join(work, name)
            os.mkdir(folder)
            subprocess.run([program, name, folder], check=True)
            for file in FILES if name != "large" else FILES[:1]:
                size = check_request(os.path.join(folder, file))
            print("%s: %d bytes are read and written alike" % (name, size))


def main():
    if sys.argv[1] == "--requests":
        sys.exit(check_requests(sys.argv[2:]) > 0)
    check_cases(sys.argv[1])


main()
