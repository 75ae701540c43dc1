#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_java_layout.py - HotSpot has its structures where the parser says, by its file alone

usage: tests/unit/parser/test_java_layout.py RUNTIME_TEXT [JAVA]...

Without JAVA: those in /usr/lib/jvm. Each runs keytool, which waits for a password. What is read of
it by the parser's offsets must be what HotSpot's own tables say at that time, and must make sense:
all code heaps, the frames of the interpreter in the main thread, the methods that are compiled, the
stubs where the file has a .symtab, the codelets of the interpreter.
"""
import glob
import os
import re
import struct
import subprocess
import sys

NONE = 0xFFFF
ONE_HEAP = 1  # flags
OFFSETS, ADDRESS, IMMUTABLE, MUTABLE = range(4)  # scopes
SKIP = 77
MAIN = "sun/security/tools/keytool/Main"
# Fields, as "type field" or as a sum of two of them; the first that the tables have counts.
FIELDS = {
    "array_length": ["GrowableArrayBase _len", "GenericGrowableArray _len"],
    "array_data": ["GrowableArray<int> _data"],
    "heap_low": ["CodeHeap _memory + VirtualSpace _low"],
    "heap_high": ["CodeHeap _memory + VirtualSpace _high_boundary"],
    "heap_segments": ["CodeHeap _segmap + VirtualSpace _low"],
    "heap_shift": ["CodeHeap _log2_segment_size"],
    "block_used": ["HeapBlock _header + HeapBlock::Header _used"],
    "blob_name": ["CodeBlob _name"],
    "blob_frame_words": ["CodeBlob _frame_size"],
    "blob_complete": ["CodeBlob _frame_complete_offset"],
    "blob_code": ["CodeBlob _code_begin", "CodeBlob _code_offset"],
    "blob_data": ["CodeBlob _data_offset"],
    "blob_relocations": ["CodeBlob _relocation_size"],
    "nmethod_method": ["nmethod _method", "CompiledMethod _method"],
    "nmethod_compile_id": ["nmethod _compile_id"],
    "nmethod_original_pc": ["nmethod _orig_pc_offset"],
    "nmethod_deopt": ["CompiledMethod _deopt_handler_begin", "nmethod _deopt_handler_offset",
                      "nmethod _deopt_handler_entry_offset", "nmethod _deoptimize_offset"],
    "nmethod_immutable": ["nmethod _immutable_data"],
    "nmethod_mutable": ["CodeBlob _mutable_data"],
    "nmethod_pcs": ["nmethod _scopes_pcs_offset"],
    "nmethod_pcs_end": ["nmethod _dependencies_offset", "nmethod _scopes_data_offset"],
    "nmethod_scopes": ["CompiledMethod _scopes_data_begin", "nmethod _scopes_data_offset"],
    "nmethod_metadata": ["nmethod _metadata_offset"],
    "method_const": ["Method _constMethod"],
    "const_pool": ["ConstMethod _constants"],
    "const_words": ["ConstMethod _constMethod_size"],
    "const_flags": ["ConstMethod _flags", "ConstMethod _flags._flags"],
    "const_code_bytes": ["ConstMethod _code_size"],
    "const_name": ["ConstMethod _name_index"],
    "const_signature": ["ConstMethod _signature_index"],
    "pool_holder": ["ConstantPool _pool_holder"],
    "pool_file": ["ConstantPool _source_file_name_index"],
    "class_file": ["InstanceKlass _source_file_name_index"],
    "class_name": ["Klass _name"],
    "symbol_length": ["Symbol _length"],
    "symbol_text": ["Symbol _body"],
    "queue_codelets": ["StubQueue _stub_buffer"],
    "codelet_bytes": ["InterpreterCodelet _size"],
    "codelet_name": ["InterpreterCodelet _description"],
}
SIZES = {"block_bytes": "HeapBlock", "const_code": "ConstMethod", "pool_entries": "ConstantPool"}


def call_of(pid, thread):
    """What the kernel says of the system call that a thread waits in, or "running"."""
    return open(f"/proc/{pid}/task/{thread}/syscall").read().split()


def thread_that_reads(pid):
    """The thread that waits for the password, as soon as there is one."""
    while True:
        for thread in os.listdir(f"/proc/{pid}/task"):
            if call_of(pid, thread)[:2] == ["0", "0x0"]:
                return thread


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


class Process:
    """A java that waits for a password, its memory and where its libjvm.so is."""

    def __init__(self, java):
        self.child = subprocess.Popen(
            [java, "-Xbatch", "-Duser.language=en",
             MAIN.replace("/", "."), "-genkeypair", "-keystore", "/nonexistent/keys"],
            stdin=subprocess.PIPE, stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
        self.pid = self.child.pid
        self.prompt = b""
        while not self.prompt.rstrip(b" ").endswith(b":"):
            byte = os.read(self.child.stdout.fileno(), 1)
            if not byte:
                raise SystemExit(f"{java} says only {self.prompt.decode()!r}")
            self.prompt += byte
        self.thread = thread_that_reads(self.pid)
        self.memory = open(f"/proc/{self.pid}/mem", "rb", 0)
        self.maps = [(int(low, 16), int(high, 16), int(offset, 16), path)
                     for low, high, offset, path in re.findall(
                         r"^(\w+)-(\w+) \S+ (\w+) \S+ \d+ *(.*)$",
                         open(f"/proc/{self.pid}/maps").read(), re.M)]
        own = [place for place in self.maps if place[3].endswith("/libjvm.so")]
        self.base, self.file = own[0][0] - own[0][2], own[0][3]

    def bytes(self, at, count):
        if at >> 47:
            raise OSError(f"{at:#x} is no address")
        return os.pread(self.memory.fileno(), count, at)

    def number(self, at, width=8):
        return int.from_bytes(self.bytes(at, width), "little")

    def signed(self, at, width=4):
        return int.from_bytes(self.bytes(at, width), "little", signed=True)

    def text(self, at):
        found = b""
        while b"\0" not in found:
            found += self.bytes(at + len(found), 64 - (at + len(found)) % 64)
        return found.split(b"\0")[0].decode()

    def is_readable(self, at):
        return any(low <= at < high - 64 for low, high, _, _ in self.maps)

    def end(self):
        self.child.kill()
        self.child.wait()


class Tables:
    """HotSpot's tables, as they are in the process."""

    def __init__(self, process):
        symbols = subprocess.run(["readelf", "-W", "--dyn-syms", process.file], check=True,
                                 text=True, stdout=subprocess.PIPE).stdout
        self.symbols = {name: process.base + int(value, 16) for value, name in re.findall(
            r"^ *\d+: (\w+) .* (gHotSpotVM\w+)", symbols, re.M)}
        self.fields, self.types, self.constants = {}, {}, {}
        for at in self.entries(process, "Struct", "TypeName"):
            name, field, kind = (process.number(at + place) for place in (0, 8, 16))
            name = process.text(name), process.text(field)
            self.fields[name] = (process.text(kind) if kind else "", process.number(at + 24, 4),
                                 process.number(at + 32), process.number(at + 40))
        for at in self.entries(process, "Type", "TypeName"):
            self.types[process.text(process.number(at))] = process.number(at + 32)
        for at in self.entries(process, "IntConstant", "Name"):
            self.constants[process.text(process.number(at))] = process.signed(at + 8)

    def entries(self, process, kind, name):
        at = process.number(self.symbols[f"gHotSpotVM{kind}s"])
        stride = process.number(self.symbols[f"gHotSpotVM{kind}EntryArrayStride"])
        expect("stride", stride, {"Struct": 48, "Type": 40, "IntConstant": 16}[kind])
        while process.number(at):
            yield at
            at += stride

    def offset(self, names):
        parts = [tuple(part.split(" ")) for part in names.split(" + ")]
        if not all(part in self.fields for part in parts):
            return None
        return sum(self.fields[part][2] for part in parts)


