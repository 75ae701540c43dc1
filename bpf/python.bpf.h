/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * python - walks the frames of CPython's interpreter, as shared/runtime.h describes it
 *
 * Order      a frame of the evaluation loop runs one or several Python functions, the innermost
 *            first. Their METHOD frames take its place in the stack, and it follows behind them.
 * Match      bpf/python_loop.bpf.h tells which interpreter's functions a loop runs. Each
 *            interpreter's are those of its loops in turn.
 * Bounds     a frame takes a read of memory, or three where threads have copies of code, and a
 *            function that the walk has not met two more; a loop one for each interpreter; the
 *            search for the thread PYTHON_SEARCH steps of two. Each counts as a frame of the stack,
 *            and for each function that was not met the clock is read.
 */

#include "bpf/python_loop.bpf.h"
#include "bpf/unwind_table.bpf.h"

/* Bytes up to the end of the fields at these offsets; at most as many as s->block has. */
static __always_inline __u32 python_extent(__u32 a, __u32 b, __u32 c, __u32 d, __u32 e)
{
	__u32 most = a > b ? a : b;

	if (c > most)
		most = c;
	if (d > most && d != TM_RUNTIME_NONE)
		most = d;
	if (e > most)
		most = e;
	most += 8;
	return most > KREAD_BYTES ? KREAD_BYTES : most;
}

/* A field of what was read, with what lies above it in its word. */
static __always_inline __u64 python_field(const struct scratch *s, __u32 offset)
{
	return s->block.words[offset / 8 & (KREAD_WORDS - 1)] >> (offset % 8 * 8);
}

/* The runtime of the current loop's file. Return: whether it is one. */
__noinline int python_runtime(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_runtime *runtime;
	const struct tm_python *python;
	__u64 start;

	if (!s)
		return 0;
	s->runtimes.python_table = s->walk.table;
	s->python.loops = 0;
	s->python.search.count = 0;
#pragma unroll
	for (__u32 i = 0; i < PYTHON_CODES; i++)
		s->python.codes[i].code = 0;
	runtime = unwind_table_runtime(s->walk.table);
	if (!runtime || runtime->kind != TM_RUNTIME_PYTHON)
		return 0;
	s->python.runtime = *runtime;
	python = &s->python.runtime.python;
	s->python.frame_bytes = python_extent(python->frame_previous, python->frame_code,
					      python->frame_instruction, python->frame_owner, 0);
	s->python.code_bytes = python_extent(python->code_file, python->code_name,
					     python->code_lines, 0, python->code_first_line);
	start = s->walk.ip - s->walk.called - (s->walk.frame & TM_FRAME_OFFSET_MAX);
	s->python.state = start + (__u64)s->python.runtime.state;
	return 1;
}

/* The current frame is one of the loop, and its caller is known. Return: whether python_step()
 * is to follow. */
__noinline int python_enter(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	if (!s || s->walk.caller.context)
		return 0;
	if (s->runtimes.python_table != s->walk.table && python_runtime(level))
		python_thread_find(level);
	if (!s->python.search.count || !s->walk.frames)
		return 0;
	python_loop_take(s);
	if (!python_loop_try(level))
		return python_loop_lose(s);
	s->runtimes.python_inside = 1;
	return 1;
}

/* Where the instructions begin that the frame in s->block runs. */
static __always_inline __u64 python_instructions(const struct scratch *s, __u64 code)
{
	const struct tm_python *python = &s->python.runtime.python;
	__u64 copy;

	if (python->code_copies == TM_RUNTIME_NONE)
		return code + python->code_instructions;
	copy = (__u32)python_field(s, python->frame_copy);
	if (!copy)
		return code + python->code_instructions;
	return python_word(python_word(code + python->code_copies) + 8 + 8 * copy);
}

/* Code units from the beginning of the function, which is at @start. */
static __always_inline __u64 python_place(const struct tm_python *python, __u64 instruction,
					  __u64 start)
{
	__u64 place;

	if (python->flags & TM_PYTHON_INDEX)
		place = (__u64)(__s64)(__s32)instruction;
	else
		place = instruction - start;
	if (place >> 63)
		return 0; /* it has not begun */
	place >>= python->unit_shift & 1;
	return place < TM_FRAME_PLACE_MAX ? place : TM_FRAME_PLACE_MAX;
}

/* The number of the function with this code object; 0: it has none. */
static __always_inline __u64 python_method(struct scratch *s, __u32 level, __u64 code)
{
	const struct tm_python *python = &s->python.runtime.python;
	struct method_key *key;

	if (!python_read(s, code, s->python.code_bytes))
		return 0;
	key = method_key_begin(s, METHOD_PYTHON);
	key->code = code;
	key->file = python_field(s, python->code_file);
	key->lines = python_field(s, python->code_lines);
	key->name = python_field(s, python->code_name);
	key->first_line = (__u32)python_field(s, python->code_first_line);
	key->name_hash = python_word(key->name + python->string_hash);
	return method_number(level);
}

/* The same, from the memory of this walk if it has met the function. */
static __always_inline __u64 python_number(struct scratch *s, __u32 level, __u64 code)
{
	__u64 at = (code * 0x9e3779b97f4a7c15ull) >> 32;
	struct python_code *known = &s->python.codes[at & (PYTHON_CODES - 1)];

	if (known->code != code) {
		known->number = python_method(s, level, code);
		known->code = code;
		s->walk.looked_up = true; /* so that the clock is read */
	}
	return known->number;
}

/* Puts the frame of one function. Return: 0: there was no more. */
__noinline int python_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_python *python;
	__u64 previous, code, instruction, owner, start, number, entry;

	if (!s)
		return 0;
	python = &s->python.runtime.python;
	if (!s->python.frame || !python_read(s, s->python.frame, s->python.frame_bytes))
		return python_loop_end(s, level, 0);
	previous = python_field(s, python->frame_previous);
	code = python_field(s, python->frame_code) & ~7ull; /* a reference may be tagged */
	instruction = python_field(s, python->frame_instruction);
	owner = python_field(s, python->frame_owner) & 0xff;
	start = python_instructions(s, code);
	entry = s->python.frame;
	s->python.frame = previous;
	s->python.outer = previous;
	if (python->entry == TM_PYTHON_OWNER && owner == python->owner_entry)
		return python_loop_end(s, level, entry);
	if (python->entry == TM_PYTHON_ONE || (python->entry == TM_PYTHON_FLAG && owner))
		s->python.frame = 0;
	number = python_number(s, level, code);
	frame_put(s, FRAME(METHOD) | number << TM_FRAME_METHOD_SHIFT |
			     python_place(python, instruction, start));
	return 1;
}
