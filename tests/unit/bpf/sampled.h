/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * sampled - the process that a test samples: mappings, memory, registers, unwind table, stack
 *
 * SAMPLED_CODE is of a file with an unwind table, which holds the rows that the test gives;
 * SAMPLED_LIBRARY is of a file whose table is not installed; SAMPLED_JIT is anonymous code.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <asm/ptrace.h>

#include "shared/event.h"
#include "shared/method.h"
#include "shared/runtime.h"
#include "shared/unwind_map.h"
#include "tests/unit/bpf/bpf_host.h"
#include "tests/unit/bpf/bpf_maps.h"

#define SAMPLED_CODE        0x10000000ull
#define SAMPLED_CODE_BYTES  0x81000000ull
#define SAMPLED_LIBRARY     0x100000000ull
#define SAMPLED_JIT         0x200000000ull
#define SAMPLED_DATA        0x300000000ull /* readable, writable, no code */
#define SAMPLED_BYTES       0x40000ull /* of each of these; of SAMPLED_CODE, the readable ones */
#define SAMPLED_STACK       0x7ffd00000000ull
#define SAMPLED_STACK_BYTES 0x40000ull
#define SAMPLED_VDSO        0x7fff00000000ull
#define SAMPLED_EUID        1000
#define SAMPLED_SP          (SAMPLED_STACK + 0x1000) /* of the leaf, at first */

/* Frames of SAMPLED_CODE: an interrupted address, and a return address. */
#define FRAME_KIND(kind)    ((uint64_t)TM_FRAME_##kind << TM_FRAME_KIND_SHIFT)
#define FRAME_EXACT(offset) (FRAME_KIND(FILE) | (offset))
#define FRAME_CALL(offset)  (FRAME_EXACT(offset) | TM_FRAME_RETURN)
#define CODE(offset)        (SAMPLED_CODE + (offset))

/* Functions of SAMPLED_CODE that most tests have on the stack: each calls the one before it. */
#define LEAF   0x1000u
#define CALLER 0x2000u
#define SECOND 0x2800u /* the caller's caller, where a test has one */
#define START  0x3000u /* the outermost function */

/* Registers by their DWARF numbers, for rules. */
#define RAX 0
#define RDX 1
#define RCX 2
#define RBX 3
#define RSI 4
#define RDI 5
#define R8  8
#define R9  9
#define R10 10
#define R11 11
#define R12 12
#define R15 15

enum sampled_file {
	SAMPLED_PROGRAM_FILE, /* has SAMPLED_CODE */
	SAMPLED_LIBRARY_FILE,
	SAMPLED_DUMP_FILE, /* is named as a jitdump */
	SAMPLED_FILES,
	SAMPLED_ANONYMOUS = SAMPLED_FILES
};

#define SAMPLED_INO(file) (11 + (uint64_t)(file))

struct css_set;
struct user_namespace;
struct sampled {
	struct pt_regs registers; /* of the user frame; the fields have x86-64's names */
	uint64_t period;          /* of the timer, ns */
	bool in_kernel;           /* the timer hits kernel mode */
	bool padded;              /* the registers on the kernel stack lie below padding */
	uint32_t task_flags;      /* PF_* */
	bool in_execve;
	bool has_no_mm;
	struct css_set *cgroups;
	struct user_namespace *user;
	uint32_t uid;
	uint32_t execs;       /* of the process, so far */
	uint64_t start_stack; /* where the initial stack of the process begins */
	uint64_t vdso;        /* start of the vDSO */
	uint64_t start_code;  /* of the program; the kernel's own values are not page-aligned */
	uint64_t end_code;    /* 0: its executable is not known */
	uint64_t thread_pointer;
	struct tm_runtime runtime; /* of SAMPLED_CODE, installed with its rows; kind 0: none */
};
extern struct sampled sampled;

/* Makes a new process whose leaf is at CODE(LEAF), without rows. For cmocka's setup. */
int sampled_make(void **state);
/* Choose the kernel of the following tests. */
int sampled_on_maple(void **state);
int sampled_on_red_black(void **state);
/* Maps a file, or no file, in the place of the mapping that begins there. @flags: VM_*. */
void sampled_map(uint64_t start, uint64_t bytes, uint64_t flags, enum sampled_file file,
		 uint64_t pgoff);
