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

#include "bpf/java_caller.bpf.h"
#include "bpf/java_scopes.bpf.h"

#define JAVA_TITLE_DEOPT 0x696d6974706f6544ull /* "Deoptimi"zationBlob */
#define JAVA_TITLE_TRAP  0x6e6f6d6d6f636e55ull /* "Uncommon"TrapBlob */
#define JAVA_SENDER_SP   (-1)                  /* in words from fp, cpu/x86/frame_x86.hpp */
#define JAVA_FRAME_NONE  0xffffffffu

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
	const struct java_site *site;
	const struct tm_java *java;
	__u64 pc, deopt;

	if (!s || !java_compiled_caller(level))
		return 0;
	java = &s->java.runtime.java;
	pc = s->walk.ip;
	deopt = java_place(java_field(s, java->nmethod_deopt), java->nmethod_deopt_bytes,
			   s->java.blob);
	s->java.frame_bytes = s->walk.called && !s->runtimes.java_by_call && pc != deopt
				      ? 8 * (__u32)java_field(s, java->blob_frame_words)
				      : 0;
	if (pc == deopt)
		user_stack_read(s, level,
				s->walk.sp + (__u32)java_field(s, java->nmethod_original_pc), &pc);
	s->java.method = java_field(s, java->nmethod_method);
	s->java.place = TM_FRAME_PLACE_MAX;
	s->java.nmethod = s->java.blob;
	s->java.scope = s->java.title == JAVA_TITLE_NMETHOD
				? java_scope_find(level, (__u32)(pc - s->java.code))
				: 0;
	if (s->java.scope && !s->java.frame_bytes) {
		java_site_at(s, s->java.blob, s->java.scope);
		site = java_site_known(s);
		if (site) {
			java_site_take(s, site);
			return 1;
		}
		java_site_begin(s);
		s->java.frame_bytes = JAVA_SITE_SCOPE;
	}
	if (s->java.scope)
		java_scope_enter(level);
	s->runtimes.java_inside = 1;
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
	s->java.nmethod = 0;
	s->java.scope = 0;
	if (java_leaving(level)) {
		java_put_stub(level);
		return 1;
	}
	if (java_entering(level) &&
	    java_take_method(s, level, user_regs_read(level, JAVA_REGISTER_RBX), 0, false)) {
		s->runtimes.java_inside = 1;
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
	s->runtimes.java_inside = 1;
	return 1;
}

/* Of a place that is known. Return: 0: it is not. */
__noinline int java_again(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct java_site *site;

	if (!s || !s->walk.called || s->walk.sp_lost || s->runtimes.java_by_call)
		return 0;
	if (!s->runtimes.java_begun)
		java_begin(level);
	site = s->runtimes.java_known ? java_site_known(s) : NULL;
	if (!site)
		return 0;
	s->java.frameless = 0;
	s->java.frame_bytes = 0;
	if (!site->bytes)
		return java_interpreted(level);
	if (!(site->bytes == JAVA_SITE_PART ? java_part_by_fp(s, level, s->walk.fp)
					    : java_by_sp(s, level, site->bytes)))
		return 0;
	java_site_take(s, site);
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
	if (s->walk.called)
		java_site_begin(s);
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
	s->runtimes.java_lost = !known && !s->walk.sp_lost;
	return known;
}

/* Finds the caller of the current frame if its code is the JVM's. Return: 1: s->walk.caller; 0: it
 * is not, or the frame is none. */
static __always_inline int java_enter(struct scratch *s, __u32 level)
{
	int known;

	if (!s->walk.frames)
		return 0;
	s->runtimes.java_lost = 0;
	java_site_at(s, s->walk.ip, 0);
	known = java_again(level) || java_first(level);
	if (s->runtimes.java_inside)
		frame_take(s);
	s->runtimes.java_by_call = s->runtimes.java_by_call && !s->walk.called;
	s->walk.sp_lost = s->walk.sp_lost && !known;
	if (known)
		s->walk.kept_state = WALK_KEPT_LOST;
	return known;
}

/* Puts the frame of one method. Return: 0: it was the last one. */
__noinline int java_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct java_known *known;
	__u64 frame;

	if (!s)
		return 0;
	known = java_known(s, level, s->java.method);
	frame = FRAME(METHOD) | known->number << TM_FRAME_METHOD_SHIFT | s->java.place;
	frame_put(s, frame);
	if (s->java.frame_bytes)
		java_site_put(s, frame, known->number, known->epoch);
	if (s->java.scope) {
		java_scope_enter(level);
		return 1;
	}
	s->runtimes.java_inside = 0;
	if (s->java.frame_bytes)
		java_site_keep(s, s->java.frame_bytes);
	return 0;
}
