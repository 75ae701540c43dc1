# SPDX-License-Identifier: Apache-2.0
"""otlp - reads requests of OTLP profiles field by field, and checks what receivers demand of them

From the published field numbers (opentelemetry-proto 1.10) and the rules that receivers enforce,
not from the code that writes them: a field that is not listed here is an error, as are invalid
UTF-8, an index out of range, an entry of a table that nothing refers to, one that is there twice,
and a mapping that does not say which file it is.
"""
import collections
import json
import os
import re
import struct

# {field: (name, how, message)}; how: i(nt64), u(int64), f(ixed64), s(tring), b(ytes), m(essage),
# each with * if repeated; repeated numbers are packed.
REQUEST = {1: ("resource_profiles", "m*", lambda: RESOURCE_PROFILES),
           2: ("dictionary", "m", lambda: DICTIONARY)}
DICTIONARY = {1: ("mapping_table", "m*", lambda: MAPPING),
              2: ("location_table", "m*", lambda: LOCATION),
              3: ("function_table", "m*", lambda: FUNCTION), 4: ("link_table", "m*", lambda: LINK),
              5: ("string_table", "s*", None), 6: ("attribute_table", "m*", lambda: ATTRIBUTE),
              7: ("stack_table", "m*", lambda: STACK)}
RESOURCE_PROFILES = {1: ("resource", "m", lambda: RESOURCE),
                     2: ("scope_profiles", "m*", lambda: SCOPES)}
RESOURCE = {1: ("attributes", "m*", lambda: KEY_VALUE)}
SCOPES = {1: ("scope", "m", lambda: SCOPE), 2: ("profiles", "m*", lambda: PROFILE)}
SCOPE = {1: ("name", "s", None), 2: ("version", "s", None)}
KEY_VALUE = {1: ("key", "s", None), 2: ("value", "m", lambda: ANY_VALUE)}
ANY_VALUE = {1: ("string_value", "s", None), 3: ("int_value", "i", None)}
PROFILE = {1: ("sample_type", "m", lambda: VALUE_TYPE), 2: ("samples", "m*", lambda: SAMPLE),
           3: ("time_unix_nano", "f", None), 4: ("duration_nano", "u", None),
           5: ("period_type", "m", lambda: VALUE_TYPE), 6: ("period", "i", None),
           7: ("profile_id", "b", None), 11: ("attribute_indices", "i*", None)}
VALUE_TYPE = {1: ("type_strindex", "i", None), 2: ("unit_strindex", "i", None)}
SAMPLE = {1: ("stack_index", "i", None), 2: ("attribute_indices", "i*", None),
          4: ("values", "i*", None)}
MAPPING = {1: ("memory_start", "u", None), 2: ("memory_limit", "u", None),
           3: ("file_offset", "u", None), 4: ("filename_strindex", "i", None),
           5: ("attribute_indices", "i*", None)}
LOCATION = {1: ("mapping_index", "i", None), 2: ("address", "u", None),
            3: ("lines", "m*", lambda: LINE), 4: ("attribute_indices", "i*", None)}
LINE = {1: ("function_index", "i", None), 2: ("line", "i", None)}
FUNCTION = {1: ("name_strindex", "i", None), 2: ("system_name_strindex", "i", None),
            3: ("filename_strindex", "i", None), 4: ("start_line", "i", None)}
LINK = {}
STACK = {1: ("location_indices", "i*", None)}
ATTRIBUTE = {1: ("key_strindex", "i", None), 2: ("value", "m", lambda: ANY_VALUE),
             3: ("unit_strindex", "i", None)}

FRAME_TYPES = {"native", "kernel", "jvm", "cpython", "v8js", "ruby", "php", "perl", "dotnet",
               "beam", "go"}
BUILD_ID = "process.executable.build_id."
ON_CPU = ("samples", "count", "cpu", "nanoseconds")
OFF_CPU = ("off_cpu", "nanoseconds", "", "")


class Invalid(Exception):
    pass


def check(condition, sentence):
    if not condition:
        raise Invalid(sentence)


# --- decoding -------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        check(at < len(data) and shift < 70, "a number is cut off")
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            check(value < 1 << 64, "a number has more than 64 bits")
            return value, at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def number(how, value):
    return signed(value) if how == "i" else value


def packed(how, data):
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(number(how, value))
    return found


def field_value(how, message, data):
    """Of a length-delimited field."""
    if how == "s":
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Invalid("a string is not UTF-8: %s" % error) from error
        check("\0" not in text, "a string has a NUL")
        return text
    return decode(data, message()) if how == "m" else data


