/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * threads - what is known of each thread: times already reported, its sleep, its last stack, waker
 *
 * Key        tid, tgid and start of the group leader; a record of a thread that is about to end may
 *            lack the start. A thread that gets the tid of another one was seen first after the
 *            other one's last record.
 * Lifetime   an entry is made by an off-CPU sample or by an answer of the collector, and goes with
 *            the thread's last record, or when a later answer lacks it.
 * Limits     THREADS_MAX entries and THREADS_STACK_BYTES of stacks and wakers, charged to `budget`;
 *            what did not fit is counted.
 */

#include <stdbool.h>

#include "shared/event.h"
#include "symbolizer/base/hash.h"
#include "symbolizer/profile/methods.h"

#define THREADS_MAX         65536u
#define THREADS_STACK_BYTES (8ull << 20)

struct thread_stack { /* of an off-CPU sample, its files as the numbers that the record has */
	uint64_t ktime;
	uint64_t since; /* of the wait before which it was taken; 0: it was taken after one */
	uint16_t kernel_frames;
	uint16_t user_frames;
	uint8_t user_stop;
	uint8_t kernel_stop;
	uint64_t frames[];
};

struct thread {
	uint64_t start_boottime;
	uint32_t tgid;
	uint32_t tid;
	uint64_t ktime; /* of its last THREAD record; 0: none */
	uint64_t ns[TM_THREAD_STATES_N];
	uint64_t touched;           /* time of its last record of any type */
	uint64_t ended_since;       /* beginning of the last sleep whose sample came; 0: none */
	uint64_t reported_since;    /* beginning of the sleep that was reported in progress */
	uint64_t reported_until;    /* up to which time; 0: none was */
	struct thread_stack *stack; /* owned; NULL: none */
	struct tm_sample *waker;    /* who ended its last sleep; owned; NULL: not known */
	uint32_t hash;
	uint32_t next_free; /* in an unused entry: index + 1 of the next one */
	uint32_t answer;    /* number of the last answer that has it */
	uint32_t interval;  /* of which `row` is */
	uint32_t row;       /* its row there (thread_rows.h): index + 1; 0: none of its own */
	bool used;
};

struct threads_lost {     /* since the last interval ended */
	uint64_t full;    /* sleeps and samples that found no memory for their thread */
	uint64_t stacks;  /* stacks that were not kept */
	uint64_t wakers;  /* likewise */
	uint64_t unknown; /* threads whose time before this interval is not known: left out */
	uint64_t bad;     /* records of answers that were refused */
};

struct threads {
	struct thread *items;
	uint32_t count; /* entries, unused ones included */
	uint32_t capacity;
	uint32_t first_free; /* index + 1 of the first unused entry; 0: none */
	uint32_t live;
	struct hash_index lookup;
	struct budget budget;
	uint64_t stack_bytes;
	const struct hash_seed *seed; /* borrowed, as the next one */
	struct methods *methods;      /* that the stacks hold; NULL: none */
	uint64_t known_since;         /* of threads seen first since then nothing was reported */
	uint64_t resumed;             /* what is older was reported by a predecessor; 0: none */
	uint32_t answers;
	uint32_t interval;
	struct threads_lost lost;
	_Alignas(struct tm_sample)
		uint8_t made[TM_EVENT_MAX_BYTES]; /* a sample, of in_progress or stack_join */
};
_Static_assert(sizeof(struct tm_sample) + 8 * (TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX) <=
		       TM_EVENT_MAX_BYTES,
	       "every stack fits");

/* @seed: borrowed. The caller sets `budget`, and `methods`. */
void threads_init(struct threads *threads, const struct hash_seed *seed);
void threads_deinit(struct threads *threads);
/* What lies before @ktime was reported by a predecessor. */
void threads_resume(struct threads *threads, uint64_t ktime);
/* Return: the thread of a record, NULL: it is not known. */
struct thread *threads_find(struct threads *threads, const struct tm_event *event);
/* Return: the same, added if need be; NULL: there is no memory for it, which is counted. */
struct thread *threads_get(struct threads *threads, const struct tm_event *event);
void threads_remove(struct threads *threads, struct thread *thread);
/* Forgets those that the last answer lacks and that nothing has named since @ktime. */
void threads_remove_absent(struct threads *threads, uint64_t ktime);
/* Keeps the stack of @sample in place of the last one. */
void threads_keep_stack(struct threads *threads, struct thread *thread,
			const struct tm_sample *sample);
/* Keeps a copy of @waker, or NULL, in place of the last one. */
void threads_keep_waker(struct threads *threads, struct thread *thread,
			const struct tm_sample *waker);
