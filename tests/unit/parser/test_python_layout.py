#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_python_layout.py - the interpreter that runs this has its structures where the parser says

usage: tests/unit/parser/test_python_layout.py PYTHON_RUNTIME_TEXT

A thread waits amid calls, and what is read of it by the parser's offsets is what Python itself
says: its frames, their code, names and instructions.
"""
import ctypes
import re
import subprocess
import sys
import threading
import _thread

NONE = 0xFFFF
INDEX, CHAIN = 1, 2  # flags
ONE, FLAG, OWNER = range(3)  # entry

ready, done = _thread.allocate_lock(), _thread.allocate_lock()


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, expected {wanted!r}")


def word(at):
    return int.from_bytes(ctypes.string_at(at, 8), "little")


def number(at):
    return int.from_bytes(ctypes.string_at(at, 4), "little", signed=True)


class Interpreter:
    """What the parser says, with the address of the state and of the code's file."""

    def __init__(self, program):
        for line in open("/proc/self/maps"):
            place = re.match(r"(\w+)-\w+ r-xp (\w+) \S+ \d+ +(/.*python.*)", line)
            text = place and subprocess.run([program, place[3]], check=True, text=True,
                                            stdout=subprocess.PIPE).stdout
            if text:
                self.base = int(place[1], 16) - int(place[2], 16)
                for name, value in (field.split() for field in text.splitlines()):
                    setattr(self, name, int(value))
                return
        sys.exit("the parser finds no interpreter in this process")


def outer():
    sorted([1], key=middle)


def middle(_):
    inner()


def inner():
    ready.release()
    done.acquire()


def check_places(py):
    version = sys.version_info
    expect("version", py.version, version.major << 8 | version.minor)
    api = ctypes.pythonapi
    loop = ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p).value
    expect("loop", py.base + py.loop_0, loop)
    state = ctypes.addressof(ctypes.c_char.in_dll(api, "_PyRuntime"))
    expect("state", py.base + py.state, state)


def threads_of(py):
    interpreter = word(py.base + py.state + py.runtime_interpreters)
    expect("interpreter_next", word(interpreter + py.interpreter_next), 0)
    thread, previous, threads = word(interpreter + py.interpreter_threads), 0, {}
    while thread:
        expect("thread_previous", word(thread + py.thread_previous), previous)
        expect("thread_interpreter", word(thread + py.thread_interpreter), interpreter)
        threads[word(thread + py.thread_id)] = thread
        thread, previous = word(thread + py.thread_next), thread
    expect("threads", set(threads), set(sys._current_frames()))
    return threads


def frames_of(py, thread):
    """Frames, and None where a frame of the evaluation loop ends."""
    if py.chain_frame == NONE:
        frame = word(thread + py.thread_frame)
    else:
        frame = word(word(thread + py.thread_chain) + py.chain_frame)
    while frame:
        owner = 0 if py.entry == ONE else ctypes.string_at(frame + py.frame_owner, 1)[0]
        is_end = owner == py.owner_entry if py.entry == OWNER else owner or py.entry == ONE
        if py.entry != OWNER or not is_end:
            yield frame
        if is_end:
            yield None
        frame = word(frame + py.frame_previous)


def check_frames(py, thread, frame):
    found = list(frames_of(py, thread))
    if py.entry == ONE:
        wanted = "inner", None, "middle", None, "outer", None
    else:
        wanted = "inner", "middle", None, "outer", None
    expect("frames", len(found), len(wanted))
    for at, name in zip(found, wanted):
        expect("end of a frame of the loop", at is None, name is None)
        if at:
            expect("name", frame.f_code.co_name, name)
            check_frame(py, at, frame)
            frame = frame.f_back
    expect("outermost", frame, None)
    if py.flags & CHAIN:
        check_chain(py, thread, found)


def check_chain(py, thread, found):
    chain, loops = word(thread + py.thread_chain), 0
    if py.chain_frame != NONE:
        expect("chain_previous", word(word(chain + py.chain_previous) + py.chain_frame), found[3])
    while not thread < chain < thread + 4096: # the last one is in the thread state
        chain, loops = word(chain + py.chain_previous), loops + 1
    expect("loops", loops, found.count(None))


def check_frame(py, at, frame):
    code = frame.f_code
    address = word(at + py.frame_code) & ~7
    expect("frame_code", address, id(code))
    if py.flags & INDEX:
        instruction = (number(at + py.frame_instruction) >> py.unit_shift) * 2
    else:
        instruction = word(at + py.frame_instruction) - address - py.code_instructions
    expect("frame_instruction", instruction, frame.f_lasti)
    name = code.co_qualname if hasattr(code, "co_qualname") else code.co_name
    lines = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
    expect("code_file", word(address + py.code_file), id(code.co_filename))
    expect("code_name", word(address + py.code_name), id(name))
    expect("code_lines", word(address + py.code_lines), id(lines))
    expect("code_first_line", number(address + py.code_first_line), code.co_firstlineno)
    expect("bytes_length", word(id(lines) + py.bytes_length), len(lines))
    expect("bytes_data", ctypes.string_at(id(lines) + py.bytes_data, len(lines)), lines)


def check_string(py, string, kind, encoding):
    at, text = id(string), string.encode(encoding)
    ascii = string.isascii()
    expect("string_length", word(at + py.string_length), len(string))
    expect("string_hash", word(at + py.string_hash), hash(string) % (1 << 64))
    state = number(at + py.string_state) >> py.string_kind
    expect("string_state", state & 31, kind | 1 << 3 | ascii << 4)
    begin = at + (py.string_ascii if ascii else py.string_wide)
    expect("text", ctypes.string_at(begin, len(text)), text)


def main():
    py = Interpreter(sys.argv[1])
    ready.acquire()
    done.acquire()
    ident = _thread.start_new_thread(outer, ())
    ready.acquire()
    check_places(py)
    threads = threads_of(py)
    expect("own thread", threading.get_ident() in threads, True)
    check_frames(py, threads[ident], sys._current_frames()[ident])
    done.release()
    check_string(py, "plain", 1, "ascii")
    check_string(py, "na\u00efve", 1, "latin-1")
    check_string(py, "\u540d\u524d", 2, "utf-16-le")
    check_string(py, "\U0001f40d", 4, "utf-32-le")


main()
