/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_caller - where the caller's registers are, for compiled code and for stubs
 *
 * They are read from the stack that the walk is on, into s->walk.caller, by the size of the frame,
 * by the frame pointer, or, of a leaf without a frame, by what java_leaf.bpf.h says.
 */

#include "bpf/java_entry.bpf.h"

#define JAVA_FRAME_MAX      (1u << 20) /* bytes of a frame of compiled code; more is none */
#define JAVA_PUSHED_BYTES   16
#define JAVA_BARRIER_COOKIE (~0ull)
#define JAVA_CODE_ENTER     0xec8b4855ull /* push %rbp; mov %rsp, %rbp */
#define JAVA_CODE_SUB_8     0x08ec8348ull /* sub $8, %rsp */
#define JAVA_CODE_ADD_8     0x08c48348ull

/* The caller of a frame that begins with a saved frame pointer. */
static __always_inline bool java_by_fp(struct scratch *s, __u32 level, __u64 fp)
{
	struct caller *caller = &s->walk.caller;

	caller->ra_at = fp + 8;
	caller->sp = fp + 16;
	return !(fp & 7) && user_stack_read(s, level, fp, &caller->fp) &&
	       user_stack_read(s, level, fp + 8, &caller->ra);
}

/* The caller of a frame with so many bytes, its return address included. */
static __always_inline bool java_by_sp(struct scratch *s, __u32 level, __u64 bytes)
{
	return java_by_fp(s, level, s->walk.sp + bytes - 16);
}

/* The caller of a leaf without a frame. */
static __always_inline bool java_by_return(struct scratch *s, __u32 level)
{
	s->walk.caller.ra_at = s->walk.sp;
	s->walk.caller.sp = s->walk.sp + 8;
	s->walk.caller.fp = s->walk.fp;
	return user_stack_read(s, level, s->walk.sp, &s->walk.caller.ra);
}

/* Whether a leaf of so many bytes has its frame pointer, though not all of its frame. */
static __always_inline bool java_has_fp(struct scratch *s, __u32 level, __u64 bytes)
{
	__u64 distance = s->walk.fp - s->walk.sp, ra;

	return !s->walk.called && distance <= bytes - 16 && !(distance & 7) &&
	       user_stack_read(s, level, s->walk.fp + 8, &ra) && java_heap_of(s, ra) < JAVA_HEAPS;
}

/*
 * Compiled code pushes one word more while it compares strings (C2: string_compare), and two, the
 * arguments of a check of types, for its call (C1: slow_subtype_check). Its caller is in the heaps,
 * whether compiled, interpreted, or a stub.
 */
static __always_inline bool java_behind_pushed(struct scratch *s, __u32 level, __u64 bytes)
{
	for (__u32 more = 8; more <= JAVA_PUSHED_BYTES; more += 8)
		if (java_heap_of(s, s->walk.caller.ra) == JAVA_HEAPS &&
		    !java_by_sp(s, level, bytes + more))
			return false;
	return java_heap_of(s, s->walk.caller.ra) < JAVA_HEAPS || java_by_sp(s, level, bytes);
}

/* The caller of compiled code, or of a stub with a frame. Wrappers of native methods and many stubs
 * keep a frame pointer, and push more behind it or drop it early. */
__noinline int java_compiled_caller(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_java *java;
	__u64 bytes, complete;
	int leaf;

	if (!s)
		return 0;
	java = &s->java.runtime.java;
	bytes = 8ull * (__u32)java_field(s, java->blob_frame_words);
	complete = java_field(s, java->blob_complete);
	complete = java->blob_complete_bytes == 2 ? (__u64)(__s16)complete : (__u64)(__s32)complete;
	if (complete >> 63)
		complete = 0;
	if (s->java.title == JAVA_TITLE_NATIVE && s->java.frameless)
		return java_by_return(s, level);
	if (bytes < 16 || bytes > JAVA_FRAME_MAX || s->walk.sp_lost)
		return 0;
	if (s->java.title != JAVA_TITLE_NMETHOD && java_has_fp(s, level, bytes))
		return java_by_fp(s, level, s->walk.fp);
	leaf = java_leaf_compiled(level, (__u32)complete);
	if (leaf == JAVA_LEAF_RETURN)
		return java_by_return(s, level);
	if (leaf == JAVA_LEAF_PUSHED)
		return java_by_sp(s, level, 16);
	if (leaf > JAVA_LEAF_MORE)
		bytes += (__u32)leaf - JAVA_LEAF_MORE;
	if (!java_by_sp(s, level, bytes))
		return 0;
	if ((s->runtimes.java_by_call || !s->walk.called) && s->java.title == JAVA_TITLE_NMETHOD &&
	    !java_behind_pushed(s, level, bytes))
		return 0;
	if (leaf == JAVA_LEAF_UNSAVED)
		s->walk.caller.fp = s->walk.fp;
	return 1;
}

/* The caller of a leaf in a stub, which was found by its call. */
static __always_inline bool java_by_call(struct scratch *s, __u32 level)
{
	struct caller *caller = &s->walk.caller;

	s->runtimes.java_by_call = 1;
	caller->sp = caller->ra_at + 8;
	caller->fp = s->walk.fp;
	return s->walk.fp != caller->ra_at - 8 ||
	       user_stack_read(s, level, s->walk.fp, &caller->fp);
}

/* The caller of a stub without a number for its frame: it keeps a frame pointer, or has none and
 * aligns sp for its calls. */
__noinline int java_unsized_caller(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 start = 0, code = 0, before = 0;

	if (!s || !java_leaf_read(s, &code, &before) ||
	    bpf_probe_read_user(&start, sizeof(start), (const void *)s->java.code))
		return 0;
	if ((start & JAVA_CODE_4) == JAVA_CODE_ENTER)
		return java_by_fp(s, level, s->walk.fp);
	if (!s->walk.called && s->java.frameless)
		return java_by_return(s, level);
	if ((code & JAVA_CODE_4) == JAVA_CODE_ADD_8 ||
	    (!s->walk.called && before >> 32 == JAVA_CODE_SUB_8)) {
		s->walk.sp += 8;
		return java_by_return(s, level);
	}
	return s->walk.called && java_by_return(s, level);
}

/* The caller of a stub of many in a blob, whose frame begins at @fp. The one that is called by the
 * entry barrier of an nmethod has a word before its return address. */
static __always_inline int java_part_by_fp(struct scratch *s, __u32 level, __u64 fp)
{
	if (!java_by_fp(s, level, fp))
		return 0;
	if (s->walk.caller.ra != JAVA_BARRIER_COOKIE)
		return 1;
	s->walk.caller.ra_at += 8;
	s->walk.caller.sp += 8;
	return user_stack_read(s, level, s->walk.caller.ra_at, &s->walk.caller.ra);
}

static __always_inline int java_part_caller(struct scratch *s, __u32 level)
{
	int leaf = java_leaf_compiled(level, 0);

	if (s->walk.called && java_site(s)->count)
		java_site_keep(s, JAVA_SITE_PART);
	if (leaf == JAVA_LEAF_RETURN)
		return java_by_return(s, level);
	return java_part_by_fp(s, level, leaf == JAVA_LEAF_FRAME ? s->walk.fp : s->walk.sp);
}
