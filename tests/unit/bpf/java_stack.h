/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_stack - a sampled stack as a text, with the names of methods that were announced
 */

#include "tests/unit/bpf/java_process.h"

/* The end of most stacks: the call stub, which CALLER has called, and START. */
#define JAVA_STACK_END "StubRoutines (1)@63, 2008, 3008"
#define JAVA_STUB_FP   (SAMPLED_SP + 0x2000)
#define JAVA_WORDS     10u              /* of the frame of compiled code */
#define JAVA_COMPILED  (SAMPLED_SP + 8) /* sp of code that called LEAF */

/* Makes this end of the stack. Return: the address to which its callee returns. */
uint64_t java_stack_stub(void);
/* The frame of compiled code at this sp, whose caller goes on with this frame pointer. */
void java_stack_compiled(uint64_t sp, uint64_t caller_fp, uint64_t ra);
/* Compiled code calls LEAF and returns there, and the call stub calls it. */
void java_stack_make(uint64_t ra);
/*
 * Samples; fails the test unless this is the user stack, the frames separated by commas: of a file
 * its offset, of anonymous code "jit+" and its offset, of a method its name and place ("run@7",
 * "run@?"; "-@7" without a number), and ", stop N" where it does not end well.
 */
void java_stack_expect_at(const char *file, int line, const char *stack);
#define java_stack_expect(stack) java_stack_expect_at(__FILE__, __LINE__, stack)
/* The same text of a sample. */
const char *java_stack_text(const struct tm_sample *sample);
/* The number of the first METHOD frame of the last sample, or 0. */
uint64_t java_stack_number(void);
