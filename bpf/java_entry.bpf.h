/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_entry - the caller of a leaf that is between two frames: an adapter of compiled code and the
 * interpreter, which moves the return address and the arguments, and the interpreter where it makes
 * a frame or has left it
 *
 * Entering   From a call by the interpreter or by the call stub on, rbx has the Method and r13 the
 *            sp that the caller goes on with, until the interpreter has its frame. Compiled code
 *            has no such r13: its adapter sets it, then makes room for the arguments, and puts the
 *            return address below them. No other instructions of an adapter are like these two.
 * Return     Its address is at sp; where it is not, rax has it.
 * Leaving    The interpreter leaves its frame, pops the return address into r13, sets sp from rbx,
 *            and jumps.
 * Source     cpu/x86/{sharedRuntime,templateInterpreterGenerator,interp_masm,stubGenerator}_x86*.
 */

#include "bpf/java_leaf.bpf.h"
#include "bpf/java_stub.bpf.h"
#include "bpf/user_regs.bpf.h"

#define JAVA_TITLE_NMETHOD  0x646f6874656d6eull   /* "nmethod" */
#define JAVA_TITLE_ADAPTER  0x204932432f433249ull /* "I2C/C2I "adapters */

#define JAVA_ADAPTER_BYTES  256        /* of its code that are looked at; a power of two */
#define JAVA_ADAPTER_ROOM   (8u * 256) /* for arguments, at most, and a return address */

#define JAVA_REGISTER_RAX   0 /* DWARF numbers */
#define JAVA_REGISTER_RBX   3
#define JAVA_REGISTER_R13   13

#define JAVA_CODE_AND_SP    0xf0e48348ull /* and $-16, %rsp */
#define JAVA_CODE_PUSH_RAX  0x50
#define JAVA_CODE_STORE_RAX 0x24048948ull     /* mov %rax, (%rsp) */
#define JAVA_CODE_MOV_R13   0xec8b4cull       /* mov %rsp, %r13 */
#define JAVA_CODE_ROOM      0xec8148ec8b4cull /* that, then sub imm, %rsp (to 24) */
#define JAVA_CODE_ROOM_2    0xec8148580824ull /* lea 8(%rsp), %r13; pop %rax; sub imm, %rsp */
#define JAVA_CODE_6         0xfffdffffffffull /* six bytes, of imm8 or imm32 */
#define JAVA_CODE_POP_R13   0x5d41
#define JAVA_CODE_MOV_SP    0xe38b48ull /* mov %rbx, %rsp */
#define JAVA_CODE_JMP_R13   0xe5ff41ull
#define JAVA_CODE_LEAVE     0xc9
#define JAVA_CODE_SET_BYTE  0x87c641ull /* movb imm8, disp32(%r15) */

/* Whether rax has the return address in an adapter, and not the word at sp. */
static __always_inline bool java_adapter_holds(const struct scratch *s, __u64 code, __u64 before,
					       __u64 sender)
{
	__u64 three = code & JAVA_CODE_3;

	if ((code & JAVA_CODE_4) == JAVA_CODE_AND_SP)
		return before >> 40 != JAVA_CODE_MOV_R13; /* else a call follows */
	if (three == JAVA_CODE_MOV_R13)
		return !(s->walk.sp & 8); /* likewise; compiled code aligns sp for its calls */
	if ((code & 0xff) == JAVA_CODE_PUSH_RAX)
		return before >> 32 == JAVA_CODE_AND_SP ||
		       (before >> 32 & JAVA_CODE_3) == JAVA_CODE_SUB_SP_8 ||
		       (before >> 8 & JAVA_CODE_3) == JAVA_CODE_SUB_SP;
	return (code & JAVA_CODE_4) == JAVA_CODE_STORE_RAX ||
	       ((three == JAVA_CODE_SUB_SP || three == JAVA_CODE_SUB_SP_8) && sender == s->walk.sp);
}

/* Whether an adapter, whose code begins there, has made room for the arguments. */
__noinline int java_adapter_has_room(__u32 level, __u64 start)
{
	struct scratch *s = nesting_scratch(level);
	__u64 code = 0, from, six;

	if (!s)
		return 0;
	from = s->walk.ip - JAVA_ADAPTER_BYTES;
	if (bpf_probe_read_user(s->java.words, JAVA_ADAPTER_BYTES, (const void *)from))
		return 0;
	for (__u64 i = 0; i < JAVA_ADAPTER_BYTES; i++) {
		code = code >> 8 |
		       (__u64)((const __u8 *)s->java.words)[i & (JAVA_ADAPTER_BYTES - 1)] << 56;
		six = code >> 16 & JAVA_CODE_6;
		if ((six == JAVA_CODE_ROOM || six == JAVA_CODE_ROOM_2) && from + i >= start + 5)
			return 1;
	}
	return 0;
}

/* The sp of compiled code that has called an adapter; 0: not known. */
static __always_inline __u64 java_adapter_sp(struct scratch *s, __u32 level, __u64 code,
					     __u64 start)
{
	__u64 sender = s->walk.caller.sp, sp = s->walk.sp;

	if (!s->walk.caller.ra_at)
		return (code & JAVA_CODE_3) == JAVA_CODE_MOV_R13 ? sp : sender;
	if (java_adapter_has_room(level, start))
		return sender;
	return s->walk.ip - start > JAVA_ADAPTER_BYTES && sender > sp + 8 &&
			       sender - sp < JAVA_ADAPTER_ROOM
		       ? 0
		       : sp + 8;
}

