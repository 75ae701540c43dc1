#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_stack_depth - no chain of calls of a BPF program needs more stack than the kernel gives

test_stack_depth.py OBJECT: the output of clang. Kernels from 6.13 on give some programs more: so
this host may load what 5.10 refuses.
"""

import collections
import struct
import sys

STACK = 512 # bytes, MAX_BPF_STACK of include/linux/filter.h
FRAMES = 8 # MAX_CALL_FRAMES of include/linux/bpf_verifier.h
ROUNDED = 32 # kernel/bpf/verifier.c, check_max_stack_depth_subprog
FRAME_POINTER = 10
NEWER = {"on_switched"} # these hooks came after 6.13
SYMTAB, REL, FUNC, SECTION = 2, 9, 2, 3 # elf.h
MOVE, ADD, CALL, LOAD64 = 0xbf, 0x07, 0x85, 0x18 # opcodes of uapi/linux/bpf.h
MEMORY_CLASSES = (1, 2, 3) # LDX, ST, STX
PSEUDO_CALL, PSEUDO_FUNC = 1, 4

Section = collections.namedtuple("Section", "name type flags address offset size link info")
Symbol = collections.namedtuple("Symbol", "type section value size")
Function = collections.namedtuple("Function", "name stack callees")


class Object:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        at, = struct.unpack_from("<Q", self.data, 40)
        count, = struct.unpack_from("<H", self.data, 60)
        self.sections = [Section(*struct.unpack_from("<IIQQQQII", self.data, at + 64 * i))
                         for i in range(count)]
        table = next(s for s in self.sections if s.type == SYMTAB)
        self.symbols, self.names = [], {}
        for i in range(table.size // 24):
            name, info, _, section, value, size = struct.unpack_from(
                "<IBBHQQ", self.data, table.offset + 24 * i)
            self.symbols.append(Symbol(info & 15, section, value, size))
            if info & 15 == FUNC:
                start = self.sections[table.link].offset + name
                end = self.data.index(b"\0", start)
                self.names[section, value] = self.data[start:end].decode()
        self.relocations = {}
        for section in self.sections:
            for i in range(section.size // 16 if section.type == REL else 0):
                offset, info = struct.unpack_from("<QQ", self.data, section.offset + 16 * i)
                self.relocations[section.info, offset] = self.symbols[info >> 32]

    def callee(self, section, at, imm, unit):
        """Where the call or the address in the instruction leads to: (section, offset)."""
        symbol = self.relocations.get((section, at))
        if not symbol:
            return section, at + 8 + 8 * imm
        if symbol.type == SECTION:
            return symbol.section, (imm + 1) * 8 if unit == 8 else imm
        return symbol.section, symbol.value

    def function(self, symbol):
        stack, callees, copies = 0, set(), set() # copies: registers with the frame pointer
        start = self.sections[symbol.section].offset
        for at in range(symbol.value, symbol.value + symbol.size, 8):
            code, registers, offset, imm = struct.unpack_from("<BBhi", self.data, start + at)
            target, source = registers & 15, registers >> 4
            if code & 7 in MEMORY_CLASSES:
                base = source if code & 7 == 1 else target
                stack = max(stack, -offset if base == FRAME_POINTER else 0)
            elif code == MOVE and source == FRAME_POINTER:
                copies.add(target)
            elif code == ADD and target in copies:
                stack = max(stack, -imm)
                copies.discard(target)
            elif code == CALL and source == PSEUDO_CALL:
                callees.add(self.callee(symbol.section, at, imm, 8))
            elif code == LOAD64 and (symbol.section, at) in self.relocations:
                callee = self.callee(symbol.section, at, imm, 1)
                callees.update({callee} if callee in self.names else ())
        return Function(self.names[symbol.section, symbol.value], stack, callees)

    def functions(self):
        return {(s.section, s.value): self.function(s) for s in self.symbols if s.type == FUNC}


def deepest(functions, at, met=()):
    """The chain of calls from a function on that needs most stack, and the longest one."""
    function = functions[at]
    need = -(-max(function.stack, 1) // ROUNDED) * ROUNDED
    below = [deepest(functions, callee, met + (at,)) for callee in function.callees - set(met)]
    stack, chain = max((b[0] for b in below), default=(0, []))
    return (need + stack, ["%s %d" % (function.name, need)] + chain), \
        1 + max((b[1] for b in below), default=0)


def main():
    functions = Object(sys.argv[1]).functions()
    called = set().union(*(f.callees for f in functions.values()))
    wrong = 0
    most = max(deepest(functions, at) for at in functions if at not in called)
    for at in sorted(set(functions) - called):
        (stack, chain), frames = deepest(functions, at)
        if (stack > STACK and functions[at].name not in NEWER) or frames > FRAMES:
            wrong += 1
            print("%d bytes of stack, %d calls: %s" % (stack, frames, ", ".join(chain)))
    print("%d functions, %d programs; most stack: %d bytes, %s" %
          (len(functions), len(functions) - len(called), most[0][0], ", ".join(most[0][1])))
    # The timer's programs need nearly all of it: much less would be a reader that misses calls.
    return 1 if wrong or most[0][0] < STACK // 2 or len(most[0][1]) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
