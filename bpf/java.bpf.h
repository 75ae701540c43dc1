/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java - walks the frames of HotSpot's code, as shared/runtime.h describes it
 *
 * Kinds      by the name of the CodeBlob, as every version has it: compiled code, wrappers of
 *            native methods, the interpreter, stubs.
 * Order      the frame of the code's address is replaced by METHOD frames: what is inlined, then
 *            the method; one of a stub.
 * Registers  the caller's sp and fp are read from the stack that the walk is on, like those of any
 *            other frame; a pc is looked up like any other.
 * Source     share/code/codeBlob.hpp, cpu/x86/{frame_x86,macroAssembler_x86,templateInterpreter*}.
 */

#include "bpf/java_entry.bpf.h"
#include "bpf/java_scopes.bpf.h"
#include "bpf/java_site.bpf.h"

#define JAVA_TITLE_DEOPT    0x696d6974706f6544ull /* "Deoptimi"zationBlob */
#define JAVA_TITLE_TRAP     0x6e6f6d6d6f636e55ull /* "Uncommon"TrapBlob */
#define JAVA_FRAME_MAX      (1u << 20) /* bytes of a frame of compiled code; more is none */
#define JAVA_PUSHED_BYTES   16
#define JAVA_SENDER_SP      (-1) /* in words from fp, cpu/x86/frame_x86.hpp */
#define JAVA_FRAME_NONE     0xffffffffu
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
	if ((s->java.by_call || !s->walk.called) && s->java.title == JAVA_TITLE_NMETHOD &&
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

	s->java.by_call = 1;
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

/* The caller of a stub of many in a blob, with a frame pointer. The one that is called by the entry
 * barrier of an nmethod has a word before that. */
static __always_inline int java_part_caller(struct scratch *s, __u32 level)
{
	int leaf = java_leaf_compiled(level, 0);

	if (leaf == JAVA_LEAF_RETURN)
		return java_by_return(s, level);
	if (!java_by_fp(s, level, leaf == JAVA_LEAF_FRAME ? s->walk.fp : s->walk.sp))
		return 0;
	if (s->walk.caller.ra != JAVA_BARRIER_COOKIE)
		return 1;
	s->walk.caller.ra_at += 8;
	s->walk.caller.sp += 8;
	return user_stack_read(s, level, s->walk.caller.ra_at, &s->walk.caller.ra);
}

/* Whether a leaf of so many bytes has put its return address, which is at sp, there once more. */
static __always_inline bool java_has_copy(struct scratch *s, __u32 level, __u64 bytes)
{
	__u64 copy = 0, ra = 0;

	return bytes > 16 && user_stack_read(s, level, s->walk.sp, &ra) &&
	       user_stack_read(s, level, s->walk.sp + bytes - 8, &copy) && copy == ra;
}

static __always_inline bool java_aligns(const struct scratch *s)
{
	return s->java.title == JAVA_TITLE_DEOPT || s->java.title == JAVA_TITLE_TRAP;
}

/* Of a stub; 0: unknown. */
__noinline int java_stub(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u32 words;
	__u64 bytes;

	if (!s)
		return 0;
	java_put_stub(level);
	words = (__u32)java_field(s, s->java.runtime.java.blob_frame_words);
	bytes = 8ull * words;
	if (words && java_leaf_find_call(level))
		return java_by_call(s, level);
	if (words == JAVA_FRAME_NONE)
		return java_unsized_caller(level);
	if (s->java.title == JAVA_TITLE_ADAPTER)
		return java_adapter_caller(level);
	if (s->java.frameless && !java_has_copy(s, level, bytes))
		return java_by_return(s, level);
	/* Their second call is with an aligned sp. */
	if (java_aligns(s) && s->walk.fp - s->walk.sp == bytes - 8)
		return java_by_fp(s, level, s->walk.fp);
	return words ? java_compiled_caller(level) : java_part_caller(s, level);
}

/* Of compiled code: what its debug information says is inlined at its place. */
__noinline int java_compiled(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_java *java;
	__u64 pc, deopt;

	if (!s || !java_compiled_caller(level))
		return 0;
	java = &s->java.runtime.java;
	pc = s->walk.ip;
	deopt = java_place(java_field(s, java->nmethod_deopt), java->nmethod_deopt_bytes,
			   s->java.blob);
	s->java.frame_bytes = s->walk.called && !s->java.by_call && pc != deopt
				      ? 8 * (__u32)java_field(s, java->blob_frame_words)
				      : 0;
	if (pc == deopt)
		user_stack_read(s, level,
				s->walk.sp + (__u32)java_field(s, java->nmethod_original_pc), &pc);
	s->java.method = java_field(s, java->nmethod_method);
	s->java.place = TM_FRAME_PLACE_MAX;
	s->java.scope = 0;
	if (s->java.title == JAVA_TITLE_NMETHOD) {
		s->java.scope = java_scope_find(level, (__u32)(pc - s->java.code));
		if (s->java.scope)
			java_scope_enter(level);
	}
	s->java.inside = 1;
	return 1;
}

/* Takes the method and the place in it, if it is one. */
static __always_inline bool java_take_method(struct scratch *s, __u32 level, __u64 method,
					     __u64 bytecode, bool exact)
{
	const struct java_known *known = java_known(s, level, method);

	if (!known->code || (exact && bytecode - known->code >= known->bytes))
		return false;
	s->java.method = method;
	s->java.place = bytecode - known->code < known->bytes ? (__u32)(bytecode - known->code)
							      : TM_FRAME_PLACE_MAX;
	return true;
}

/* Of the interpreter. */
__noinline int java_interpreted(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_java *java;
	__u64 fp, method = 0, bytecode = 0, sp = 0, at = 0;

	if (!s)
		return 0;
	java = &s->java.runtime.java;
	fp = s->walk.fp;
	s->java.scope = 0;
	if (java_leaving(level)) {
		java_put_stub(level);
		return 1;
	}
	if (java_entering(level) &&
	    java_take_method(s, level, user_regs_read(level, JAVA_REGISTER_RBX), 0, false)) {
		s->java.inside = 1;
		return 1;
	}
	if (fp & 7 || (!s->walk.sp_lost && fp < s->walk.sp) ||
	    !user_stack_read(s, level, fp + 8 * (__s64)java->frame_code, &bytecode) ||
	    !user_stack_read(s, level, fp + 8 * (__s64)java->frame_method, &method) ||
	    !user_stack_read(s, level, fp + 8 * JAVA_SENDER_SP, &sp) || !java_by_fp(s, level, fp))
		return 0;
	if (sp > fp && stack_has(s, sp))
		s->walk.caller.sp = sp;
	if (!s->walk.called)
		at = user_regs_read(level, JAVA_REGISTER_R13);
	if (!(at && java_take_method(s, level, method, at, true)) &&
	    !java_take_method(s, level, method, bytecode, false))
		return 0;
	s->java.inside = 1;
	return 1;
}

/* Of a place that is known. Return: 0: it is not. */
__noinline int java_again(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct java_site *site;

	if (!s || !s->walk.called || s->walk.sp_lost || s->java.by_call)
		return 0;
	if (!s->java.begun)
		java_begin(level);
	site = s->java.known ? java_site_known(s) : NULL;
	if (!site || s->walk.frames + site->count > s->walk.frames_most)
		return 0;
	s->java.frameless = 0;
	s->java.frame_bytes = 0;
	if (!site->bytes)
		return java_interpreted(level);
	if (!java_by_sp(s, level, site->bytes))
		return 0;
	frame_take(s);
	for (__u32 i = 0; i < JAVA_SITE_FRAMES; i++)
		if (i < site->count)
			frame_put(s, site->frames[i]);
	return 1;
}

/* Of code that this walk has not met. */
__noinline int java_first(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	int known;

	if (!s || !java_blob_find(level, s->walk.ip - s->walk.called))
		return 0;
	s->walk.looked_up = true; /* so that the clock is read */
	s->java.frameless = (__u32)java_leaf_was_called(level);
	s->java.frame_bytes = 0;
	s->java.unsaid = java_unsaid(s);
	if (s->walk.called) {
		java_site(s)->ip = 0;
		java_site(s)->count = 0;
	}
	if (s->java.title == JAVA_TITLE_INTERPRETER) {
		if (s->walk.called)
			java_site_keep(s, 0);
		return java_interpreted(level);
	}
	if (s->java.title == JAVA_TITLE_NMETHOD || s->java.title == JAVA_TITLE_NATIVE) {
		known = java_compiled(level);
	} else {
		known = java_stub(level);
	}
	/* The frame pointer would lead to some caller's caller. */
	s->java.lost = !known && !s->walk.sp_lost;
	return known;
}

/* Finds the caller of the current frame if its code is the JVM's. Return: 1: s->walk.caller; 0: it
 * is not, or the frame is none. */
static __always_inline int java_enter(struct scratch *s, __u32 level)
{
	int known;

	if (!s->walk.frames)
		return 0;
	s->java.lost = 0;
	known = java_again(level) || java_first(level);
	if (s->java.inside)
		frame_take(s);
	s->java.by_call = s->java.by_call && !s->walk.called;
	s->walk.sp_lost = s->walk.sp_lost && !known;
	if (known)
		s->walk.kept_state = WALK_KEPT_LOST;
	return known;
}

/* Puts the frame of one method. Return: 0: it was the last one. */
__noinline int java_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct java_site *site;
	__u64 frame;

	if (!s)
		return 0;
	frame = FRAME(METHOD) |
		java_known(s, level, s->java.method)->number << TM_FRAME_METHOD_SHIFT |
		s->java.place;
	frame_put(s, frame);
	site = java_site(s);
	if (s->java.frame_bytes && site->count < JAVA_SITE_FRAMES)
		site->frames[site->count] = frame;
	site->count += s->java.frame_bytes != 0;
	if (s->java.scope) {
		java_scope_enter(level);
		return 1;
	}
	s->java.inside = 0;
	if (s->java.frame_bytes && site->count <= JAVA_SITE_FRAMES)
		java_site_keep(s, s->java.frame_bytes);
	return 0;
}