/* The caller of a leaf in an adapter. The current blob is that of the caller then. */
__noinline int java_adapter_caller(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 code = 0, before = 0, start;
	struct caller *caller;

	if (!s || s->walk.called || s->walk.sp_lost || !java_leaf_read(s, &code, &before))
		return 0;
	caller = &s->walk.caller;
	start = s->java.code;
	caller->ra_at = s->walk.sp;
	caller->sp = user_regs_read(level, JAVA_REGISTER_R13);
	caller->fp = s->walk.fp;
	if (!user_stack_read(s, level, s->walk.sp, &caller->ra))
		return 0;
	if (java_adapter_holds(s, code, before, caller->sp) ||
	    java_heap_of(s, caller->ra) == JAVA_HEAPS) {
		caller->ra_at = 0;
		caller->ra = user_regs_read(level, JAVA_REGISTER_RAX);
	}
	if (!java_blob_find(level, caller->ra))
		return 0;
	if (s->java.title == JAVA_TITLE_NMETHOD || s->java.title == JAVA_TITLE_NATIVE)
		caller->sp = java_adapter_sp(s, level, code, start);
	else if (s->java.title != JAVA_TITLE_INTERPRETER && s->java.title != JAVA_TITLE_STUBS)
		return 0;
	return caller->sp >= s->walk.sp && stack_has(s, caller->sp);
}

/* Where the interpreter is making its frame: sp and the return address, from its registers. */
static __always_inline bool java_entry_caller(struct scratch *s, __u32 level)
{
	struct caller *caller = &s->walk.caller;
	__u64 made = s->walk.fp - s->walk.sp, code = 0, before;

	caller->sp = user_regs_read(level, JAVA_REGISTER_R13);
	caller->fp = s->walk.fp;
	caller->ra_at = s->walk.fp + 8;
	if (made < (__u64)(-8 * (__s64)s->java.runtime.java.frame_method) && !(made & 7) &&
	    user_stack_read(s, level, caller->ra_at, &caller->ra) &&
	    java_heap_of(s, caller->ra) < JAVA_HEAPS)
		return (!made || user_stack_read(s, level, s->walk.fp - 8, &caller->sp)) &&
		       user_stack_read(s, level, s->walk.fp, &caller->fp);
	caller->ra_at = s->walk.sp;
	if (!user_stack_read(s, level, s->walk.sp, &caller->ra))
		return false;
	if (java_heap_of(s, caller->ra) < JAVA_HEAPS)
		return true;
	if (java_leaf_read(s, &code, &before) && java_leaf_is_mov_fp(code & JAVA_CODE_3)) {
		caller->fp = caller->ra;
		caller->ra_at = s->walk.sp + 8;
		return user_stack_read(s, level, caller->ra_at, &caller->ra);
	}
	caller->ra_at = 0;
	caller->ra = user_regs_read(level, JAVA_REGISTER_RAX);
	return true;
}

/* Whether the leaf makes the interpreter's frame of the method in rbx. */
__noinline int java_entering(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct caller *caller;

	if (!s || s->walk.called || s->walk.sp_lost || !java_entry_caller(s, level))
		return 0;
	caller = &s->walk.caller;
	return caller->sp > s->walk.sp && stack_has(s, caller->sp) &&
	       java_heap_of(s, caller->ra) < JAVA_HEAPS;
}

/* Whether the leaf has left the interpreter's frame. */
__noinline int java_leaving(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 code = 0, before = 0;
	struct caller *caller;
	bool left, popped;

	if (!s || s->walk.called || s->walk.sp_lost || !java_leaf_read(s, &code, &before))
		return 0;
	caller = &s->walk.caller;
	caller->fp = s->walk.fp;
	popped = before >> 48 == JAVA_CODE_POP_R13 && (code & JAVA_CODE_3) == JAVA_CODE_MOV_SP;
	left = (code & 0xffffffffff) == (JAVA_CODE_POP_R13 | JAVA_CODE_MOV_SP << 16) ||
	       (before >> 56 == JAVA_CODE_LEAVE && (code & JAVA_CODE_3) == JAVA_CODE_SET_BYTE);
	if (!left && !popped && before >> 40 != JAVA_CODE_MOV_SP &&
	    (code & JAVA_CODE_3) != JAVA_CODE_JMP_R13)
		return 0;
	caller->ra_at = left ? s->walk.sp : 0;
	caller->ra = user_regs_read(level, JAVA_REGISTER_R13);
	caller->sp = s->walk.sp;
	if (left || popped)
		caller->sp = user_regs_read(level, JAVA_REGISTER_RBX);
	return (!left || user_stack_read(s, level, s->walk.sp, &caller->ra)) &&
	       java_heap_of(s, caller->ra) < JAVA_HEAPS && caller->sp >= s->walk.sp &&
	       stack_has(s, caller->sp);
}
