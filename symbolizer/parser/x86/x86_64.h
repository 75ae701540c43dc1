/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * x86_64 - what the compiler of rows knows of x86-64
 *
 * Source     System V ABI, AMD64 supplement: DWARF register numbers (figure 3.36), the stack frame; the
 *            signal frame: struct ucontext, arch/x86/include/uapi/asm/ucontext.h.
 */

#define X86_64_BX        3u  /* rbx: TM_UNWIND_TABLE_KEPT */
#define X86_64_FP        6u  /* rbp */
#define X86_64_SP        7u  /* rsp */
#define X86_64_RA        16u /* rip */
#define X86_64_REGISTERS 17u /* those of which a rule may speak */
#define X86_64_WORD      8

/* A call pushes the return address, and nothing else lies between it and the CFA. */
#define X86_64_CALL_RA (-8)
/* A frame record: the caller's fp, then the return address. */
#define X86_64_RECORD_FP  (-16)
#define X86_64_RECORD_CFA 16

/* The kernel's signal frame as the trampoline finds it: distances from sp. */
#define X86_64_SIGNAL_FP 120
#define X86_64_SIGNAL_SP 160
#define X86_64_SIGNAL_RA 168

/* An entry of a lazy PLT: jmp *slot; from its 11th byte on the index has been pushed. */
#define X86_64_PLT_PUSHED 11
