/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * thread_answer - takes what threads do and did into the open interval
 *
 * A THREAD record has a thread's times since it was seen first. Of these the interval gets what
 * the thread's last record does not have. An answer of the collector has one record of every
 * living thread; the last record of a thread that ended comes through the ring.
 */

#include "symbolizer/profile/in_progress.h"
#include "symbolizer/profile/thread_blob.h"
#include "symbolizer/profile/thread_rows.h"

struct thread_answer {
	struct threads *threads;
	struct thread_rows *rows; /* of the open interval */
	struct aggregate *aggregate;
	struct sample_sum *in_progress; /* raised */
	uint64_t until; /* where the interval ends; UINT64_MAX: behind all records */
};

/* Takes every record of @blob. */
void thread_answer_take(const struct thread_answer *answer, struct thread_blob *blob);
/* Only notes the times of the threads: what lies before belongs to no report of this program. */
void thread_answer_begin(struct threads *threads, struct thread_blob *blob);
/* The last record of a thread, in the order of time. */
void thread_answer_ended(struct threads *threads, struct thread_rows *rows,
			 struct aggregate *aggregate, const struct tm_thread *record);
