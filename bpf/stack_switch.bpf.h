/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * stack_switch - where the walk goes on on another stack, and what shows that there is one
 *
 * Signal     the code of the frame is that of a trampoline which calls rt_sigreturn: the kernel put
 *            the registers that were interrupted on the stack.
 * Record     a frame record: the caller's frame pointer and the return address lie where the frame
 *            pointer points. So do Go's systemstack, Rust's psm and __morestack leave their stack.
 * Context    glibc's setcontext, which has the new stack already and the way back in rdx.
 */

#include "bpf/unwind_end.bpf.h"
#include "bpf/user_stack.bpf.h"

/* mov $15, %rax or mov $15, %eax, then syscall: here their first bytes and their bytes together. */
#define SIGRETURN_RAX       0x0f0000000fc0c748ull
#define SIGRETURN_EAX       0x00050f0000000fb8ull
#define SIGRETURN_EAX_MASK  0x00ffffffffffffffull
#define SIGRETURN_RAX_BYTES 9
#define SIGRETURN_EAX_BYTES 7

#define SIGNAL_FP           (USER_REGS_FIELD + 8 * 10) /* places in gregset_t */
#define SIGNAL_SP           (USER_REGS_FIELD + 8 * 15)
#define SIGNAL_RA           (USER_REGS_FIELD + 8 * 16)
#define RECORD_CFA          16
#define RECORD_RA           (-8)
#define RECORD_FP           (-16)
#define CONTEXT_REGISTER    1   /* rdx */
#define CONTEXT_RA          168 /* glibc's oRIP and oRBP, sysdeps/unix/sysv/linux/x86_64 */
#define CONTEXT_FP          120

static __always_inline bool stack_switch_is_sigreturn(__u32 level, __u64 address)
{
	__u64 code = 0;

	if (!frame_code_at(level, address) ||
	    bpf_probe_read_user(&code, sizeof(code), (const void *)address))
		return false;
	return code == SIGRETURN_RAX || (code & SIGRETURN_EAX_MASK) == SIGRETURN_EAX;
}

/* Whether the current frame is a trampoline: the handler returns to its first byte, and a leaf may
 * be at or behind the system call, which is two bytes long. */
static __always_inline bool stack_switch_is_trampoline(const struct scratch *s, __u32 level)
{
	__u64 ip = s->walk.ip;

	if (stack_switch_is_sigreturn(level, ip))
		return true;
	if (s->walk.called)
		return false;
	return stack_switch_is_sigreturn(level, ip - SIGRETURN_RAX_BYTES) ||
	       stack_switch_is_sigreturn(level, ip - SIGRETURN_RAX_BYTES + 2) ||
	       stack_switch_is_sigreturn(level, ip - SIGRETURN_EAX_BYTES) ||
	       stack_switch_is_sigreturn(level, ip - SIGRETURN_EAX_BYTES + 2);
}

/* Whether the rule reads the registers where a signal frame has them (user_regs.bpf.h). */
static __always_inline bool stack_switch_is_signal(const struct tm_rule *rule)
{
	return rule->cfa == TM_CFA_DEREF_SP && rule->cfa_offset == SIGNAL_SP && !rule->cfa_add &&
	       rule->ra == TM_SAVED_SP && rule->ra_offset == SIGNAL_RA && rule->fp == TM_SAVED_SP &&
	       rule->fp_offset == SIGNAL_FP;
}

/* To the stack with this address, which the signal interrupted. All registers are on this one: the
 * first was not read yet, the last was. */
static __always_inline bool stack_switch_by_signal(struct scratch *s, __u32 level,
						   const struct tm_rule *rule, __u64 address)
{
	__u64 first;

	return stack_switch_is_signal(rule) && stack_switch_is_trampoline(s, level) &&
	       user_stack_read(s, level, s->walk.sp + USER_REGS_FIELD, &first) &&
	       stack_enter(s, address);
}

static __always_inline bool stack_switch_is_known(const struct scratch *s,
						  const struct tm_rule *rule)
{
	if (rule->ra != TM_SAVED_CFA || rule->fp != TM_SAVED_CFA)
		return false;
	if (rule->cfa == TM_CFA_FP)
		return rule->cfa_offset == RECORD_CFA && rule->ra_offset == RECORD_RA &&
		       rule->fp_offset == RECORD_FP;
	return !s->walk.called && rule->cfa == TM_CFA_REGISTER && rule->base == CONTEXT_REGISTER &&
	       !rule->cfa_offset && rule->ra_offset == CONTEXT_RA &&
	       rule->fp_offset == CONTEXT_FP && rule->flags & TM_RULE_SP_LOST;
}

/* Enters the stack with these words, and reads them into s->walk.caller. */
__noinline int stack_switch_read(__u32 level, __u64 fp_at, __u64 ra_at)
{
	struct scratch *s = nesting_scratch(level);

	return s && stack_enter(s, fp_at) && user_stack_read(s, level, fp_at, &s->walk.caller.fp) &&
	       user_stack_read(s, level, ra_at, &s->walk.caller.ra);
}
