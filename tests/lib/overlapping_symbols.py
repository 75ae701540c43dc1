# SPDX-License-Identifier: Apache-2.0
"""overlapping_symbols - writes a copy of an ELF file whose symbols all overlap

overlapping_symbols.py TEMPLATE FILE COUNT: symbol N begins N bytes behind the lowest address, and
all of them end at the same place.
"""
import array
import os
import struct
import sys

NAMES = 1000  # so that neighbours differ
ENTRY_BYTES = 24
FUNCTION = 0x12  # global
SHT_SYMTAB = 2


def symbols(count, lowest):
    """The entries of a symbol table, and its names."""
    names = [b"hostile_%06d" % number for number in range(NAMES)]
    width = len(names[0]) + 1
    words = array.array("Q", [1 + width * number | FUNCTION << 32 | 1 << 48
                              for number in range(NAMES)]) * (count // NAMES + 1)
    entries = array.array("Q", bytes(ENTRY_BYTES * count))
    entries[0::3] = words[:count]
    entries[1::3] = array.array("Q", range(lowest, lowest + count))
    entries[2::3] = array.array("Q", range(count, 0, -1))
    return entries.tobytes(), b"\0" + b"\0".join(names) + b"\0"


def main():
    template, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(template, "rb") as file:
        image = bytearray(file.read())
    headers, = struct.unpack_from("<Q", image, 40)
    size, number = struct.unpack_from("<HH", image, 58)
    at = [headers + size * i for i in range(number)]
    table = next(a for a in at if struct.unpack_from("<I", image, a + 4)[0] == SHT_SYMTAB)
    names = at[struct.unpack_from("<I", image, table + 40)[0]]
    entries, text = symbols(count, 0x400000)
    image += bytes(-len(image) % 8)
    struct.pack_into("<QQ", image, table + 24, len(image), len(entries))
    struct.pack_into("<QQ", image, names + 24, len(image) + len(entries), len(text))
    with open(path, "wb") as file:
        file.write(image)
        file.write(entries)
        file.write(text)
    os.chmod(path, 0o755)


main()
