/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * x86_64 - the constants and unwind rules that the x86-64 ABI and the kernel's signal frame fix
 *
 * Source     System V ABI, AMD64 supplement: DWARF register numbers (figure 3.36), the stack frame;
 *            the signal frame: struct ucontext, arch/x86/include/uapi/asm/ucontext.h.
 */

#include "shared/unwind_table.h"

#define X86_64_BX        3u  /* rbx: TM_UNWIND_TABLE_KEPT */
#define X86_64_FP        6u  /* rbp */
#define X86_64_SP        7u  /* rsp */
#define X86_64_RA        16u /* rip */
#define X86_64_REGISTERS 17u /* the registers that a rule may name */
#define X86_64_WORD      8

/* A call pushes the return address, and nothing else lies between it and the CFA. */
#define X86_64_CALL_RA (-8)
/* A frame record: the caller's fp, then the return address. */
#define X86_64_RECORD_FP  (-16)
#define X86_64_RECORD_CFA 16

/* The kernel's signal frame as the sigreturn trampoline finds it: distances from sp. */
#define X86_64_SIGNAL_FP 120
#define X86_64_SIGNAL_SP 160
#define X86_64_SIGNAL_RA 168

/* An entry of a lazy PLT begins with jmp *slot; from its 11th byte on the index has been pushed. */
#define X86_64_PLT_PUSHED 11

/* From a signal frame to the code that the signal interrupted. */
static inline struct tm_rule x86_64_signal_rule(void)
{
	return (struct tm_rule){.cfa = TM_CFA_DEREF_SP,
				.cfa_offset = X86_64_SIGNAL_SP,
				.ra = TM_SAVED_SP,
				.ra_offset = X86_64_SIGNAL_RA,
				.fp = TM_SAVED_SP,
				.fp_offset = X86_64_SIGNAL_FP,
				.flags = TM_RULE_SIGNAL};
}

/* By the frame record to which the frame pointer points. */
static inline struct tm_rule x86_64_frame_pointer_rule(void)
{
	return (struct tm_rule){.cfa = TM_CFA_FP,
				.cfa_offset = X86_64_RECORD_CFA,
				.ra = TM_SAVED_CFA,
				.ra_offset = X86_64_CALL_RA,
				.fp = TM_SAVED_CFA,
				.fp_offset = X86_64_RECORD_FP};
}