def decode(data, schema):
    """{name: value} with all names of the schema; absent: [], 0, "", b"" or None for a message."""
    found = {name: [] if how[1:] else {"s": "", "b": b"", "m": None}.get(how, 0)
             for name, how, _ in schema.values()}
    seen, at = set(), 0
    while at < len(data):
        tag, at = varint(data, at)
        check(tag >> 3 in schema, "field %d is unknown in %s" % (tag >> 3, list(found)))
        name, how, message = schema[tag >> 3]
        if how in ("i", "u"):
            check(tag & 7 == 0, "%s has wire type %d" % (name, tag & 7))
            value, at = varint(data, at)
            value = number(how, value)
        elif how == "f":
            check(tag & 7 == 1 and at + 8 <= len(data), "%s is no fixed64" % name)
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            check(tag & 7 == 2, "%s has wire type %d" % (name, tag & 7))
            length, at = varint(data, at)
            check(at + length <= len(data), "%s is cut off" % name)
            part, at = data[at:at + length], at + length
            value = packed(how[0], part) if how == "i*" else field_value(how[0], message, part)
        if how == "i*":
            found[name] += value
        elif how[1:]:
            found[name].append(value)
        else:
            check(name not in seen, "%s is there twice" % name)
            found[name] = value
        seen.add(name)
    return found


# --- rules ----------------------------------------------------------------------------------------

