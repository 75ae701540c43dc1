/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * thread_rows - how the threads of an interval spent their time: the rows of its report
 *
 * Each thread has a row of its own while there are at most THREAD_ROWS_MAX, those that ended no
 * more than half of them. The time of further ones goes to one row of their process, and where
 * there are too many processes or memory is short, to one row for all others. So the sums are
 * those of all threads.
 */

#include "symbolizer/profile/aggregate.h"

#define THREAD_ROWS_MAX           8192u
#define THREAD_ROWS_ENDED_MAX     (THREAD_ROWS_MAX / 2)
#define THREAD_ROWS_PROCESSES_MAX 4096u
#define THREAD_ROWS_OTHER         0xffffffffu /* process: several */

struct thread_times {
	uint64_t lifetime_ns; /* in the interval; the others add up to it, as far as known */
	uint64_t ns[TM_THREAD_STATES_N];
};

struct thread_row {
	uint32_t process; /* index, THREAD_ROWS_OTHER */
	uint32_t tid;     /* 0: several */
	uint32_t comm;    /* string */
	uint32_t threads; /* how many it has */
	struct thread_times times;
};

struct thread_rows {
	struct thread_row *items;
	uint32_t count;
	uint32_t capacity;
	uint32_t single;          /* rows of one thread */
	uint32_t ended;           /* of those, of threads that ended */
	struct hash_index merged; /* rows of several threads, by process */
	struct thread_row other;
	struct budget *budget; /* borrowed */
};

/* @budget: borrowed. */
void thread_rows_init(struct thread_rows *rows, struct budget *budget);
void thread_rows_deinit(struct thread_rows *rows);
/*
 * Adds the time of a thread. Names and processes are @aggregate's. @event: of its record; if it
 * lacks the start of its group leader, the thread is one of the others.
 * Return: its own row: index + 1; 0: it has none.
 */
uint32_t thread_rows_add(struct thread_rows *rows, struct aggregate *aggregate,
			 const struct tm_event *event, const char *comm, bool ended,
			 const struct thread_times *times);
/* Adds more time of a thread with a row of its own. @row: index + 1. */
void thread_rows_add_to(struct thread_rows *rows, uint32_t row, const struct thread_times *times);
