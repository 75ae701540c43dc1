/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * methods - the functions of language runtimes, by the method numbers of frames
 *
 * Shape      a number stands for one function, always the same. A sample may name a number before
 *            its METHOD record has been read: the entry is empty until then.
 * Lifetime   a method is freed when it was neither announced nor named by a sample for
 *            METHODS_IDLE_NS, unless a stack that is kept for a later sample names it (`holders`);
 *            if a sample since the last report named it, after methods_forget.
 * Limits     METHODS_MAX entries, and the budget; of both an owner's methods take at most as much
 *            as they leave. What is beyond is counted (`full`), and its frames have no name.
 */

#include <stdbool.h>

#include "shared/retire.h"
#include "shared/runtime.h"
#include "symbolizer/base/hash_index.h"
#include "symbolizer/profile/method_content.h"
#include "symbolizer/profile/processes.h"

#define METHODS_MAX     (1u << 18)
#define METHODS_IDLE_NS (2 * TM_EPOCH_NS)
#define METHODS_OWNERS  256u /* that are told apart, by a keyed hash; some share one part */

struct method {
	uint64_t number;
	uint64_t seen_ktime; /* time of the last sample or announcement */
	char *texts;         /* owned; NULL: no METHOD was read */
	struct method_content content;
	uint32_t holders;   /* stacks that are kept (threads.h) and name it */
	uint32_t next_free; /* in an unused entry: index + 1 of the next one */
	uint8_t owner;      /* whose it is, below METHODS_OWNERS */
	bool used;          /* the entry is in use */
	bool sampled;       /* a sample since the last report named it */
	bool queued;        /* the retire queue refers to it */
};

struct methods {
	struct method *items;
	uint32_t count; /* entries, unused ones included */
	uint32_t capacity;
	uint32_t first_free; /* index + 1 of the first unused entry; 0: none */
	uint32_t live;
	struct hash_index lookup;
	struct budget *budget;           /* borrowed */
	struct tm_retire_queue *queue;   /* borrowed; NULL: nothing is freed before the end */
	struct process_table *processes; /* borrowed; tells owners apart; NULL: there is one */
	uint32_t owner_entries[METHODS_OWNERS];
	uint64_t owner_bytes[METHODS_OWNERS]; /* of entries and texts */
	uint64_t announced;                   /* METHOD records */
	uint64_t conflicts; /* of these: with other contents than before, not taken */
	uint64_t full;      /* records and names in samples without memory */
};

/* The number in an encoded frame; 0: it has none, or is of another kind. */
static inline uint64_t methods_number(uint64_t word)
{
	const uint64_t number = word >> TM_FRAME_METHOD_SHIFT & TM_FRAME_METHOD_MAX;

	return word >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD && number > TM_RUNTIME_NUMBER_JAVA
		       ? number
		       : 0;
}

void methods_init(struct methods *methods, struct process_table *processes, struct budget *budget,
		  struct tm_retire_queue *queue);
void methods_deinit(struct methods *methods);
/* Handles a METHOD record. Return: 0, BUDGET_E_SPENT. */
int methods_announce(struct methods *methods, const struct tm_method *record);
/* A frame of the sample @event names @number; 0 is none. */
void methods_note_use(struct methods *methods, uint64_t number, const struct tm_event *event);
/* A stack with these frames, of the sample @event, is kept, or is no longer. */
void methods_hold(struct methods *methods, const struct tm_event *event, const uint64_t *frames,
		  uint32_t count);
void methods_release(struct methods *methods, const uint64_t *frames, uint32_t count);
/* Return: the method of @number, of which a METHOD was read; NULL. */
const struct method *methods_find(const struct methods *methods, uint64_t number);
/* Adds to the empty @copy the methods that samples since the last report named, as far as there is
 * memory. */
void methods_copy_sampled(const struct methods *methods, struct methods *copy);
/* To be called when every sample has been reported. */
void methods_forget(struct methods *methods);
