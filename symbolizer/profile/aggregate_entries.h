/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate_entries - the distinct stacks and samples of an aggregate, found by their contents
 *
 * The lower half of aggregate, which says what they mean, and of aggregate_merge; these two alone
 * call the functions.
 */

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/methods.h"
#include "symbolizer/profile/processes.h"
#include "symbolizer/profile/sample_kind.h"
#include "symbolizer/profile/waker_kind.h"

/* In place of the frames that a stack lost: an encoded frame that no record has. */
#define AGGREGATE_MERGED ((uint64_t)TM_FRAME_UNRESOLVED << TM_FRAME_KIND_SHIFT | 0xff)
_Static_assert(TM_UNRESOLVED_N <= 0xfe, "no reason has these numbers");
/* In place of the user frames of a sleep that has not ended, where they are not known. */
#define AGGREGATE_IN_PROGRESS      ((uint64_t)TM_FRAME_UNRESOLVED << TM_FRAME_KIND_SHIFT | 0xfe)
#define AGGREGATE_IN_PROGRESS_NAME "[in progress]"
#define AGGREGATE_MERGED_NAME      "[merged]" /* also of the thread, where that was lost, too */

struct aggregate_stack {
	const uint64_t *frames;
	uint32_t count;
	uint32_t process; /* generation of its anonymous frames; AGGREGATE_NO_PROCESS: has none */
	uint32_t weight;  /* samples of all kinds, at most UINT32_MAX */
	uint32_t forward; /* while stacks are merged: what has become of this one; before, a mark */
};
#define AGGREGATE_KEPT       UINT32_MAX /* the mark: it loses nothing (aggregate_owners.h) */
#define AGGREGATE_NO_PROCESS 0xffffffffu

struct aggregate_sample {
	uint32_t process;
	uint32_t tid;  /* 0: merged */
	uint32_t comm; /* string */
	uint32_t stack;
	uint32_t waker_stack; /* of who ended its sleep: stack + 1; 0: not known, as what follows */
	uint32_t waker_comm;  /* string */
	uint8_t waker;        /* enum waker_kind */
	uint8_t waker_stop;   /* enum tm_stop */
	uint8_t stop;         /* enum tm_stop */
	uint8_t kind;         /* enum tm_sample_kind */
	uint8_t state;        /* enum tm_thread_state */
	uint8_t flags;        /* AGGREGATE_FLAGS of TM_FLAG_* */
	uint16_t pad;         /* a part of the key: 0 */
	uint64_t code_ktime;  /* of the sample, where its process has a jitdump: other code may lie
			      * at its anonymous addresses at another time; 0: does not matter */
	uint64_t count;
	uint64_t value; /* ns, of all of them */
};

/* How much they take, in words of 8 bytes, with their slots in the index, about. */
#define AGGREGATE_STACK_WORDS  6u /* without the frames */
#define AGGREGATE_SAMPLE_WORDS 10u

static inline void aggregate_entries_forget_waker(struct aggregate_sample *sample)
{
	sample->waker_stack = sample->waker_comm = 0;
	sample->waker = sample->waker_stop = 0;
}

#define AGGREGATE_TIMED_MAX (256u << 10) /* samples with a code_ktime */
#define AGGREGATE_FLAGS     (TM_FLAG_EXITING | TM_FLAG_KTHREAD)
_Static_assert(TM_STOP_N <= UINT8_MAX && TM_THREAD_STATES_N <= UINT8_MAX &&
		       AGGREGATE_FLAGS <= UINT8_MAX,
	       "numbers fit");

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
	struct budget *budget;                         /* borrowed */
	struct strings *strings;                       /* borrowed */
	struct process_table *processes;               /* borrowed */
	struct files *files;                           /* borrowed */
	struct methods *methods;                       /* borrowed */
	uint64_t period_ns;                            /* of an on-CPU sample without a value */
	struct sample_sum exported[TM_SAMPLE_KINDS_N]; /* what was counted */
	uint32_t timed;                                /* samples with a code_ktime */
	uint64_t frame_count;                          /* of all stacks */
	uint32_t merged_comm;                          /* string; 0: not yet */
	uint64_t frames[TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX]; /* the stack being added */
};

static inline bool aggregate_is_merged(const struct aggregate_stack *stack)
{
	return stack->count && stack->frames[0] == AGGREGATE_MERGED;
}

static inline bool aggregate_is_kept(const struct aggregate_stack *stack)
{
	return stack->forward == AGGREGATE_KEPT;
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
/* Adds @more's count and value. */
void aggregate_entries_count(struct aggregate *aggregate, uint32_t index,
			     const struct aggregate_sample *more);
/* Return: 0, BUDGET_E_SPENT. */
int aggregate_entries_add_sample(struct aggregate *aggregate, const struct aggregate_sample *key,
				 uint32_t hash, uint32_t *ret_sample);
/* Gives the samples the stacks that theirs have become. */
void aggregate_entries_forward(struct aggregate *aggregate);
