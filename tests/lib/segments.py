# SPDX-License-Identifier: Apache-2.0
# segments - reads segment files of the spool by their documented layout, with hashlib
import hashlib
import os
import struct

HEADER = struct.Struct("<8sIIQQ16s16s16s32s")
RECORD = struct.Struct("<IHHQQQQQQQQqq32s32s")
COPY_AT = 4096
MAGIC = 0x7064724d
REPORT, DELIVERED = 1, 2
GZIP, LOCAL = 1, 2


class Report:
    def __init__(self, path, fields, body):
        self.path = path
        (_, self.kind, self.flags, self.offset, self.sequence, self.last, self.bytes,
         self.uncompressed, self.samples, self.start, self.end, self.boottime, self.realtime, _,
         _) = fields
        self.body = body
        self.share = self.flags >> 8
        self.flags &= 0xff


def header(data):
    """Return: (header bytes, first sequence, machine, boot, salt), or None."""
    for at in 0, COPY_AT:
        raw = data[at:at + HEADER.size]
        if len(raw) < HEADER.size:
            return None
        magic, version, size, first, _, machine, boot, salt, digest = HEADER.unpack(raw)
        if magic == b"TMSEGMT\n" and hashlib.sha256(raw[:80]).digest() == digest:
            assert version in (1, 2)
            return size, first, machine, boot, salt
    return None


def records(path):
    """Every whole record of a file, whatever lies between them: each place is tried."""
    with open(path, "rb") as file:
        data = file.read()
    of = header(data)
    found = []
    at = of[0] if of else len(data)
    while at + RECORD.size <= len(data):
        raw = data[at:at + RECORD.size]
        fields = RECORD.unpack(raw)
        end = at + RECORD.size + (fields[6] + 7) // 8 * 8
        body = data[at + RECORD.size:at + RECORD.size + fields[6]]
        if (fields[0] != MAGIC or fields[3] != at or end > len(data) or
                hashlib.sha256(of[4] + raw[:120]).digest() != fields[14]):
            at += 8
            continue
        if hashlib.sha256(of[4] + raw[:88] + body).digest() == fields[13]:
            found.append(Report(path, fields, body))
        at = end
    return found


def paths(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".segment")]


def reports_of(path):
    return [record for record in records(path) if record.kind == REPORT]


def reports(folder):
    return [record for path in paths(folder) for record in reports_of(path)]


def made_later(path, ns):
    """Moves what stands in a file, by the clock of its host, and makes its digests anew."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    salt = header(data)[4]
    every = records(path)
    assert every
    for record in every:
        at = record.offset
        fields = list(RECORD.unpack(data[at:at + RECORD.size]))
        fields[12] += ns
        raw = RECORD.pack(*fields)
        fields[13] = hashlib.sha256(salt + raw[:88] + record.body).digest()
        raw = RECORD.pack(*fields)
        fields[14] = hashlib.sha256(salt + raw[:120]).digest()
        data[at:at + RECORD.size] = RECORD.pack(*fields)
    with open(path, "wb") as file:
        file.write(data)
