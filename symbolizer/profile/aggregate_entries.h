/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate_entries - the distinct stacks and samples of an aggregate, found by their contents
 *
 * The lower half of aggregate, which says what they mean, and of aggregate_merge; these two alone
 * call the functions.
 */

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/processes.h"

/* In place of the frames that a stack lost: an encoded frame that no record has. */
#define AGGREGATE_MERGED ((uint64_t)TM_FRAME_UNRESOLVED << TM_FRAME_KIND_SHIFT | 0xff)
_Static_assert(TM_UNRESOLVED_N <= 0xff, "no reason has that number");
#define AGGREGATE_MERGED_NAME "[merged]" /* also of the thread, where that was lost, too */

struct aggregate_stack {
	const uint64_t *frames;
	uint32_t count;
	uint32_t process; /* generation of its anonymous frames; AGGREGATE_NO_PROCESS: has none */
	uint32_t weight;  /* samples, at most UINT32_MAX */
	uint32_t forward; /* while stacks are merged: what has become of this one */
};
#define AGGREGATE_NO_PROCESS 0xffffffffu

struct aggregate_sample {
	uint32_t process;
	uint32_t tid;  /* 0: merged */
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
	struct arena reserve; /* a chunk for merging, charged before the budget is full */
	struct aggregate_comm comms[AGGREGATE_COMMS];
	struct budget *budget;                                      /* borrowed */
	struct strings *strings;                                    /* borrowed */
	struct process_table *processes;                            /* borrowed */
	struct files *files;                                        /* borrowed */
	uint64_t exported;                                          /* samples counted */
	uint64_t frame_count;                                       /* of all stacks */
	uint32_t merged_comm;                                       /* string; 0: not yet */
	uint64_t frames[TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX]; /* the stack being added */
};

static inline bool aggregate_is_merged(const struct aggregate_stack *stack)
{
	return stack->count && stack->frames[0] == AGGREGATE_MERGED;
}

/* The frames of a stack that has lost all; of no arena. */
extern const uint64_t aggregate_entries_merged[1];

/* Return: the generation of the frames that are anonymous memory's, AGGREGATE_NO_PROCESS. */
uint32_t aggregate_entries_process(const uint64_t *frames, uint32_t count, uint32_t process);
/* Return: an index, HASH_INDEX_NONE. */
uint32_t aggregate_entries_find_stack(const struct aggregate *aggregate, const uint64_t *frames,
				      uint32_t count, uint32_t process, uint32_t *ret_hash);
/* Copies the frames. Return: 0, BUDGET_E_SPENT. */
int aggregate_entries_add_stack(struct aggregate *aggregate, const uint64_t *frames, uint32_t count,
				uint32_t process, uint32_t hash, uint32_t *ret_stack);
/* The key consists of the fields before `count`. Return: an index, HASH_INDEX_NONE. */
uint32_t aggregate_entries_find_sample(const struct aggregate *aggregate,
				       const struct aggregate_sample *key, uint32_t *ret_hash);
/* Return: 0, BUDGET_E_SPENT. */
int aggregate_entries_add_sample(struct aggregate *aggregate, const struct aggregate_sample *key,
				 uint32_t hash, uint32_t *ret_sample);
