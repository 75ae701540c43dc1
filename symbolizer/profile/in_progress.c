/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_progress - counts the part of a sleep that lies in an interval before the sleep has ended
 */

#include "symbolizer/profile/in_progress.h"

#include <string.h>

#include "symbolizer/profile/thread_stack.h"

static bool is_sleep(unsigned state)
{
	return state == TM_THREAD_INTERRUPTIBLE || state == TM_THREAD_UNINTERRUPTIBLE ||
	       state == TM_THREAD_IO_WAIT || state == TM_THREAD_STOPPED;
}

/*
 * Whether @record sleeps where @stack was taken. The stack of a thread that does not run begins
 * where it called the scheduler, that of a sample inside: so it is compared from the root on. It
 * is not known of the first frame of a record whether it is a return address.
 */
static bool is_same_place(const struct thread_stack *stack, const struct tm_thread *record)
{
	uint32_t count = record->kernel_frames;
	const uint64_t *frames;

	if (!stack || !count || stack->kernel_frames < count)
		return false;
	frames = stack->frames + stack->kernel_frames - count;
	return ((frames[0] ^ record->frames[0]) & ~TM_FRAME_RETURN) == 0 &&
	       memcmp(frames + 1, record->frames + 1, 8ull * (count - 1)) == 0;
}

static void make_sample(struct tm_sample *sample, const struct thread *thread,
			const struct files *files, const struct tm_thread *record)
{
	bool user = !(record->event.flags & TM_FLAG_KTHREAD);

	*sample = (struct tm_sample){.event = record->event,
				     .kernel_frames = record->kernel_frames,
				     .user_frames = user,
				     .kind = TM_SAMPLE_OFF_CPU,
				     .state = (uint8_t)record->state};
	memcpy(sample->comm, record->comm, sizeof(sample->comm));
	if (is_same_place(thread->stack, record) && thread_stack_is_current(thread->stack, files)) {
		thread_stack_use(thread->stack, sample);
		return;
	}
	memcpy(sample->frames, record->frames, 8ull * record->kernel_frames);
	if (user)
		sample->frames[record->kernel_frames] = AGGREGATE_IN_PROGRESS;
}

/* Return: up to which time the sleep of @thread that began at @since was reported. */
static uint64_t reported(const struct thread *thread, uint64_t since)
{
	return thread->reported_since == since ? thread->reported_until : 0;
}

void in_progress_add(struct threads *threads, struct thread *thread, struct aggregate *aggregate,
		     const struct tm_thread *record, uint64_t until, struct sample_sum *sum)
{
	struct tm_sample *made = (struct tm_sample *)threads->made;
	uint64_t from = record->since;
	uint64_t before = reported(thread, record->since);

	if (!is_sleep(record->state) || !(record->flags & TM_THREAD_COUNTED) ||
	    thread->ended_since >= record->since)
		return;
	if (until > record->event.ktime)
		until = record->event.ktime;
	from = before > from ? before : from;
	from = threads->resumed > from ? threads->resumed : from;
	if (from >= until || until - from > TM_OFF_CPU_VALUE_MAX)
		return;
	make_sample(made, thread, aggregate->files, record);
	if (aggregate_add_value(aggregate, made, until - from)) {
		threads->lost.full++;
		return;
	}
	thread->reported_since = record->since;
	thread->reported_until = until;
	sample_sum_add(sum, 1, until - from);
}

uint64_t in_progress_left(struct threads *threads, const struct tm_sample *sample)
{
	struct thread *thread;
	uint64_t until = 0, part;

	if (sample->kind != TM_SAMPLE_OFF_CPU || !is_sleep(sample->state))
		return sample->value;
	thread = threads_get(threads, &sample->event);
	if (thread) {
		until = reported(thread, sample->since);
		if (sample->since > thread->ended_since)
			thread->ended_since = sample->since;
		threads_keep_stack(threads, thread, sample);
	}
	/* A predecessor reported such sleeps, and no others, up to its last W. */
	if (sample->value == sample->duration && threads->resumed > until)
		until = threads->resumed;
	part = until > sample->since ? until - sample->since : 0;
	return sample->value - (part < sample->duration ? part : sample->duration);
}
