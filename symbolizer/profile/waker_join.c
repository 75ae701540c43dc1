/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waker_join - joins the sample of a waker with that of the sleep which it ended
 */

#include "symbolizer/profile/waker_join.h"

#include "symbolizer/profile/thread_stack.h"

void waker_join_keep(struct threads *threads, const struct tm_sample *waker)
{
	const struct tm_event slept = {
		.ktime = waker->event.ktime,
		.start_boottime = waker->sleeper_start,
		.tgid = waker->sleeper_tgid,
		.tid = waker->sleeper_tid,
	};
	struct thread *thread = threads_get(threads, &slept);

	if (thread)
		threads_keep_waker(threads, thread, waker);
}

static bool is_of(const struct thread *thread, const struct tm_sample *sample)
{
	return thread && thread->waker && thread->waker->since == sample->since &&
	       sample->state >= TM_THREAD_INTERRUPTIBLE && sample->state <= TM_THREAD_STOPPED;
}

const struct tm_sample *waker_join(struct threads *threads, const struct files *files,
				   const struct tm_sample *sample)
{
	const struct thread *thread = threads_find(threads, &sample->event);
	const struct tm_sample *waker;

	if (!is_of(thread, sample))
		return NULL;
	waker = thread->waker;
	return thread_stack_frames_are_current(waker->frames + waker->kernel_frames,
					       waker->user_frames, waker->event.ktime, files)
		       ? waker
		       : NULL;
}

void waker_join_end(struct threads *threads, const struct tm_sample *sample)
{
	struct thread *thread = threads_find(threads, &sample->event);

	if (is_of(thread, sample))
		threads_keep_waker(threads, thread, NULL);
}
