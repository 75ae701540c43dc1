# SPDX-License-Identifier: Apache-2.0
"""recorded - reads what tidemark wrote: the summary, folded text, pprof, speedscope, the page

As a program: recorded.py balance SUMMARY [zero-drops]. Tests import the rest.
"""
import collections
import gzip
import json
import os
import re
import struct
import sys

SUMMARY_KEYS = (
    "taken", "exported", "dropped", "not_run", "truncated", "unnamed", "seconds", "hz", "cpus",
    "unnamed_frames", "late_records", "cpu_seconds", "bpf_seconds", "rss_bytes", "bpf_map_bytes",
    "command_status", "exiting",
)


class Wrong(Exception):
    """What a test found; the text is the sentence to print."""


def os_cpus():
    return os.cpu_count()


def check(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def summary(path):
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    for key in SUMMARY_KEYS:
        check(key in read, "%s lacks the key %s" % (path, key))
    return read


OFF_CPU_KEYS = (
    "taken", "exported", "dropped", "taken_ns", "exported_ns", "dropped_ns", "observed",
    "observed_ns", "untracked", "waking_unseen_ns", "stratum_ns", "in_progress", "in_progress_ns",
    "wakers", "wakers_lost", "recording",
)


def off_cpu_balance(read, zero_drops):
    """The same of stacks of waiting threads, and of the ns that they stand for."""
    for key in OFF_CPU_KEYS:
        check(key in read, "off_cpu lacks the key %s" % key)
    reasons = {reason: n for reason, n in read["dropped"].items() if n}
    print("  off-CPU: taken %d = exported %d + dropped %d %s; %.3f s of %d times of %.3f s; in "
          "progress %d for %.3f s; untracked %d; waking not seen %.3f s; stratum %d ns" %
          (read["taken"], read["exported"], sum(read["dropped"].values()), reasons or "",
           read["taken_ns"] / 1e9, read["observed"], read["observed_ns"] / 1e9,
           read["in_progress"], read["in_progress_ns"] / 1e9, read["untracked"],
           read["waking_unseen_ns"] / 1e9, read["stratum_ns"]))
    for unit in ("", "_ns"):
        taken, exported = read["taken" + unit], read["exported" + unit]
        dropped = sum(read["dropped" + unit].values())
        check(taken == exported + dropped, "off-CPU: taken%s %d is not exported %d + dropped %d" %
              (unit, taken, exported, dropped))
    if zero_drops:
        check(not reasons, "off-CPU: samples were dropped: %s" % reasons)


def balance(read, zero_drops=False):
    """taken = exported + sum(dropped), exactly; nothing came later than a published W."""
    dropped = sum(read["dropped"].values())
    reasons = {reason: n for reason, n in read["dropped"].items() if n}
    truncated = {reason: n for reason, n in read["truncated"].items() if n}
    unnamed = {reason: n for reason, n in read["unnamed"].items() if n}
    print("  taken %d = exported %d + dropped %d %s; not run %d; truncated %s; unnamed frames %s; "
          "exiting %d; %.2f s" % (read["taken"], read["exported"], dropped, reasons or "",
                                  read["not_run"], truncated or 0, unnamed or 0,
                                  read["exiting"], read["seconds"]))
    check(read["taken"] == read["exported"] + dropped,
          "taken %d is not exported %d + dropped %d" % (read["taken"], read["exported"], dropped))
    check(read["late_records"] == 0, "%d records came later than W" % read["late_records"])
    if zero_drops:
        check(dropped == 0, "%d samples were dropped: %s" % (dropped, reasons))
    if "off_cpu" in read:
        off_cpu_balance(read["off_cpu"], zero_drops)


def folded(path):
    """[(comm, [frame, root first], count)]"""
    stacks = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            check(line.endswith("\n") and " " in line, "not a folded line: %r" % line)
            text, count = line[:-1].rsplit(" ", 1)
            names = text.split(";")
            stacks.append((names[0], names[1:], int(count)))
    return stacks


def folded_total(path):
    return sum(count for _, _, count in folded(path))


# --- pprof: protobuf wire format, field numbers of the published profile.proto -------------------

def fields(data):
    """Yields (field number, value): an int, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        elif kind == 1:
            yield key >> 3, struct.unpack_from("<Q", data, at)[0]
            at += 8
        else:
            raise Wrong("pprof: wire type %d" % kind)


def numbers(value):
    """A repeated integer: packed bytes or one int."""
    if isinstance(value, int):
        return [value]
    found, current, shift = [], 0, 0
    for byte in value:
        current |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            found.append(current)
            current = shift = 0
    return found


class Pprof:
    """samples: [(values, {label: value}, [(function, mapping file), leaf first])]

    system_names: {(function, system_name)}
    places: {(mapping file, address): [(function, source file, line), innermost first]}
    flags: {mapping file: {"functions", "filenames", "line_numbers", "inline_frames"}}
    """

    def __init__(self, path):
        with gzip.open(path, "rb") as file:
            data = file.read()
        self.strings, self.samples, self.time_ns, self.duration_ns = [], [], 0, 0
        raw, mappings, locations, functions = [], {}, {}, {}
        for number, value in fields(data):
            if number == 2:
                raw.append(value)
            elif number == 3:
                message = dict(fields(value))
                mappings[message[1]] = message
            elif number == 4:
                locations[dict(fields(value))[1]] = value
            elif number == 5:
                message = dict(fields(value))
                functions[message[1]] = message
            elif number == 6:
                self.strings.append(value.decode("utf-8"))
            elif number == 9:
                self.time_ns = value
            elif number == 10:
                self.duration_ns = value
        self.system_names = {(self.strings[function.get(2, 0)], self.strings[function.get(3, 0)])
                             for function in functions.values()}
        for value in raw:
            self.samples.append(self._sample(value, mappings, locations, functions))
        self.flags = collections.defaultdict(set)
        for mapping in mappings.values():
            self.flags[self.strings[mapping.get(5, 0)]] |= {
                name for field, name in ((7, "functions"), (8, "filenames"), (9, "line_numbers"),
                                         (10, "inline_frames")) if mapping.get(field)}
        self.places = dict(self._place(value, mappings, functions)
                           for value in locations.values())

    def _place(self, value, mappings, functions):
        calls = []
        for number, part in fields(value):
            if number == 4:
                line = dict(fields(part))
                function = functions[line[1]]
                calls.append((self.strings[function.get(2, 0)], self.strings[function.get(4, 0)],
                              line.get(2, 0)))
        location = {number: part for number, part in fields(value) if number != 4}
        path = self.strings[mappings.get(location.get(2, 0), {}).get(5, 0)]
        return (path, location.get(3, 0)), calls

    def _location(self, value, mappings, functions):
        mapping, names = 0, []
        for number, part in fields(value):
            if number == 2:
                mapping = part
            elif number == 4:
                names.append(self.strings[functions[dict(fields(part))[1]].get(2, 0)])
        path = self.strings[mappings[mapping].get(5, 0)] if mapping in mappings else ""
        return [(name, path) for name in names] or [("", path)]

    def _sample(self, value, mappings, locations, functions):
        stack, values, labels = [], [], {}
        for number, part in fields(value):
            if number == 1:
                for location in numbers(part):
                    stack += self._location(locations[location], mappings, functions)
            elif number == 2:
                values += numbers(part)
            elif number == 3:
                label = dict(fields(part))
                text = self.strings[label[2]] if label.get(2) else label.get(3, 0)
                labels[self.strings[label[1]]] = text
        return values, labels, stack

    def total(self):
        return sum(values[0] for values, _, _ in self.samples)


# --- speedscope -----------------------------------------------------------------------------------

def speedscope_total(path):
    """Samples counted by weight; the unit says what a weight is."""
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    check(read.get("$schema") == "https://www.speedscope.app/file-format-schema.json",
          "speedscope: no $schema")
    total = 0.0
    for profile in read["profiles"]:
        check(profile["type"] == "sampled", "speedscope: a profile is not `sampled`")
        check(len(profile["samples"]) == len(profile["weights"]),
              "speedscope: samples and weights differ in length")
        check(abs(sum(profile["weights"]) - (profile["endValue"] - profile["startValue"])) < 1e-6 *
              max(1.0, sum(profile["weights"])), "speedscope: weights do not fill the profile")
        total += sum(profile["weights"])
    return total, read["profiles"][0]["unit"] if read["profiles"] else "none"


# --- the page -------------------------------------------------------------------------------------

class Page:
    """samples: [(comm, executable, [function, root first], count)]

    The stacks are one tree in preorder: up[i] levels up from node i - 1, then down to i. A node's
    class is 2 * function + 1 if it is inlined.
    Functions of the kernel end in _[k], as in folded text.
    """

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.S)
        check(found, "the page holds no data")
        self.data = data = json.loads(found.group(1))
        strings, functions = data["strings"], data["functions"]
        kernel = 0 # enum report_kind
        names = [strings[function[0]] + ("_[k]" if function[2] == kernel else "")
                 for function in functions]
        names += ["[truncated: %s]" % reason for reason in data["reasons"]]
        names += ["[%s]" % state for state in data["states"]]
        paths, current = [()], []
        for up, node_class in zip(data["up"], data["node_class"]):
            del current[len(current) - up:]
            current.append(names[node_class >> 1])
            paths.append(tuple(current))
        self.samples, leaf = [], 0
        flat = iter(data["kinds"][0]["samples"])
        for step, thread, count in zip(flat, flat, flat):
            leaf = (leaf + step) & 0xFFFFFFFF
            process, _, comm = data["threads"][thread]
            self.samples.append((strings[comm], strings[data["processes"][process][3]],
                                 list(paths[leaf]), count))

    def total(self):
        return sum(sample[3] for sample in self.samples)


# --- shares ---------------------------------------------------------------------------------------

def self_shares(stacks, comm=None):
    """Counter of the leaf's count, total"""
    leaves = collections.Counter()
    for name, frames, count in stacks:
        if comm is None or name == comm:
            leaves[frames[-1] if frames else "[none]"] += count
    return leaves, sum(leaves.values())


def user_leaf(frames):
    """The innermost frame that is not the kernel's."""
    for frame in reversed(frames):
        if not frame.endswith("_[k]"):
            return frame
    return ""


def strip_kernel(frames):
    return [frame for frame in frames if not frame.endswith("_[k]")]


TRUNCATED = re.compile(r"^\[truncated: ([a-z_]+)\]$")


def truncation(frames):
    """The reason of a stack that stands under [truncated: reason], or None."""
    found = TRUNCATED.match(frames[0]) if frames else None
    return found.group(1) if found else None


def main():
    try:
        if len(sys.argv) > 2 and sys.argv[1] == "balance":
            balance(summary(sys.argv[2]), "zero-drops" in sys.argv[3:])
            return 0
        print("usage: recorded.py balance SUMMARY [zero-drops]", file=sys.stderr)
        return 2
    except Wrong as wrong:
        print("  WRONG: %s" % wrong)
        return 1


if __name__ == "__main__":
    sys.exit(main())
