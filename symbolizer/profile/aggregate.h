/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate - equal samples counted together, on full frame identity
 *
 * Key        (generation, thread, thread's name, stop, flags, stack). Stacks are kept once, as
 *            encoded frames; the file bits of a FILE frame hold an index of files.c, not the
 *            number of the wire.
 * Limits     all of it lives under the profile's one budget; a sample that no longer fits is
 *            dropped and counted by the caller (`memory`).
 */

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/processes.h"

struct aggregate_stack {
	const uint64_t *words;
	uint32_t count;
};

struct aggregate_sample {
	uint32_t process;
	uint32_t tid;
	uint32_t comm; /* string */
	uint32_t stack;
	uint32_t flags; /* AGGREGATE_FLAGS of TM_FLAG_* */
	uint32_t stop;  /* enum tm_stop */
	uint64_t count;
};
#define AGGREGATE_FLAGS (TM_FLAG_EXITING | TM_FLAG_KTHREAD)

struct aggregate_comm { /* a thread's name as it came, and its string */
	char comm[TM_COMM_BYTES];
	uint32_t string; /* + 1; 0: unused */
};
#define AGGREGATE_COMMS 64u /* names at hand; a power of two */

struct aggregate {
	struct aggregate_stack *stacks;
	struct aggregate_sample *samples;
	uint32_t stack_count, stack_capacity;
	uint32_t sample_count, sample_capacity;
	struct hash_index stack_lookup;
	struct hash_index sample_lookup;
	struct arena arena;
	struct aggregate_comm comms[AGGREGATE_COMMS];
	struct strings *strings;                                   /* borrowed */
	struct process_table *processes;                           /* borrowed */
	struct files *files;                                       /* borrowed */
	uint64_t exported;                                         /* samples counted in */
	uint64_t words[TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX]; /* the stack being added */
};

void aggregate_init(struct aggregate *aggregate, struct strings *strings,
		    struct process_table *processes, struct files *files);
/* Afterwards it is empty and may be used on. */
void aggregate_deinit(struct aggregate *aggregate);
/* @sample: checked. Return: 0, BUDGET_E_SPENT (nothing was counted). */
int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample);
