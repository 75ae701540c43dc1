/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_announce - class, name, signature, file and line table of a Java method, into its METHOD
 * record
 */

#include "bpf/java_method.bpf.h"

#define JAVA_STUB_NAME_MAX 128             /* bytes; a longer name is cut */
#define JAVA_CODELET       "Interpreter: " /* before the name of a codelet, such as ireturn */

/* Appends a symbol's text, at most so many bytes. Return: how many; @flag is set if it is cut. */
static __always_inline __u16 java_write_symbol(struct scratch *s, __u64 symbol, __u32 most,
					       __u32 flag)
{
	const struct tm_java *java = &s->java.runtime.java;
	__u32 length;

	if (!symbol)
		return 0;
	length = java_symbol_length(java, symbol);
	if (length > most)
		method_record(s)->flags |= (__u16)flag;
	/* Without a length it is not in memory. */
	return (__u16)method_copy(s, length ? symbol + java->symbol_text : 0, length, most);
}

/* The symbol of the source file; 0: not known. */
static __always_inline __u64 java_file_symbol(const struct tm_java *java, __u64 pool)
{
	__u64 holder = python_word(pool + java->pool_holder), index;

	if (java->pool_file != TM_RUNTIME_NONE)
		index = (__u16)python_word(pool + java->pool_file);
	else
		index = (__u16)python_word(holder + java->class_file);
	return index ? java_symbol(java, pool, index) : 0;
}

/* The line table follows the code; where it ends is known to who reads it. */
static __always_inline void java_write_lines(struct scratch *s)
{
	const struct tm_java *java = &s->java.runtime.java;
	__u64 constant = s->method.key.code, from = java->const_code, bytes;

	if (!((__u32)python_word(constant + java->const_flags) & java->const_lines))
		return;
	from += (__u16)python_word(constant + java->const_code_bytes);
	bytes = 8ull * (__u32)python_word(constant + java->const_words);
	if (bytes <= from)
		return;
	method_copy_lines(s, constant + from, bytes - from);
}

/* What a record says beside the line table. */
static __always_inline void java_write_names(struct scratch *s, const struct tm_java *java)
{
	__u64 pool = python_word(s->method.key.code + java->const_pool);
	struct tm_method *record = method_record(s);

	record->class_bytes =
		java_write_symbol(s, s->method.key.file, TM_METHOD_CLASS_MAX, TM_METHOD_CLASS_CUT);
	record->name_bytes =
		java_write_symbol(s, s->method.key.name, TM_METHOD_NAME_MAX, TM_METHOD_NAME_CUT);
	record->signature_bytes =
		java_write_symbol(s, java_symbol(java, pool, s->method.key.first_line >> 16),
				  TM_METHOD_SIGNATURE_MAX, TM_METHOD_SIGNATURE_CUT);
	record->file_bytes = java_write_symbol(s, java_file_symbol(java, pool), TM_METHOD_FILE_MAX,
					       TM_METHOD_FILE_CUT);
}

/* The texts of the method with s->method.key. */
__noinline int java_announce(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	if (!s)
		return 0;
	if (!s->method.part)
		java_write_names(s, &s->java.runtime.java);
	java_write_lines(s);
	return 0;
}

/* The name of a stub or codelet. */
__noinline int java_announce_stub(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_method *record;
	__u32 before = 0;
	char *text;
	long bytes;

	if (!s)
		return 0;
	record = method_record(s);
	record->flags |= TM_METHOD_STUB;
	text = (char *)s->frames + sizeof(*record);
	if (s->method.key.kind == METHOD_JAVA_CODELET) {
		before = sizeof(JAVA_CODELET) - 1;
		__builtin_memcpy(text, JAVA_CODELET, before);
	}
	bytes = bpf_probe_read_user_str(text + before, JAVA_STUB_NAME_MAX,
					(const void *)s->method.key.name);
	if (bytes <= 1) {
		record->flags |= TM_METHOD_NOT_RESIDENT;
		return 0;
	}
	record->name_bytes = (__u16)(before + bytes - 1);
	record->event.bytes += before + (__u32)(bytes - 1);
	return 0;
}
