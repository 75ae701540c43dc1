/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate - counts equal samples together, by all of their frames
 *
 * Key        (generation, thread, thread's name, stop, flags, stack). Each distinct stack is stored
 *            once, as encoded frames; the file bits of a FILE frame hold an index of files.h, not
 *            the file number that the collector sent. A stack with a frame in anonymous memory
 *            is one generation's alone: the same address means other code in another one.
 * Limits     everything is charged to the profile's budget; a sample that no longer fits is
 *            dropped, and counted by the caller (`memory`).
 */

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/processes.h"

struct aggregate_stack {
	const uint64_t *frames;
	uint32_t count;
	uint32_t process; /* generation of its anonymous frames; AGGREGATE_NO_PROCESS: has none */
};
#define AGGREGATE_NO_PROCESS 0xffffffffu

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

struct aggregate_comm { /* a thread's name as it was received, and its string */
	char comm[TM_COMM_BYTES];
	uint32_t string; /* + 1; 0: unused */
};
#define AGGREGATE_COMMS 64u /* size of the cache of names; a power of two */

struct aggregate {
	struct aggregate_stack *stacks;
	struct aggregate_sample *samples;
	uint32_t stack_count, stack_capacity;
	uint32_t sample_count, sample_capacity;
	struct hash_index stack_lookup;
	struct hash_index sample_lookup;
	struct arena arena;
	struct aggregate_comm comms[AGGREGATE_COMMS];
	struct strings *strings;                                    /* borrowed */
	struct process_table *processes;                            /* borrowed */
	struct files *files;                                        /* borrowed */
	uint64_t exported;                                          /* samples counted */
	uint64_t frames[TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX]; /* the stack being added */
};

void aggregate_init(struct aggregate *aggregate, struct strings *strings,
		    struct process_table *processes, struct files *files);
/* Frees everything; the aggregate is empty then and may be used again. */
void aggregate_deinit(struct aggregate *aggregate);
/* @sample: already validated. Return: 0, BUDGET_E_SPENT (nothing was counted). */
int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample);
