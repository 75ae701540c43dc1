# SPDX-License-Identifier: Apache-2.0
"""deliveries - what a receiver got, report by report, and what tidemark's status said meanwhile"""
import json
import os
import re

import otlp
from recorded import check

# What is read here of a request; whether the rest is valid, other tests check.
BYTES = ("unread", "b*", None)
DICTIONARY = {**{field: BYTES for field in otlp.DICTIONARY}, 5: ("strings", "b*", None),
              6: otlp.DICTIONARY[6]}
PROFILE = {**otlp.PROFILE, 2: ("samples", "b*", None)}
SCOPES = {1: BYTES, 2: ("profiles", "m*", lambda: PROFILE)}
RESOURCE_PROFILES = {1: BYTES, 2: ("scope_profiles", "m*", lambda: SCOPES)}
REQUEST = {1: ("resource_profiles", "m*", lambda: RESOURCE_PROFILES),
           2: ("dictionary", "m", lambda: DICTIONARY)}
COUNTS = re.compile(r"taken (\d+) = exported (\d+) \+ dropped (\d+)")


def value_of(sample):
    """A sample's fields are its stack, its attributes, if any, and one value."""
    _, at = otlp.varint(sample, 1)
    check(sample[0] == 0x08, "a sample does not begin with its stack")
    if sample[at] == 0x12:
        length, at = otlp.varint(sample, at + 1)
        at += length
    check(sample[at] == 0x22, "a sample has no value")
    length, at = otlp.varint(sample, at + 1)
    value, end = otlp.varint(sample, at)
    check(end == at + length == len(sample), "a sample has more than a value")
    return value


class Part:
    """A request: one report, or a part of one."""

    def __init__(self, folder, number):
        path = os.path.join(folder, "%d." % number)
        self.name = path + "body"
        self.arrived = os.stat(path + "json").st_mtime
        with open(self.name, "rb") as file:
            message = otlp.decode(file.read(), REQUEST)
        tables = message["dictionary"]
        counts = {index for index, attribute in enumerate(tables["attribute_table"])
                  if tables["strings"][attribute["key_strindex"]] == b"tidemark.completeness"}
        self.ids, self.samples, times, sentences = set(), 0, set(), set()
        for profile in (profile for part in message["resource_profiles"]
                        for scope in part["scope_profiles"] for profile in scope["profiles"]):
            self.ids.add(profile["profile_id"])
            times.add((profile["time_unix_nano"], profile["duration_nano"]))
            self.samples += sum(map(value_of, profile["samples"]))
            sentences |= {tables["attribute_table"][index]["value"]["string_value"]
                          for index in counts.intersection(profile["attribute_indices"])}
        check(len(times) == len(sentences) == 1, "%s has %d intervals" % (self.name, len(times)))
        (self.start, self.duration), = times
        found = COUNTS.match(sentences.pop())
        check(found, self.name + " has no counts")
        self.taken, self.exported, self.dropped = map(int, found.groups())
        check(self.taken == self.exported + self.dropped,
              "%s: taken %d = exported %d + dropped %d" % (self.name, self.taken, self.exported,
                                                           self.dropped))


class Report:
    """All parts of one interval."""

    def __init__(self, first):
        self.start, self.end = first.start, first.start + first.duration
        self.taken, self.exported, self.dropped = first.taken, first.exported, first.dropped
        self.samples, self.arrived = 0, 0

    def add(self, part):
        check((part.start + part.duration, part.taken) == (self.end, self.taken),
              part.name + " is part of another interval")
        self.samples += part.samples
        self.arrived = max(self.arrived, part.arrived)


def parts(folder):
    """In the order of their arrival."""
    found = []
    while os.path.exists(os.path.join(folder, "%d.json" % (len(found) + 1))):
        found.append(Part(folder, len(found) + 1))
    return found


def without_repeated(*folders, killed=0):
    """All parts once. Of each folder but the last, whose receiver was killed, only the last request
    may come again: the answer to it may be lost. `killed`: how many more, of symbolizers that were
    killed before they noted an answer."""
    kept, ids, unanswered, repeated = [], set(), None, 0
    for folder in folders:
        for part in parts(folder):
            if part.ids & ids:
                repeated += 1
                if unanswered and part.ids == unanswered.ids:
                    unanswered = None
                    continue
                check(killed > 0, "%s was delivered before" % part.name)
                killed -= 1
                continue
            ids |= part.ids
            kept.append(part)
        unanswered = kept[-1] if kept else None
    return kept, repeated


def reports(kept):
    """By their start. Each has all of its samples."""
    found = {}
    for part in kept:
        found.setdefault(part.start, Report(part)).add(part)
    for report in found.values():
        check(report.samples == report.exported, "of %d samples of a report %d came" %
              (report.exported, report.samples))
    return [found[start] for start in sorted(found)]


def check_order(kept):
    for before, after in zip(kept, kept[1:]):
        check(after.start >= before.start, "%s is older than the one before it" % after.name)


def check_adjacent(found):
    for before, after in zip(found, found[1:]):
        check(abs(after.start - before.end) < 50e6,
              "%.3f s lie between two reports" % ((after.start - before.end) / 1e9))


def watched(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_status(found, lines):
    """Of one symbolizer: each status is the sum of the first reports. Return: how many were."""
    exported, taken, dropped = [0], [0], [0]
    for report in found:
        exported.append(exported[-1] + report.exported)
        taken.append(taken[-1] + report.taken)
        dropped.append(dropped[-1] + report.dropped)
    checked = 0
    for status in (line["status"] for line in lines if line["status"]):
        count = status["reports"]
        check(count <= len(found), "only %d of %d reports came" % (len(found), count))
        check(status["samples_exported"] == exported[count],
              "status says %d exported, %d reports say %d" % (status["samples_exported"], count,
                                                              exported[count]))
        # An interval may have ended and its report not be made.
        most = taken[min(count + 2, len(found))]
        check(taken[count] <= status["samples_taken"] <= most or count + 2 > len(found),
              "status says %d taken, %d reports say %d" % (status["samples_taken"], count,
                                                           taken[count]))
        check(dropped[count] <= sum(status["samples_dropped"].values()) or count == 0,
              "status says %s dropped, %d reports say %d" % (status["samples_dropped"], count,
                                                             dropped[count]))
        checked += 1
    return checked
