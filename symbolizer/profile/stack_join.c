/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_join - joins a stack that was taken before a wait with the samples that end the wait
 */

#include "symbolizer/profile/stack_join.h"

#include "symbolizer/profile/thread_stack.h"

void stack_join_keep(struct threads *threads, const struct tm_sample *stack)
{
	struct thread *thread = threads_get(threads, &stack->event);

	if (thread)
		threads_keep_stack(threads, thread, stack);
}

const struct tm_sample *stack_join(struct threads *threads, const struct files *files,
				   const struct tm_sample *sample)
{
	struct tm_sample *joined = (struct tm_sample *)threads->made;
	const struct thread *thread;

	if (sample->kind != TM_SAMPLE_OFF_CPU || !sample->stack)
		return sample;
	*joined = *sample;
	joined->kernel_frames = 0;
	joined->user_frames = 0;
	joined->kernel_stop = TM_STOP_NONE;
	joined->user_stop = TM_STOP_NO_STACK;
	thread = threads_find(threads, &sample->event);
	if (thread && thread->stack && thread->stack->since == sample->stack &&
	    thread_stack_is_current(thread->stack, files)) {
		thread_stack_use(thread->stack, joined);
		joined->event.ktime = thread->stack->ktime;
	}
	return joined;
}
