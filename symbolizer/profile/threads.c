/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads - what is known of each thread: times already reported, its sleep, its last stack, waker
 */

#include "symbolizer/profile/threads.h"

#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

static uint32_t hash_of(const struct threads *threads, const struct tm_event *event)
{
	const uint32_t key[2] = {event->tgid, event->tid};

	return hash_bytes(threads->seed, key, sizeof(key));
}

static struct thread *find(struct threads *threads, const struct tm_event *event, uint32_t hash)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&threads->lookup, &walk)) != HASH_INDEX_NONE) {
		struct thread *thread = &threads->items[index];

		if (thread->tid == event->tid && thread->tgid == event->tgid &&
		    (thread->start_boottime == event->start_boottime || !event->start_boottime))
			return thread;
	}
	return NULL;
}

static int find_free_entry(struct threads *threads, uint32_t *ret_index)
{
	if (!threads->first_free) {
		if (threads->count >= THREADS_MAX ||
		    budget_grow(&threads->budget, &threads->items, &threads->capacity,
				threads->count + 1, sizeof(*threads->items)))
			return BUDGET_E_SPENT;
		threads->first_free = ++threads->count;
	}
	*ret_index = threads->first_free - 1;
	return 0;
}

static uint64_t stack_bytes(uint32_t frames)
{
	return sizeof(struct thread_stack) + 8ull * frames;
}

/* Return: memory for a stack or a waker; NULL: there is none. */
static void *take_bytes(struct threads *threads, uint64_t bytes)
{
	void *taken = NULL;

	if (threads->stack_bytes + bytes > THREADS_STACK_BYTES ||
	    budget_take(&threads->budget, bytes))
		return NULL;
	taken = malloc(bytes);
	if (taken)
		threads->stack_bytes += bytes;
	else
		budget_give(&threads->budget, bytes);
	return taken;
}

static void give_bytes(struct threads *threads, void *taken, uint64_t bytes)
{
	free(taken);
	threads->stack_bytes -= bytes;
	budget_give(&threads->budget, bytes);
}

static void drop_stack(struct threads *threads, struct thread *thread)
{
	struct thread_stack *stack = TM_TAKE_PTR(thread->stack);
	uint32_t frames;

	if (!stack)
		return;
	frames = (uint32_t)stack->kernel_frames + stack->user_frames;
	if (threads->methods)
		methods_release(threads->methods, stack->frames, frames);
	give_bytes(threads, stack, stack_bytes(frames));
}

static void drop_waker(struct threads *threads, struct thread *thread)
{
	struct tm_sample *waker = TM_TAKE_PTR(thread->waker);

	if (!waker)
		return;
	if (threads->methods)
		methods_release(threads->methods, waker->frames,
				(uint32_t)waker->kernel_frames + waker->user_frames);
	give_bytes(threads, waker, waker->event.bytes);
}

void threads_init(struct threads *threads, const struct hash_seed *seed)
{
	memset(threads, 0, sizeof(*threads)); /* too large for a compound literal */
	threads->seed = seed;
	threads->lookup.budget = &threads->budget;
}

void threads_deinit(struct threads *threads)
{
	if (!threads->seed)
		return;
	for (uint32_t i = 0; i < threads->count; i++) {
		drop_stack(threads, &threads->items[i]);
		drop_waker(threads, &threads->items[i]);
	}
	hash_index_deinit(&threads->lookup);
	budget_drop(&threads->budget, &threads->items, &threads->capacity, sizeof(*threads->items));
	threads->count = 0;
	threads->first_free = 0;
	threads->live = 0;
}

void threads_resume(struct threads *threads, uint64_t ktime)
{
	threads->resumed = ktime;
	threads->known_since = ktime;
}

struct thread *threads_find(struct threads *threads, const struct tm_event *event)
{
	return find(threads, event, hash_of(threads, event));
}

struct thread *threads_get(struct threads *threads, const struct tm_event *event)
{
	uint32_t hash = hash_of(threads, event);
	struct thread *thread = find(threads, event, hash);
	uint32_t index;

	if (!thread) {
		if (find_free_entry(threads, &index) ||
		    hash_index_add(&threads->lookup, hash, index)) {
			threads->lost.full++;
			return NULL;
		}
		thread = &threads->items[index];
		threads->first_free = thread->next_free;
		threads->live++;
		*thread = (struct thread){
			.start_boottime = event->start_boottime,
			.tgid = event->tgid,
			.tid = event->tid,
			.hash = hash,
			.used = true,
		};
	}
	if (event->ktime > thread->touched)
		thread->touched = event->ktime;
	return thread;
}

void threads_remove(struct threads *threads, struct thread *thread)
{
	uint32_t index = (uint32_t)(thread - threads->items);

	drop_stack(threads, thread);
	drop_waker(threads, thread);
	hash_index_remove(&threads->lookup, thread->hash, index);
	*thread = (struct thread){.next_free = threads->first_free};
	threads->first_free = index + 1;
	threads->live--;
}

void threads_remove_absent(struct threads *threads, uint64_t ktime)
{
	for (uint32_t i = 0; i < threads->count; i++) {
		struct thread *thread = &threads->items[i];

		if (thread->used && thread->answer != threads->answers && thread->touched < ktime)
			threads_remove(threads, thread);
	}
}

static bool is_stack(const struct thread_stack *stack, const struct tm_sample *sample)
{
	uint32_t frames = (uint32_t)sample->kernel_frames + sample->user_frames;

	return stack && stack->kernel_frames == sample->kernel_frames &&
	       stack->user_frames == sample->user_frames &&
	       memcmp(stack->frames, sample->frames, 8ull * frames) == 0;
}

void threads_keep_stack(struct threads *threads, struct thread *thread,
			const struct tm_sample *sample)
{
	uint32_t frames = (uint32_t)sample->kernel_frames + sample->user_frames;

	if (!is_stack(thread->stack, sample)) {
		drop_stack(threads, thread);
		thread->stack = take_bytes(threads, stack_bytes(frames));
		if (!thread->stack) {
			threads->lost.stacks++;
			return;
		}
		thread->stack->kernel_frames = sample->kernel_frames;
		thread->stack->user_frames = sample->user_frames;
		memcpy(thread->stack->frames, sample->frames, 8ull * frames);
		if (threads->methods)
			methods_hold(threads->methods, &sample->event, sample->frames, frames);
	}
	thread->stack->ktime = sample->event.ktime;
	thread->stack->since = sample->stack;
	thread->stack->user_stop = sample->user_stop;
	thread->stack->kernel_stop = sample->kernel_stop;
}

void threads_keep_waker(struct threads *threads, struct thread *thread,
			const struct tm_sample *waker)
{
	drop_waker(threads, thread);
	if (!waker)
		return;
	thread->waker = take_bytes(threads, waker->event.bytes);
	if (!thread->waker) {
		threads->lost.wakers++;
		return;
	}
	memcpy(thread->waker, waker, waker->event.bytes);
	if (threads->methods)
		methods_hold(threads->methods, &waker->event, waker->frames,
			     (uint32_t)waker->kernel_frames + waker->user_frames);
}
