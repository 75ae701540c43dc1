/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * python_process - a sampled process that runs CPython, with structures of a made-up version
 *
 * LEAF is called by the evaluation loop (CALLER), whose own stack frame has PYTHON_LOOP_BYTES; the
 * loop's caller is SECOND, which a second loop (at SECOND_LOOP) may have called, and then START.
 */

#include "tests/unit/bpf/sampled.h"

#define PYTHON_LOOP_BYTES 0x100u
#define SECOND_LOOP       (CALLER + 0x80) /* another place in the loop */
#define PYTHON_RUNTIME    SAMPLED_DATA    /* _PyRuntime */
#define PYTHON_THREAD     (SAMPLED_DATA + 0x1000)
#define PYTHON_OTHER      (SAMPLED_DATA + 0x1100) /* another thread's state */
#define PYTHON_ANOTHER    (SAMPLED_DATA + 0x1300) /* the thread's state in another interpreter */
#define PYTHON_POINTER    0x7f0000001000ull       /* the thread's own pointer */
#define PYTHON_FRAME(n)   (SAMPLED_DATA + 0x2000 + 0x100ull * (n))
#define PYTHON_CODE(n)    (SAMPLED_DATA + 0x4000 + 0x200ull * (n))
#define PYTHON_TEXT(n)    (SAMPLED_DATA + 0x10000 + 0x4000ull * (n))
#define PYTHON_ENTRY      3 /* owner of the frame that ends a loop's ones */
#define FIRST_LOOP_SP     (SAMPLED_SP + 8)
#define SECOND_LOOP_SP    (FIRST_LOOP_SP + PYTHON_LOOP_BYTES + 16)
/* In the stack frames of the two loops. */
#define FIRST_CHAIN  (FIRST_LOOP_SP + 0x20)
#define SECOND_CHAIN (SECOND_LOOP_SP + 0x20)
#define FIRST_ENTRY  (FIRST_LOOP_SP + 0x60)
#define SECOND_ENTRY (SECOND_LOOP_SP + 0x60)

/* Two loops with SECOND between them, the interpreter's lists, and its layout. For the setup. */
int python_process_make(void **state);
/* The innermost frame is this one; with TM_PYTHON_CHAIN the one of the loop at FIRST_LOOP_SP. */
void python_process_runs(uint64_t frame);
/* Links a _PyCFrame at @at, on the stack, to its frame and to the next one. */
void python_process_chain(uint64_t at, uint64_t frame, uint64_t previous);
void python_process_frame(unsigned n, uint64_t previous, uint64_t code, uint64_t units,
			  uint8_t owner);
/* A frame at @at, on the stack, that ends those of a loop. */
void python_process_entry(uint64_t at, uint64_t previous);
/* The thread runs another interpreter, too, whose innermost frame is this one. */
void python_process_runs_another(uint64_t frame);
/* A function: its texts lie at PYTHON_TEXT(n): name, file, line table. */
void python_process_code(unsigned n, const char *name, uint32_t line);
/* A string object of ASCII text. */
void python_process_string(uint64_t at, const char *text);
/* Numbers of the functions in the order of METHOD frames in the last sample; fails the test unless
 * there are that many. */
uint64_t python_process_number(unsigned index);
/* Places in the last sample, in the same order. */
uint64_t python_process_place(unsigned index);
unsigned python_process_methods(void);