class Request:
    """One request, checked as it is read."""

    def __init__(self, data):
        self.message = decode(data, REQUEST)
        check(self.message["dictionary"] is not None, "there is no dictionary")
        self.tables = self.message["dictionary"]
        self.strings = self.tables["string_table"]
        self.used = collections.defaultdict(set)
        self.locations = {} # number: what it is
        self._check_zero_entries()
        self.samples = list(self._samples())
        self._check_tables()
        self._check_used()

    def at(self, table, index):
        entries = self.tables[table]
        check(0 <= index < len(entries), "%s has no entry %d" % (table, index))
        self.used[table].add(index)
        return entries[index]

    def text(self, index):
        return self.at("string_table", index)

    def _check_zero_entries(self):
        empty = {"mapping_table": MAPPING, "location_table": LOCATION, "function_table": FUNCTION,
                 "link_table": LINK, "attribute_table": ATTRIBUTE, "stack_table": STACK}
        check(self.strings and self.strings[0] == "", "string 0 is not empty")
        for table, schema in empty.items():
            check(self.tables[table] and self.tables[table][0] == decode(b"", schema),
                  "entry 0 of %s is not empty" % table)
            self.used[table].add(0)
        self.used["string_table"].add(0)
        check(len(self.tables["link_table"]) == 1, "there are links")

    def _check_tables(self):
        for name, entries in self.tables.items():
            found = collections.Counter(map(repr, entries))
            check(len(entries) == len(found),
                  "%s has equal entries: %s" % (name, found.most_common(1)))

    def _check_used(self):
        for name, entries in self.tables.items():
            unused = set(range(len(entries))) - self.used[name]
            check(not unused, "nothing refers to %s %s" % (name, sorted(unused)[:5]))

    def value(self, value):
        check(value is not None, "an attribute has no value")
        check(not (value["string_value"] and value["int_value"]), "an attribute has two values")
        return value["string_value"] or value["int_value"]

    def attributes(self, indices):
        found = {}
        for index in indices:
            check(index > 0, "attribute 0 is referred to")
            entry = self.at("attribute_table", index)
            key = self.text(entry["key_strindex"])
            check(key and key not in found, "the attribute %r is there twice" % key)
            self.text(entry["unit_strindex"])
            found[key] = self.value(entry["value"])
        return found

    def _mapping(self, index):
        entry = self.at("mapping_table", index)
        check(entry["memory_start"] < entry["memory_limit"] or
              entry["memory_start"] == entry["memory_limit"] == 0, "a mapping has no range")
        attributes = self.attributes(entry["attribute_indices"])
        if index > 0:
            check(re.fullmatch("[0-9a-f]{32}", str(attributes.get(BUILD_ID + "htlhash"))),
                  "a mapping has the htlhash %r" % attributes.get(BUILD_ID + "htlhash"))
            check(re.fullmatch("([0-9a-f]{2})*", attributes.get(BUILD_ID + "gnu", "")),
                  "a build id is not hexadecimal")
            known = {BUILD_ID + kind for kind in ("htlhash", "gnu", "go")}
            check(set(attributes) <= known | {"tidemark.file.flags"},
                  "a mapping has the attributes %s" % sorted(attributes))
        return {"path": self.text(entry["filename_strindex"]), **entry,
                "attributes": attributes}

    def _function(self, index):
        check(index > 0, "function 0 is referred to")
        entry = self.at("function_table", index)
        check(entry["name_strindex"] or entry["system_name_strindex"], "a function has no name")
        return (self.text(entry["name_strindex"]), self.text(entry["system_name_strindex"]),
                self.text(entry["filename_strindex"]), entry["start_line"])

    def _location(self, index):
        if index not in self.locations:
            self.locations[index] = self._read_location(index)
        return self.locations[index]

    def _read_location(self, index):
        check(index > 0, "location 0 is referred to")
        entry = self.at("location_table", index)
        attributes = self.attributes(entry["attribute_indices"])
        check(attributes.get("profile.frame.type") in FRAME_TYPES,
              "a location is of type %r" % attributes.get("profile.frame.type"))
        check(set(attributes) <= {"profile.frame.type", "tidemark.frame.file",
                                  "tidemark.frame.flags"},
              "a location has the attributes %s" % sorted(attributes))
        check("tidemark.frame.file" not in attributes or entry["mapping_index"] == 0,
              "a location has a mapping and another file")
        lines = []
        for line in entry["lines"]:
            check(line["line"] >= 0, "a line is negative")
            lines.append((*self._function(line["function_index"]), line["line"]))
        check(lines, "a location has no function")
        return {"mapping": self._mapping(entry["mapping_index"]), "address": entry["address"],
                "type": attributes["profile.frame.type"], "lines": lines,
                "path": attributes.get("tidemark.frame.file", "")}

    def _types(self, profile):
        check(profile["sample_type"] is not None and profile["period_type"] is not None,
              "a profile has no types")
        found = tuple(self.text(profile[of][part + "_strindex"])
                      for of in ("sample_type", "period_type") for part in ("type", "unit"))
        check(found in (ON_CPU, OFF_CPU), "a profile is of %s" % (found,))
        check((profile["period"] > 0) == (found == ON_CPU), "the period is %d" % profile["period"])
        return found

    def _profile(self, resource, profile):
        types = self._types(profile)
        check(len(profile["profile_id"]) == 16 and any(profile["profile_id"]), "it has no id")
        check(profile["samples"], "a profile has no sample")
        check(profile["time_unix_nano"] > 0, "a profile has no time")
        about = self.attributes(profile["attribute_indices"])
        identities = set()
        for sample in profile["samples"]:
            check(len(sample["values"]) == 1, "a sample has %d values" % len(sample["values"]))
            check(sample["stack_index"] > 0, "a sample has no stack")
            identity = (sample["stack_index"], frozenset(sample["attribute_indices"]))
            check(identity not in identities, "a sample is there twice")
            identities.add(identity)
            stack = self.at("stack_table", sample["stack_index"])["location_indices"]
            check(stack, "a stack is empty")
            yield {"resource": resource, "types": types, "profile": about,
                   "attributes": self.attributes(sample["attribute_indices"]),
                   "stack": [self._location(index) for index in reversed(stack)], # root first
                   "value": sample["values"][0], "time": profile["time_unix_nano"],
                   "duration": profile["duration_nano"], "period": profile["period"]}

    def _samples(self):
        ids, resources = [], set()
        for part in self.message["resource_profiles"]:
            check(part["resource"] is not None and part["scope_profiles"], "an envelope is empty")
            resource = {}
            for attribute in part["resource"]["attributes"]:
                check(attribute["key"] and attribute["key"] not in resource,
                      "the attribute %r of a resource is there twice" % attribute["key"])
                resource[attribute["key"]] = self.value(attribute["value"])
            check(resource.get("service.name"), "a resource has no service.name")
            check(repr(resource) not in resources, "two resources are equal")
            resources.add(repr(resource))
            for scope in part["scope_profiles"]:
                check(scope["scope"] and scope["scope"]["name"] and scope["scope"]["version"],
                      "a scope has no name or version")
                check(scope["profiles"], "a scope has no profile")
                for profile in scope["profiles"]:
                    ids.append(profile["profile_id"])
                    yield from self._profile(resource, profile)
        check(len(ids) == len(set(ids)), "two profiles have one id")


def names(sample):
    """Of all calls, root first."""
    return [line[0] for place in sample["stack"] for line in reversed(place["lines"])]


def profile_ids(request):
    return {profile["profile_id"] for part in request.message["resource_profiles"]
            for scope in part["scope_profiles"] for profile in scope["profiles"]}


def totals(requests):
    """{types: sum of values}"""
    sums = collections.Counter()
    for request in requests:
        for sample in request.samples:
            sums[sample["types"]] += sample["value"]
    return sums


def read(path):
    with open(path, "rb") as file:
        return Request(file.read())


def received(folder):
    """[(head, request)] that otlp_receiver.py has kept, in their order."""
    found, count = [], 1
    while os.path.exists(os.path.join(folder, "%d.json" % count)):
        with open(os.path.join(folder, "%d.json" % count), encoding="utf-8") as file:
            found.append((json.load(file), read(os.path.join(folder, "%d.body" % count))))
        count += 1
    return found
