/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_leaf - where the return address of machine code of the JVM's lies that has no frame
 *
 * In the prologue and the epilogue of compiled code the instructions tell; a stub that makes no
 * frame at all is known by its return address, right behind a call.
 */

#include "bpf/java_heap.bpf.h"
#include "bpf/unwind_prologue.bpf.h"
#include "bpf/user_stack.bpf.h"

#define JAVA_TITLE_NATIVE    0x6e2065766974616eull /* "native n"method */

#define JAVA_LEAF_WORDS      20 /* that a stub pushes at most before its frame is complete */
#define JAVA_LEAF_JUMP_BYTES 10 /* of the instruction before the jump */

#define JAVA_LEAF_FRAME      0 /* it has its frame */
#define JAVA_LEAF_RETURN     1 /* sp is where the return address lies */
#define JAVA_LEAF_PUSHED     2 /* and the caller's frame pointer before it */
#define JAVA_LEAF_UNSAVED    3 /* it has its frame, but not yet saved the frame pointer */
#define JAVA_LEAF_MORE       8 /* and so many bytes above this number more */

#define JAVA_CODE_PUSH_FP    0x55
#define JAVA_CODE_POP_FP     0x5d
#define JAVA_CODE_RET        0xc3
#define JAVA_CODE_CALL       0xe8
#define JAVA_CODE_SUB_SP     0xec8148ull /* sub imm32, %rsp; with 0xec8348 imm8 */
#define JAVA_CODE_SUB_SP_8   0xec8348ull
#define JAVA_CODE_MOV_FP     0xec8b48ull /* mov %rsp, %rbp, in the two forms */
#define JAVA_CODE_MOV_FP_2   0xe58948ull
#define JAVA_CODE_SAVE_FP    0x6c8948ull /* mov %rbp, disp(%rsp) */
#define JAVA_CODE_SAVE_FP_4  0xac8948ull
#define JAVA_CODE_CMP        0x7f8141ull /* cmpl imm32, disp(%r15) */
#define JAVA_CODE_CMP_4      0xbf8141ull
#define JAVA_CODE_POP        0x58 /* any of eight registers */
#define JAVA_CODE_PUSH       0x50
#define JAVA_CODE_3          0xffffffull
#define JAVA_CODE_4          0xffffffffull
#define JAVA_CODE_5          0xffffffffffull

static __always_inline bool java_leaf_is_mov_fp(__u64 three)
{
	return three == JAVA_CODE_MOV_FP || three == JAVA_CODE_MOV_FP_2;
}

/* The caller's frame pointer was saved, and the next instruction sets the own one. */
static __always_inline bool java_leaf_sets_fp(__u64 code, __u64 before)
{
	return before >> 56 == JAVA_CODE_PUSH_FP && java_leaf_is_mov_fp(code & JAVA_CODE_3);
}

/* It was saved, and the next instruction makes room for the rest of the frame. */
static __always_inline bool java_leaf_makes_room(__u64 code, __u64 before)
{
	__u64 three = code & JAVA_CODE_3;

	return (three == JAVA_CODE_SUB_SP || three == JAVA_CODE_SUB_SP_8) &&
	       (before >> 56 == JAVA_CODE_PUSH_FP || java_leaf_is_mov_fp(before >> 40));
}

/* Behind that, code asks whether it is still valid (17 on): a comparison, which is aligned, and je
 * over a call, or jne to one. */
static __always_inline bool java_leaf_asks(__u64 code, __u64 before)
{
	__u64 three = code & JAVA_CODE_3;

	return (before >> 32 & JAVA_CODE_3) == JAVA_CODE_SUB_SP_8 ||
	       (before >> 8 & JAVA_CODE_3) == JAVA_CODE_SUB_SP || three == JAVA_CODE_CMP ||
	       three == JAVA_CODE_CMP_4 || (code & 0xffff) == 0x0574 ||
	       (code & JAVA_CODE_4) == 0x0005840f ||
	       ((code & 0xffff) == 0x850f && (before & JAVA_CODE_3) == JAVA_CODE_CMP);
}

/* Before the frame is complete; no return address is read by a pc that lies behind. */
static __always_inline int java_leaf_prologue(__u64 code, __u64 before)
{
	__u64 three = code & JAVA_CODE_3;

	if (three == JAVA_CODE_SAVE_FP || three == JAVA_CODE_SAVE_FP_4)
		return JAVA_LEAF_UNSAVED;
	if (java_leaf_sets_fp(code, before) || java_leaf_makes_room(code, before))
		return JAVA_LEAF_PUSHED;
	return java_leaf_asks(code, before) ? JAVA_LEAF_FRAME : JAVA_LEAF_RETURN;
}

/* Whether what follows polls for a safepoint as code does that returns: cmp poll(%r15), %rsp and
 * ja (16 on); test %eax, poll(%rip), then ret (to 10); mov page(%r15), %r10 behind pop, test %eax,
 * (%r10), then ret (11 to 15). */
static __always_inline bool java_leaf_polls(__u64 code, __u64 before)
{
	__u64 three = code & JAVA_CODE_3;

	if (three == 0x673b49 || three == 0xa73b49)
		return true;
	if (three == 0x578b4d || three == 0x978b4d)
		return before >> 56 == JAVA_CODE_POP_FP;
	if ((code & 0xffff) == 0x870f)
		return (before >> 32 & JAVA_CODE_3) == 0x673b49 ||
		       (before >> 8 & JAVA_CODE_3) == 0xa73b49;
	if ((code & 0xffff) == 0x0585)
		return (code >> 48 & 0xff) == JAVA_CODE_RET;
	return (code & JAVA_CODE_4) == 0xc3028541ull;
}

