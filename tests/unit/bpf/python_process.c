/* SPDX-License-Identifier: GPL-2.0 */
/*
 * python_process - a sampled process that runs CPython, with structures of a made-up version
 */

#include "tests/unit/bpf/python_process.h"

#include <string.h>

#define STRING_ASCII (1u | 1u << 3 | 1u << 4) /* of one byte a character, compact, ASCII */

static const struct tm_runtime runtime = {
	.kind = TM_RUNTIME_PYTHON,
	.version = 0x030d,
	.state = (int64_t)(PYTHON_RUNTIME - SAMPLED_CODE),
	.loops = {{CALLER, CALLER + 0x100}},
	.python = {.entry = TM_PYTHON_OWNER,
		   .owner_entry = PYTHON_ENTRY,
		   .unit_shift = 1,
		   .runtime_interpreters = 0x28,
		   .interpreter_next = 0,
		   .interpreter_threads = 0x10,
		   .thread_previous = 0,
		   .thread_next = 8,
		   .thread_interpreter = 0x10,
		   .thread_id = 0x18,
		   .thread_frame = 0x20,
		   .thread_chain = 0x20,
		   .chain_frame = 8,
		   .chain_previous = 0x10,
		   .frame_previous = 0x18,
		   .frame_code = 0x20,
		   .frame_instruction = 0x28,
		   .frame_owner = 0x42,
		   .code_file = 0x40,
		   .code_name = 0x48,
		   .code_lines = 0x50,
		   .code_first_line = 0x5c,
		   .code_instructions = 0x80,
		   .frame_copy = TM_RUNTIME_NONE,
		   .code_copies = TM_RUNTIME_NONE,
		   .string_length = 0x10,
		   .string_hash = 0x18,
		   .string_state = 0x20,
		   .string_ascii = 0x28,
		   .string_wide = 0x38,
		   .string_kind = 0,
		   .bytes_length = 0x10,
		   .bytes_data = 0x20},
};

void python_process_string(uint64_t at, const char *text)
{
	sampled_store(at + 0x10, strlen(text));
	sampled_store(at + 0x18, 0x1234567 + strlen(text));
	sampled_store(at + 0x20, STRING_ASCII);
	bpf_host_write(at + 0x28, text, strlen(text));
}

void python_process_code(unsigned n, const char *name, uint32_t line)
{
	uint64_t code = PYTHON_CODE(n), text = PYTHON_TEXT(n);
	const uint8_t lines[] = {0x80, 1, 2};

	sampled_words(code + 0x40, text + 0x1000, text, text + 0x2000);
	bpf_host_write(code + 0x5c, &line, sizeof(line));
	python_process_string(text, name);
	python_process_string(text + 0x1000, "/srv/program.py");
	sampled_store(text + 0x2010, sizeof(lines));
	bpf_host_write(text + 0x2020, lines, sizeof(lines));
}

static void frame_at(uint64_t frame, uint64_t previous, uint64_t code, uint64_t units,
		     uint8_t owner)
{
	sampled_words(frame + 0x18, previous, code, code + 0x80 + 2 * units);
	if (sampled.runtime.python.flags & TM_PYTHON_INDEX)
		sampled_store(frame + 0x28, 2 * units);
	bpf_host_write(frame + 0x42, &owner, 1);
}

void python_process_frame(unsigned n, uint64_t previous, uint64_t code, uint64_t units,
			  uint8_t owner)
{
	frame_at(PYTHON_FRAME(n), previous, code, units, owner);
}

void python_process_entry(uint64_t at, uint64_t previous)
{
	frame_at(at, previous, 0, 0, PYTHON_ENTRY);
}

void python_process_chain(uint64_t at, uint64_t frame, uint64_t previous)
{
	sampled_words(at + 8, frame, previous);
}

void python_process_runs(uint64_t frame)
{
	sampled_store(PYTHON_THREAD + 0x20, frame);
}

void python_process_runs_another(uint64_t frame)
{
	const uint64_t interpreter = SAMPLED_DATA + 0x900;

	sampled_store(SAMPLED_DATA + 0x800, interpreter);
	sampled_words(interpreter, 0, 0, PYTHON_ANOTHER);
	sampled_words(PYTHON_ANOTHER, 0, 0, interpreter, PYTHON_POINTER, frame);
}

static void stack(void)
{
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(CALLER, RULE(SP, PYTHON_LOOP_BYTES));
	sampled_row(SECOND, RULE(SP, 16));
	sampled_row(START, RULE_END);
	sampled_store(SAMPLED_SP, CODE(CALLER + 8));
	sampled_store(FIRST_LOOP_SP + PYTHON_LOOP_BYTES - 8, CODE(SECOND + 8));
	sampled_store(SECOND_LOOP_SP - 8, CODE(SECOND_LOOP));
	sampled_store(SECOND_LOOP_SP + PYTHON_LOOP_BYTES - 8, CODE(START + 8));
}

static void lists(void)
{
	const uint64_t interpreter = SAMPLED_DATA + 0x800;

	sampled_store(PYTHON_RUNTIME + 0x28, interpreter);
	sampled_words(interpreter, 0, 0, PYTHON_OTHER);
	sampled_words(PYTHON_OTHER, 0, PYTHON_THREAD, interpreter, PYTHON_POINTER + 0x1000);
	sampled_words(PYTHON_THREAD, PYTHON_OTHER, 0, interpreter, PYTHON_POINTER);
}

int python_process_make(void **state)
{
	sampled_make(state);
	sampled.runtime = runtime;
	sampled.thread_pointer = PYTHON_POINTER;
	stack();
	lists();
	python_process_code(0, "inner", 10);
	python_process_code(1, "outer", 20);
	return 0;
}

static uint64_t frame_of(unsigned index)
{
	const struct tm_sample *sample = bpf_maps_sample();
	unsigned met = 0;

	for (unsigned i = 0; i < sample->user_frames; i++)
		if (sample->frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD && met++ == index)
			return sample->frames[i];
	fail_msg("no METHOD frame %u", index);
	return 0;
}

uint64_t python_process_number(unsigned index)
{
	return frame_of(index) >> TM_FRAME_METHOD_SHIFT & TM_FRAME_METHOD_MAX;
}

uint64_t python_process_place(unsigned index)
{
	return frame_of(index) & TM_FRAME_PLACE_MAX;
}

unsigned python_process_methods(void)
{
	const struct tm_sample *sample = bpf_maps_sample();
	unsigned met = 0;

	for (unsigned i = 0; i < sample->user_frames; i++)
		met += sample->frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD;
	return met;
}
