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

#include "bpf/java_leaf.bpf.h"
#include "bpf/java_scopes.bpf.h"
#include "bpf/java_stub.bpf.h"
#include "bpf/user_regs.bpf.h"

#define JAVA_TITLE_NMETHOD     0x646f6874656d6eull   /* "nmethod" */
#define JAVA_TITLE_NATIVE      0x6e2065766974616eull /* "native n"method */
#define JAVA_TITLE_INTERPRETER 0x6572707265746e49ull /* "Interpre"ter */
#define JAVA_TITLE_ADAPTER     0x204932432f433249ull /* "I2C/C2I "adapters */
#define JAVA_FRAME_MAX         (1u << 20) /* bytes of a frame of compiled code; more is none */
#define JAVA_PUSHED_BYTES      16
#define JAVA_SENDER_SP         (-1) /* in words from fp, cpu/x86/frame_x86.hpp */
#define JAVA_REGISTER_METHOD   3    /* rbx, by its DWARF number */
#define JAVA_REGISTER_CODE     13   /* r13 */
#define JAVA_REGISTER_RETURN   0    /* rax: an adapter has taken the return address there, */
#define JAVA_REGISTER_SENDER   13   /* and the caller's sp here */

static __always_inline struct java_site *java_site(struct scratch *s)
{
	__u64 at = (s->walk.ip * 0x9e3779b97f4a7c15ull) >> 32;

	return &s->java.sites[at & (JAVA_SITES - 1)];
}

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

/* The caller of compiled code, or of a stub with a frame. Wrappers of native methods keep a frame
 * pointer, and push more behind it or drop it early. */
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
	if (bytes < 16 || bytes > JAVA_FRAME_MAX || s->walk.sp_lost)
		return 0;
	if (s->java.title == JAVA_TITLE_NATIVE && s->java.frameless)
		return java_by_return(s, level);
	if (s->java.title == JAVA_TITLE_NATIVE && java_has_fp(s, level, bytes))
		return java_by_fp(s, level, s->walk.fp);
	leaf = java_leaf_compiled(level, (__u32)complete);
	if (leaf == JAVA_LEAF_RETURN)
		return java_by_return(s, level);
	if (leaf == JAVA_LEAF_PUSHED)
		return java_by_sp(s, level, 16);
	if (!java_by_sp(s, level, bytes))
		return 0;
	/* C1 pushes the arguments of checks of types (share/c1: slow_subtype_check). */
	if (s->java.by_call && java_heap_of(s, s->walk.caller.ra) == JAVA_HEAPS &&
	    !java_by_sp(s, level, bytes + JAVA_PUSHED_BYTES))
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

/* The caller of a leaf in an adapter, which moves the arguments to where the callee expects them,
 * and the return address with them. */
static __always_inline bool java_by_registers(struct scratch *s, __u32 level)
{
	struct caller *caller = &s->walk.caller;

	caller->ra_at = 0;
	caller->ra = user_regs_read(level, JAVA_REGISTER_RETURN);
	caller->sp = user_regs_read(level, JAVA_REGISTER_SENDER);
	caller->fp = s->walk.fp;
	return !s->walk.called && java_heap_of(s, caller->ra) < JAVA_HEAPS &&
	       stack_has(s, caller->sp) && unwind_prologue_called(caller->ra);
}

/* Of a stub; 0: unknown. */
__noinline int java_stub(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	int known, leaf, own; /* a blob of its own */

	if (!s)
		return 0;
	own = (__u32)java_field(s, s->java.runtime.java.blob_frame_words) != 0;
	if (own && java_leaf_find_call(level)) {
		known = java_by_call(s, level);
	} else if (s->java.frameless) {
		known = java_by_return(s, level);
	} else if (own) {
		known = java_compiled_caller(level);
	} else if (s->java.title == JAVA_TITLE_ADAPTER) {
		known = java_by_registers(s, level);
	} else {
		leaf = java_leaf_compiled(level, 0);
		if (leaf == JAVA_LEAF_RETURN)
			known = java_by_return(s, level);
		else
			known = java_by_fp(s, level,
					   leaf == JAVA_LEAF_FRAME ? s->walk.fp : s->walk.sp);
	}
	java_put_stub(level);
	return known;
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
	java_site(s)->ip = 0;
	java_site(s)->count = 0;
	pc = s->walk.ip;
	deopt = java_place(java_field(s, java->nmethod_deopt), java->nmethod_deopt_bytes,
			   s->java.blob);
	s->java.frame_bytes = s->walk.called && pc != deopt
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

/* The interpreter has not made the frame of the method that it enters. */
static __always_inline int java_entering(struct scratch *s, __u32 level)
{
	return java_by_return(s, level) &&
	       java_take_method(s, level, user_regs_read(level, JAVA_REGISTER_METHOD), 0, false);
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
	if (s->java.frameless && java_entering(s, level)) {
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
		at = user_regs_read(level, JAVA_REGISTER_CODE);
	if (!(at && java_take_method(s, level, method, at, true)) &&
	    !java_take_method(s, level, method, bytecode, false))
		return 0;
	s->java.inside = 1;
	return 1;
}

/* Of a place that this walk has met before. Return: 0: it has not. */
__noinline int java_again(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct java_site *site;

	if (!s || !s->java.known || !s->walk.called || s->walk.sp_lost)
		return 0;
	site = java_site(s);
	if (site->ip != s->walk.ip || s->walk.frames + site->count > s->walk.frames_most)
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
	if (s->java.title == JAVA_TITLE_INTERPRETER) {
		known = java_interpreted(level);
		java_site(s)->ip = s->walk.called ? s->walk.ip : 0;
		java_site(s)->bytes = 0;
		java_site(s)->count = 0;
	} else if (s->java.title == JAVA_TITLE_NMETHOD || s->java.title == JAVA_TITLE_NATIVE) {
		known = java_compiled(level);
	} else {
		known = java_stub(level);
	}
	/* The frame pointer would lead to some caller's caller. */
	s->java.lost = !known && !s->walk.sp_lost && s->java.title != JAVA_TITLE_INTERPRETER;
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
	if (s->java.frame_bytes && site->count <= JAVA_SITE_FRAMES) {
		site->ip = s->walk.ip;
		site->bytes = s->java.frame_bytes;
	}
	return 0;
}