/* Removes the mapping that begins there, if there is one. */
void sampled_unmap(uint64_t start);
void sampled_store(uint64_t address, uint64_t word);
/* The file of SAMPLED_CODE has changed: its times, as a kernel from 6.11 on has them. */
void sampled_change_times(int64_t mtime_sec, int64_t ctime_sec, uint32_t ctime_nsec);
/* The file grows, and its times change. */
void sampled_grow(enum sampled_file file);
void sampled_name(enum sampled_file file, const char *name);
/* The struct file is freed, and is that of another file now. */
void sampled_recycle(enum sampled_file file, enum sampled_file other);
/* Names the anonymous mapping that begins there, as prctl(PR_SET_VMA) does. */
void sampled_name_memory(uint64_t start, const char *name);
/* Stores words from the address on. */
#define sampled_words(address, ...)                              \
	bpf_host_write(address, (const uint64_t[]){__VA_ARGS__}, \
		       sizeof((const uint64_t[]){__VA_ARGS__}))
#define sampled_bytes(address, ...)                             \
	bpf_host_write(address, (const uint8_t[]){__VA_ARGS__}, \
		       sizeof((const uint8_t[]){__VA_ARGS__}))
/*
 * Adds a row of SAMPLED_CODE that begins at @offset. Rows are added in the order of their offsets.
 */
void sampled_row(uint32_t offset, struct tm_rule rule);
/* Installs the rows as the collector would. sampled_take() calls it if there are new rows. */
void sampled_install(void);
/* Forgets the rows, so that others can be given; those that are installed stay. */
void sampled_rows_clear(void);
/* Gives the vDSO the table that was installed last. */
void sampled_vdso_table(void);
/* Samples once with each of the two programs; both give the same sample, which is returned. */
const struct tm_sample *sampled_take(void);
/* Samples once, with one of the programs. */
const struct tm_sample *sampled_once(void);
/* Samples; fails the test unless the user stack is these frames and ends for this reason. */
void sampled_expect_at(const char *file, int line, enum tm_stop stop, const uint64_t *frames,
		       unsigned count);
#define sampled_expect(stop, ...)                                                    \
	sampled_expect_at(__FILE__, __LINE__, stop, (const uint64_t[]){__VA_ARGS__}, \
			  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The stack is the leaf alone; the leaf and CALLER; these two and START. */
#define sampled_expect_leaf(stop)   sampled_expect(stop, FRAME_EXACT(LEAF))
#define sampled_expect_caller(stop) sampled_expect(stop, FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8))
#define sampled_expect_whole()                                                  \
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8), \
		       FRAME_CALL(START + 8))

/* mov $15, %rax; syscall */
#define sampled_sigreturn(offset) \
	sampled_bytes(CODE(offset), 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05)

/* A rule: the return address is right below the CFA, the frame pointer still in its register. */
#define RULE(kind, offset, ...)                   \
	((struct tm_rule){.cfa = TM_CFA_##kind,   \
			  .cfa_offset = (offset), \
			  .ra = TM_SAVED_CFA,     \
			  .ra_offset = -8,        \
			  .fp = TM_SAVED_SAME,    \
			  ##__VA_ARGS__})
/* Of the code that calls rt_sigreturn. */
#define RULE_SIGNAL                               \
	((struct tm_rule){.cfa = TM_CFA_DEREF_SP, \
			  .cfa_offset = 160,      \
			  .ra = TM_SAVED_SP,      \
			  .ra_offset = 168,       \
			  .fp = TM_SAVED_SP,      \
			  .fp_offset = 120,       \
			  .flags = TM_RULE_SIGNAL})
#define RULE_NONE          ((struct tm_rule){.cfa = TM_CFA_NONE})
#define RULE_END           ((struct tm_rule){.cfa = TM_CFA_END})

#define SAMPLED_TEST(name) cmocka_unit_test_setup(name, sampled_make)
/* Runs the tests on both kernels. */
#define SAMPLED_RUN(tests)                                                          \
	(cmocka_run_group_tests_name("maple tree", tests, sampled_on_maple, NULL) + \
	 cmocka_run_group_tests_name("red-black tree", tests, sampled_on_red_black, NULL))
