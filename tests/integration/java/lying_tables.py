# SPDX-License-Identifier: Apache-2.0
"""lying_tables - copies a libjvm.so, with other numbers in the tables of its structures

usage: lying_tables.py LIBJVM COPY SEED

vmStructs.cpp makes an array of fields and one of types; their pointers are relocations, so that
numbers alone can be changed in the file: offsets of fields, sizes of types.
"""
import random
import struct
import sys

RELATIVE = 8         # R_X86_64_RELATIVE
FIELD, TYPE = (48, 32), (40, 32) # bytes of an entry, and where its number is
ENTRIES = 1000       # that are looked at; both arrays end in one of zeros
CHANGED = 0.2        # of the entries, so that some copies are believed
NUMBERS = (0, 1, 7, 8, 16, 255, 4096, 65534, 65535, 1 << 20, (1 << 64) - 8)


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = bytearray(file.read())
        table, count = struct.unpack_from("<Q", self.data, 40)[0], struct.unpack_from(
            "<H", self.data, 60)[0]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, table + 64 * i)
                         for i in range(count)]
        self.addends = {}
        for section in self.sections:
            if section[1] == 4: # SHT_RELA
                for at in range(section[4], section[4] + section[5], 24):
                    place, kind, addend = struct.unpack_from("<QQq", self.data, at)
                    if kind == RELATIVE:
                        self.addends[place] = addend

    def offset(self, address):
        for _, kind, _, start, at, size, *_ in self.sections:
            if start and kind == 1 and start <= address < start + size:
                return address - start + at
        return None

    def symbol(self, wanted):
        for section in self.sections:
            if section[1] != 11: # SHT_DYNSYM
                continue
            strings = self.sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                end = self.data.index(b"\0", strings + name)
                if self.data[strings + name:end] == wanted:
                    return value
        raise SystemExit("no symbol %s" % wanted)

    def lie(self, name, form, chance):
        changed, start = 0, self.addends[self.symbol(name)]
        for index in range(ENTRIES):
            entry = start + index * form[0]
            at = self.offset(entry + form[1])
            if entry not in self.addends or at is None:
                break
            if chance.random() < CHANGED:
                struct.pack_into("<Q", self.data, at,
                                 chance.choice((*NUMBERS, chance.randrange(512))))
                changed += 1
        return changed


def main(path, copy, seed):
    file, chance = File(path), random.Random(int(seed))
    changed = file.lie(b"gHotSpotVMStructs", FIELD, chance) + \
        file.lie(b"gHotSpotVMTypes", TYPE, chance)
    with open(copy, "wb") as out:
        out.write(file.data)
    if changed < 20:
        raise SystemExit("only %d numbers were changed" % changed)


main(*sys.argv[1:])
