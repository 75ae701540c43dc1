/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * user_regs - reads any register of an interrupted user frame, by its DWARF number
 *
 * Layouts: struct pt_regs and, in a signal frame, gregset_t (arch/x86/include/asm/ptrace.h,
 * arch/x86/include/uapi/asm/sigcontext.h); DWARF numbers: the x86-64 psABI, table 3.36.
 */

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"

#define USER_REGS        17
#define USER_REGS_RESULT 0  /* rax: what a system call returns */
#define USER_REGS_FIELD  40 /* bytes from a signal frame's sp to its first register */

/* Index of each register in pt_regs and in gregset_t. */
static const __u8 user_regs_in_task[USER_REGS] = {10, 12, 11, 5, 13, 14, 4, 19, 9,
						  8,  7,  6,  3, 2,  1,  0, 16};
static const __u8 user_regs_in_context[USER_REGS] = {13, 12, 14, 11, 9, 8, 10, 15, 0,
						     1,  2,  3,  4,  5, 6, 7,  16};

/* rax, rdx, rcx, rsi, rdi, r8-r11: by the psABI, a called function need not restore them. */
#define USER_REGS_CALLER_SAVED 0x0f37u

/*
 * Whether the register is known in the current frame. After a call, one that callees need not
 * restore is as interrupted: only code that calls nothing but code of its own (libcrypto's AES-GCM)
 * finds its frame by such a register, and no compiler saves it.
 */
static __always_inline bool user_regs_known(const struct scratch *s, __u32 number)
{
	if (!s->walk.called)
		return true;
	return number == TM_UNWIND_TABLE_KEPT ? s->walk.kept_state != WALK_KEPT_LOST
					      : USER_REGS_CALLER_SAVED >> (number & 31) & 1;
}

/* The value of a register that is known; 0 if it cannot be read. */
__noinline __u64 user_regs_read(__u32 level, __u32 number)
{
	struct scratch *s = nesting_scratch(level);
	struct user_registers registers = {};
	__u64 value = 0;

	if (!s || number >= USER_REGS)
		return 0;
	if (number == TM_UNWIND_TABLE_KEPT && s->walk.kept_state == WALK_KEPT_VALUE)
		return s->walk.kept;
	if (s->walk.kind == WALK_CONTEXT) {
		bpf_probe_read_user(
			&value, sizeof(value),
			(const void *)(s->walk.registers + 8ull * user_regs_in_context[number]));
		return value;
	}
	if (!s->walk.registers && task_user_registers(&s->block, s->walk.task, &registers))
		s->walk.registers = registers.at;
	return kread_word(s->walk.registers + 8ull * user_regs_in_task[number]);
}
