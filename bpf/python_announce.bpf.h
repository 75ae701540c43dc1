/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * python_announce - name, file and line table of a CPython function, into its METHOD record
 */

#include "bpf/python.bpf.h"

#define PYTHON_STRING_COMPACT 3 /* bits above that of the kind; Include/cpython/unicodeobject.h */
#define PYTHON_STRING_ASCII   4

struct python_text {
	__u64 address; /* 0: it has no text that can be read */
	__u64 bytes;
	__u32 width; /* bytes of a character */
};

static __always_inline void python_text_of(const struct scratch *s, __u64 string,
					   struct python_text *text)
{
	const struct tm_python *python = &s->python.runtime.python;
	__u64 state = python_word(string + python->string_state);

	state >>= python->string_kind & 31;
	text->width = state & 7;
	text->address = 0;
	text->bytes = 0;
	if (text->width != 2 && text->width != 4)
		text->width = 1;
	if ((state & 7) != text->width || !(state >> PYTHON_STRING_COMPACT & 1))
		return;
	text->address = string + (state >> PYTHON_STRING_ASCII & 1 ? python->string_ascii
								   : python->string_wide);
	text->bytes = (__u32)python_word(string + python->string_length) * (__u64)text->width;
}

/* Of a longer name the beginning is kept, of a longer path the end. */
static __always_inline void python_write_name(struct scratch *s)
{
	struct python_text text;

	python_text_of(s, s->method.key.name, &text);
	method_record(s)->name_width = (__u8)text.width;
	if (text.bytes > TM_METHOD_NAME_MAX)
		method_record(s)->flags |= TM_METHOD_NAME_CUT;
	method_record(s)->name_bytes =
		(__u16)method_copy(s, text.address, text.bytes, TM_METHOD_NAME_MAX);
}

static __always_inline void python_write_file(struct scratch *s)
{
	struct python_text text;

	python_text_of(s, s->method.key.file, &text);
	method_record(s)->file_width = (__u8)text.width;
	if (text.bytes > TM_METHOD_FILE_MAX) {
		method_record(s)->flags |= TM_METHOD_FILE_CUT;
		text.address += text.bytes - TM_METHOD_FILE_MAX;
	}
	method_record(s)->file_bytes =
		(__u16)method_copy(s, text.address, text.bytes, TM_METHOD_FILE_MAX);
}

static __always_inline void python_write_lines(struct scratch *s)
{
	const struct tm_python *python = &s->python.runtime.python;
	__u64 table = s->method.key.lines;

	method_copy_lines(s, table + python->bytes_data, python_word(table + python->bytes_length));
}

/* The texts of the function with s->method.key, into its record. */
__noinline int python_announce(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	if (!s)
		return 0;
	method_record(s)->first_line = s->method.key.first_line;
	if (!s->method.part) {
		python_write_name(s);
		python_write_file(s);
	}
	python_write_lines(s);
	return 0;
}
