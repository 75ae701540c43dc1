/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_method - what a Method of HotSpot, or a stub, is known by, and its number
 *
 * Key        code: the ConstMethod; file and name: the Symbols of class and name; lines and
 *            name_hash: what these are, since classes of one shape that come and go get the
 *            addresses of others; first_line: the index of the signature, and the length of
 *            the code. Of a stub: code: its begin, or the CodeBlob; file: where its code begins;
 *            name: the address of its name; name_hash: the first bytes of that.
 * Kept       a CPU keeps numbers of methods that were announced, until they are to be again. A
 *            walk believes them of compiled code only, after it has read that the nmethod is still
 *            the compilation that it was: as long as it lives, so do the methods that it has. Those
 *            of the interpreter are read anew by each walk.
 */

#include "bpf/java_heap.bpf.h"

/* Reads a structure of the process into s->block. */
static __always_inline bool java_read(struct scratch *s, __u64 address)
{
	return address &&
	       (!bpf_probe_read_user(s->block.words, KREAD_BYTES, (const void *)address) ||
		!bpf_probe_read_user(s->block.words, KREAD_BYTES / 4, (const void *)address));
}

static __always_inline __u64 java_block_field(const struct scratch *s, __u32 offset)
{
	return s->block.words[offset / 8 & (KREAD_WORDS - 1)] >> (offset % 8 * 8);
}

/* The symbol that a pool has at an index. */
static __always_inline __u64 java_symbol(const struct tm_java *java, __u64 pool, __u64 index)
{
	return python_word(pool + java->pool_entries + 8 * (index & 0xffff)) & ~1ull;
}

static __always_inline __u32 java_symbol_length(const struct tm_java *java, __u64 symbol)
{
	return (__u16)python_word(symbol + java->symbol_length);
}

/*
 * What tells a symbol from another one that was at its address before: length, the number that
 * HotSpot gives each (share/oops/symbol.hpp), first and last bytes. References are not counted in,
 * which lie before the length, or behind it where that comes first (Java 8).
 */
static __always_inline __u64 java_symbol_hash(const struct tm_java *java, __u64 symbol)
{
	__u64 head = python_word(symbol), text = symbol + java->symbol_text, hash;
	__u32 length = java_symbol_length(java, symbol);

	head &= java->symbol_length ? ~0xffffull : ~0xffff0000ull;
	hash = (head ^ (__u64)length << 48) * 0x9e3779b97f4a7c15ull;
	if (length < 8)
		return length ? hash ^ python_word(text) << (8 * (8 - length) & 63) : 0;
	hash = (hash ^ python_word(text)) * 0x9e3779b97f4a7c15ull;
	return hash ^ python_word(text + length - 8);
}

/* The key of a Method, into s->method.key. Return: whether it is one. */
__noinline int java_key(__u32 level, __u64 method)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_java *java;
	struct method_key *key;
	__u64 pool;

	if (!s || !method)
		return 0;
	java = &s->java.runtime.java;
	key = method_key_begin(s, METHOD_JAVA);
	key->code = python_word(method + java->method_const);
	if (!java_read(s, key->code))
		return 0;
	pool = java_block_field(s, java->const_pool);
	key->first_line = (__u32)java_block_field(s, java->const_signature) << 16 |
			  (__u16)java_block_field(s, java->const_code_bytes);
	key->name = java_symbol(java, pool, java_block_field(s, java->const_name));
	key->file = python_word(python_word(pool + java->pool_holder) + java->class_name);
	key->lines = java_symbol_hash(java, key->file);
	key->name_hash = java_symbol_hash(java, key->name);
	return key->lines && key->name_hash;
}

static __always_inline __u32 java_compile_id(const struct scratch *s)
{
	return (__u32)java_field(s, s->java.runtime.java.nmethod_compile_id);
}

/* Whether what is known of the Method is true in this walk. Of compiled code it is as long as the
 * nmethod is the same compilation, whose Methods live with it, and they were announced. */
static __always_inline bool java_known_stands(const struct scratch *s,
					      const struct java_known *known)
{
	return known->walk == s->java.walk ||
	       (known->nmethod && known->compile_id == java_compile_id(s) &&
		java_is_process(s, &known->process) &&
		known->epoch == method_epoch(s, known->number));
}

/* What is known of a Method, at this place in s->java.methods. */
__noinline int java_know(__u32 level, __u64 method)
{
	struct scratch *s = nesting_scratch(level);
	struct java_known *known;
	__u64 at;

	if (!s)
		return 0;
	at = ((method ^ s->java.nmethod) * 0x9e3779b97f4a7c15ull) >> 32;
	known = &s->java.methods[at & (JAVA_KNOWN - 1)];
	if (method && known->method == method && known->nmethod == s->java.nmethod &&
	    java_known_stands(s, known))
		return (int)at;
	java_note_process(s, &known->process);
	known->method = method;
	known->nmethod = s->java.nmethod;
	known->compile_id = java_compile_id(s);
	known->walk = s->java.walk;
	known->epoch = 0;
	known->number = TM_RUNTIME_NUMBER_JAVA;
	known->code = 0;
	known->bytes = 0;
	s->walk.looked_up = true; /* so that the clock is read */
	if (!java_key(level, method))
		return (int)at;
	known->number = method_number(level);
	known->code = s->method.key.code + s->java.runtime.java.const_code;
	known->bytes = (__u16)s->method.key.first_line;
	known->epoch = s->method.epoch;
	return (int)at;
}

static __always_inline const struct java_known *java_known(struct scratch *s, __u32 level,
							   __u64 method)
{
	return &s->java.methods[(__u32)java_know(level, method) & (JAVA_KNOWN - 1)];
}