def symbol_of(file, name):
    """Its address, or None."""
    symbols = subprocess.run(["readelf", "-W", "-s", file], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    found = re.search(rf"^ *\d+: (\w+) .* {name}$", symbols, re.M)
    return int(found[1], 16) if found else None


class Java:
    """What the parser says, of a process."""

    def __init__(self, process, program):
        text = subprocess.run([program, process.file], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        self.has = dict(line.split() for line in text.splitlines())
        for name, value in self.has.items():
            setattr(self, name, int(value))
        if not self.has:
            raise SystemExit(f"{process.file}: the parser has no descriptor of it")
        self.process = process
        for name in "frame_method", "frame_code":
            setattr(self, name, getattr(self, name) - 0x10000)

    def symbol(self, at):
        length = self.process.number(at + self.symbol_length, 2)
        return self.process.bytes(at + self.symbol_text, length).decode()

    def method(self, at):
        """Class, name, signature, file of a Method; where its code begins and ends."""
        word, short = self.process.number, lambda at: self.process.number(at, 2)
        const = word(at + self.method_const)
        pool = word(const + self.const_pool)
        holder = word(pool + self.pool_holder)
        file = short(pool + self.pool_file if self.pool_file != NONE else holder + self.class_file)
        code = const + self.const_code
        end = code + short(const + self.const_code_bytes)
        if code == end:
            file = 0  # an intrinsic has that of MethodHandle, of whose pool its own is no copy
        entry = [index and self.symbol(word(pool + self.pool_entries + 8 * index))
                 for index in (short(const + self.const_name), short(const + self.const_signature),
                               file)]
        has_lines = short(const + self.const_flags) & self.const_lines
        whole = const + 8 * self.process.number(const + self.const_words, 4)
        if end > whole or (has_lines and end == whole):
            raise OSError(f"{entry}: code of {code:#x} to {end:#x}, all of it to {whole:#x}")
        return (self.symbol(word(holder + self.class_name)), *entry), code, end

    def blobs(self):
        word = self.process.number
        state = word(self.process.base + self.state)
        heaps = [state]
        if not self.flags & ONE_HEAP:
            data = word(state + self.array_data)
            heaps = [word(data + 8 * i)
                     for i in range(self.process.number(state + self.array_length, 4))]
        for heap in heaps:
            at, high = word(heap + self.heap_low), word(heap + self.heap_high)
            segments = word(heap + self.heap_segments)
            shift = self.process.number(heap + self.heap_shift, 4)
            low = at
            while at < high and self.process.is_readable(at):
                count = self.process.number(at, 4)  # HeapBlock::Header._length comes first
                if not count:
                    break  # never used from here on
                first = self.process.number(segments + (at - low >> shift), 1)
                expect("distance to the first segment of a block", first, 0)
                if self.process.number(at + self.block_used, 1):
                    yield at + self.block_bytes, at + (count << shift)
                at += count << shift


def check_tables(java, tables):
    for name, choices in FIELDS.items():
        offsets = [tables.offset(choice) for choice in choices]
        if name == "nmethod_pcs_end" and java.scopes in (IMMUTABLE, MUTABLE):
            offsets = offsets[1:]
        if name == "nmethod_scopes" and java.scopes == OFFSETS:
            offsets = offsets[1:]
        wanted = next((offset for offset in offsets if offset is not None), NONE)
        if name == "blob_data" and java.scopes != IMMUTABLE or (
                name == "blob_relocations" and java.scopes != MUTABLE):
            wanted = NONE
        expect(name, getattr(java, name), wanted)
    for name, kind in SIZES.items():
        expect(name, getattr(java, name), tables.types[kind])
    lines = (tables.constants.get("ConstMethod::_has_linenumber_table") or
             tables.constants["ConstMethodFlags::_misc_has_linenumber_table"])
    expect("const_lines", java.const_lines, lines)
    heaps = tables.fields["CodeCache", "_heap" if java.flags & ONE_HEAP else "_heaps"]
    expect("state", java.process.base + java.state, heaps[3])
    expect("codelets", java.process.base + java.codelets,
           tables.fields["AbstractInterpreter", "_code"][3])
    check_version(java, tables)


def check_version(java, tables):
    at = tables.fields["Abstract_VM_Version", "_s_vm_release"][3]
    release = java.process.text(java.process.number(at))
    major = int(re.match(r"\d+", release)[0])
    expect("version of " + release, java.version, 8 if re.match(r"25\.\d+-", release) else major)


def stack_of(process, thread):
    """The words of a thread's stack, from the one that the kernel says, and where they begin."""
    at = int(call_of(process.pid, thread)[-2], 16)
    end = next(high for low, high, _, _ in process.maps if low <= at < high)
    words = process.bytes(at, end - at)
    return at, struct.unpack(f"<{len(words) // 8}Q", words[:len(words) // 8 * 8])


def frames_of(java, thread):
    """What may be the method and the code of an interpreter's frame: older words lie about too."""
    begin, words = stack_of(java.process, thread)
    for i in range(-java.frame_code, len(words)):
        method = words[i + java.frame_method]
        if begin + 8 * i < words[i] < begin + 8 * len(words) and java.process.is_readable(method):
            yield method, words[i + java.frame_code]


def check_frames(java):
    found = []
    for method, place in frames_of(java, java.process.thread):
        try:
            names, begin, end = java.method(method)
        except (OSError, UnicodeError):
            continue
        if begin <= place < end:
            found.append(names)
    for name, signature in (("main", "([Ljava/lang/String;)V"),
                            ("doCommands", "(Ljava/io/PrintStream;)V")):
        # Without its file's name in a Java from which debug information was stripped.
        expect(name, any((MAIN, name, signature, file) in found for file in ("Main.java", 0)), True)
    return len(found)


def place_of(java, blob, field, width):
    value = java.process.number(blob + field, width)
    return value if width == 8 else blob + value


def check_nmethod(java, blob, end):
    number = java.process.number
    method = number(blob + java.nmethod_method)
    names = java.method(method)[0]
    code = place_of(java, blob, java.blob_code, java.blob_code_bytes)
    deopt = place_of(java, blob, java.nmethod_deopt, java.nmethod_deopt_bytes)
    base = number(blob + java.nmethod_immutable) if java.nmethod_immutable != NONE else blob
    first, last = (base + number(blob + field, 4)
                   for field in (java.nmethod_pcs, java.nmethod_pcs_end))
    count = (last - first) // 16
    expect(f"{names}: code", blob < code < end, True)
    if not count:
        return 0  # of a native method
    expect(f"{names}: deopt handler", code < deopt < end, True)
    pcs = [java.process.signed(first + 16 * i) for i in range(count)]
    expect(f"{names}: PcDescs are sorted", pcs, sorted(pcs))
    expect(f"{names}: the first PcDesc", pcs[0], -1)
    scopes = (number(blob + java.nmethod_scopes) if java.scopes == ADDRESS
              else base + number(blob + java.nmethod_scopes, 4))
    for pc in range(1, count - 1):
        scope = java.process.signed(first + 16 * pc + 4)
        if scope > 0:
            check_scope(java, blob, names, method, scopes, scope)
            return 1
    return 0


def unsigned5(java, at):
    """A number, and where the next one begins."""
    excluded, value = int(java.version >= 20), 0
    for i in range(5):
        byte = java.process.number(at + i, 1)
        value += byte - excluded << 6 * i
        if byte < 192 or i == 4:
            return value, at + i + 1


def check_scope(java, blob, names, method, scopes, scope):
    """The outermost scope around a scope is of the nmethod's method."""
    number = java.process.number
    while scope > 0:
        sender, at = unsigned5(java, scopes + scope)
        index, at = unsigned5(java, at)
        scope = sender
    if java.scopes == MUTABLE:
        metadata = number(blob + java.nmethod_mutable) + number(blob + java.blob_relocations, 4)
    elif java.scopes == IMMUTABLE:
        metadata = blob + number(blob + java.blob_data, 4) + number(blob + java.nmethod_metadata, 2)
    else:
        metadata = blob + number(blob + java.nmethod_metadata, 4)
    expect(f"{names}: outermost scope", number(metadata + 8 * (index - 1)), method)


def check_blobs(java):
    nmethods, names = 0, set()
    for blob, end in java.blobs():
        name = java.process.text(java.process.number(blob + java.blob_name))
        names.add(name)
        words = java.process.signed(blob + java.blob_frame_words)
        expect(f"{name}: frame_words", -2 < words < 1 << 16, True)
        complete = java.process.signed(blob + java.blob_complete, java.blob_complete_bytes)
        expect(f"{name}: complete", -2 < complete < end - blob, True)
        if name in ("nmethod", "native nmethod"):
            nmethods += check_nmethod(java, blob, end)
    expect("the interpreter is a blob", "Interpreter" in names, True)
    return nmethods


def check_stubs(java):
    """Each is known by the name that HotSpot gave it, within a blob of stubs, and apart."""
    word, text = java.process.number, java.process.text
    wanted = symbol_of(java.process.file, "_ZN12StubCodeDesc5_listE")
    expect("stubs are known", java.stubs != 0, wanted is not None)
    if wanted is None:
        return 0
    expect("address of the list", java.stubs, wanted)
    blobs = [(blob, end) for blob, end in java.blobs()
             if text(word(blob + java.blob_name)).startswith("StubRoutines")]
    at, places, names = word(java.process.base + java.stubs), [], set()
    while at:
        begin, end = word(at + java.stub_begin), word(at + java.stub_end)
        name = text(word(at + java.stub_name))
        expect(f"{name}: ends behind its beginning", begin <= end, True)
        if any(low < begin and end <= high for low, high in blobs):
            places.append((begin, end))
            names.add(name)
        at = word(at + java.stub_next)
    places.sort()
    expect("stubs that overlap", [pair for pair in zip(places, places[1:])
                                  if pair[0][1] > pair[1][0]], [])
    expect("known stubs", {"call_stub", "updateBytesCRC32"} <= names, True)
    return len(places)


def check_codelets(java):
    """One behind the other, up to the last bytecode's and what follows it."""
    word, names = java.process.number, set()
    begin = at = word(word(java.process.base + java.codelets) + java.queue_codelets)
    blob, end = next((blob, end) for blob, end in java.blobs()
                     if java.process.text(word(blob + java.blob_name)) == "Interpreter")
    while "_shouldnotreachhere" not in names or "deoptimization entry points" not in names:
        names.add(java.process.text(word(at + java.codelet_name)))
        at += java.process.number(at + java.codelet_bytes, 4)
        expect(f"{names}: within the interpreter", blob < begin < at <= end, True)
    expect("known codelets", {"nop", "ireturn", "return entry points"} <= names, True)
    return len(names)


def check(program, command):
    process = Process(command)
    try:
        java = Java(process, program)
        check_tables(java, Tables(process))
        frames, nmethods, stubs = check_frames(java), check_blobs(java), check_stubs(java)
        print(f"{process.file}: {java.version}, {frames} frames, {nmethods} nmethods, "
              f"{stubs} stubs, {check_codelets(java)} codelets")
        expect("frames and nmethods", frames > 3 and nmethods > 3, True)
    finally:
        process.end()


def main():
    found = sys.argv[2:] or sorted(set(map(os.path.realpath, glob.glob("/usr/lib/jvm/*/bin/java"))))
    if not found:
        print("there is no Java")
        sys.exit(SKIP)
    for java in found:
        check(sys.argv[1], java)


main()