static __always_inline bool java_leaf_pops(__u64 code)
{
	return (code & 0xf8) == JAVA_CODE_POP || (code & 0xf8ff) == (0x41 | JAVA_CODE_POP << 8);
}

static __always_inline bool java_leaf_pushes(__u64 byte)
{
	return (byte & 0xf8) == JAVA_CODE_PUSH;
}

/* Bytes that C1 has pushed to check a type: two arguments, which it pops again behind the call. */
static __always_inline int java_leaf_arguments(__u64 code, __u64 before)
{
	__u64 last = before >> 56;

	if (java_leaf_pops(code) && (before >> 24 & 0xff) == JAVA_CODE_CALL)
		return 16;
	if (java_leaf_pops(code) && java_leaf_pops(last) &&
	    ((before >> 16 & 0xff) == JAVA_CODE_CALL || (before >> 8 & 0xff) == JAVA_CODE_CALL))
		return 8;
	if (!java_leaf_pushes(last))
		return 0;
	if ((code & 0xff) == 0x41)
		code >>= 8;
	else if ((code & 0xff) == JAVA_CODE_CALL)
		return 16;
	return java_leaf_pushes(code) && (code >> 8 & 0xff) == JAVA_CODE_CALL ? 8 : 0;
}

/* cmpq $0, pending_exception(%r15), jne: the wrapper of a native method has left its frame. */
static __always_inline bool java_leaf_asks_exception(__u64 code, __u64 before)
{
	return (code & JAVA_CODE_5) == 0x00087f8349 || code == 0x00000000087f8149 ||
	       ((code & 0xffff) == 0x850f &&
		(before >> 24 == 0x00087f8349 || before == 0x00000000087f8149));
}

/* The code at and before the current frame's place. */
static __always_inline bool java_leaf_read(struct scratch *s, __u64 *code, __u64 *before)
{
	return !bpf_probe_read_user(code, sizeof(*code), (const void *)s->walk.ip) &&
	       !bpf_probe_read_user(before, sizeof(*before), (const void *)(s->walk.ip - 8));
}

/* Whether the word at sp, s->walk.caller.ra, is that of a call to the code at most
 * JAVA_LEAF_JUMP_BYTES before: a stub behind an nmethod, which sets a register and jumps. */
static __always_inline bool java_leaf_is_jump(const struct scratch *s)
{
	__u32 distance = 0;

	if (bpf_probe_read_user(&distance, sizeof(distance),
				(const void *)(s->walk.caller.ra - sizeof(distance))))
		return false;
	return s->walk.ip - s->walk.caller.ra - (__u64)(__s64)(__s32)distance <=
	       JAVA_LEAF_JUMP_BYTES;
}

/* In compiled code. Return: JAVA_LEAF_*, or JAVA_LEAF_MORE and how many bytes more. */
__noinline int java_leaf_compiled(__u32 level, __u32 complete)
{
	struct scratch *s = nesting_scratch(level);
	__u64 code = 0, before = 0;
	int more;

	if (!s || s->walk.called || !java_leaf_read(s, &code, &before))
		return JAVA_LEAF_FRAME;
	if (s->java.frameless && java_leaf_is_jump(s))
		return JAVA_LEAF_RETURN;
	if (s->walk.ip - s->java.code < complete)
		return java_leaf_prologue(code, before);
	if ((code & 0xff) == JAVA_CODE_POP_FP || java_leaf_sets_fp(code, before))
		return JAVA_LEAF_PUSHED;
	if ((code & 0xff) == JAVA_CODE_RET || java_leaf_polls(code, before) ||
	    (before >> 56 == JAVA_CODE_POP_FP && s->java.frameless) ||
	    (java_leaf_asks_exception(code, before) && s->java.title == JAVA_TITLE_NATIVE))
		return JAVA_LEAF_RETURN;
	more = java_leaf_arguments(code, before);
	return more ? JAVA_LEAF_MORE + more : JAVA_LEAF_FRAME;
}

/* Whether a leaf has no frame: the word at sp is the return address of a call in the heaps. */
__noinline int java_leaf_was_called(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	return s && !s->walk.called && !s->walk.sp_lost &&
	       user_stack_read(s, level, s->walk.sp, &s->walk.caller.ra) &&
	       java_heap_of(s, s->walk.caller.ra) < JAVA_HEAPS &&
	       unwind_prologue_called(s->walk.caller.ra);
}

/*
 * Finds the return address of a leaf in a stub that is a blob of its own, whatever it has pushed:
 * right behind a call into its code. It is s->walk.caller.ra then, at ra_at. Return: 0: not found.
 */
__noinline int java_leaf_find_call(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct caller *caller;
	__u64 code, target;

	if (!s || s->walk.called || s->walk.sp_lost)
		return 0;
	caller = &s->walk.caller;
	for (int i = 0; i < JAVA_LEAF_WORDS; i++) {
		caller->ra_at = s->walk.sp + 8ull * i;
		if (!user_stack_read(s, level, caller->ra_at, &caller->ra))
			return 0;
		if (java_heap_of(s, caller->ra) == JAVA_HEAPS ||
		    bpf_probe_read_user(&code, sizeof(code), (const void *)(caller->ra - 8)))
			continue;
		target = caller->ra + (__u64)(__s64)((__s64)code >> 32);
		if ((code >> 24 & 0xff) == JAVA_CODE_CALL && target >= s->java.code &&
		    target <= s->walk.ip)
			return 1;
	}
	return 0;
}
