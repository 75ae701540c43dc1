/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate_rewrite - gives samples other frames once more is known of them, and forgets their
 * times
 */

#include "symbolizer/profile/aggregate_rewrite.h"

#include <string.h>

struct rewriting {
	struct aggregate *aggregate;
	aggregate_rewrite_fn rewrite;
	const void *context;
};

static void add_weight(struct aggregate_stack *stack, uint64_t count)
{
	stack->weight =
		count < UINT32_MAX - stack->weight ? stack->weight + (uint32_t)count : UINT32_MAX;
}

/* Return: what becomes of the stack of a sample of @ktime. */
static uint32_t stack_of(const struct rewriting *rewriting, uint32_t index, uint64_t ktime)
{
	struct aggregate *aggregate = rewriting->aggregate;
	const struct aggregate_stack stack = aggregate->stacks[index];
	uint64_t *frames = aggregate->frames;
	uint32_t hash, found;

	if (stack.process == AGGREGATE_NO_PROCESS)
		return index;
	for (uint32_t i = 0; i < stack.count; i++) {
		frames[i] = stack.frames[i];
		if (frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_ANON)
			frames[i] = rewriting->rewrite(rewriting->context, stack.process, ktime,
						       frames[i]);
	}
	if (memcmp(frames, stack.frames, stack.count * sizeof(*frames)) == 0)
		return index;
	found = aggregate_entries_find_stack(aggregate, frames, stack.count, stack.process, &hash);
	if (found == HASH_INDEX_NONE && aggregate_entries_add_stack(aggregate, frames, stack.count,
								    stack.process, hash, &found))
		return index;
	return found;
}

static void rewrite_sample(const struct rewriting *rewriting, struct aggregate_sample *sample)
{
	struct aggregate_stack *const *stacks = &rewriting->aggregate->stacks; /* may move */

	sample->stack = stack_of(rewriting, sample->stack, sample->code_ktime);
	if (sample->waker_stack)
		sample->waker_stack =
			stack_of(rewriting, sample->waker_stack - 1, sample->code_ktime) + 1;
	sample->code_ktime = 0;
	add_weight(&(*stacks)[sample->stack], sample->count);
	if (sample->waker_stack)
		add_weight(&(*stacks)[sample->waker_stack - 1], sample->count);
}

/* Each in its own place or in that of an equal one before it. */
static void rewrite_samples(const struct rewriting *rewriting)
{
	struct aggregate *aggregate = rewriting->aggregate;
	const uint32_t before = aggregate->sample_count;

	aggregate->sample_count = 0;
	aggregate->timed = 0;
	hash_index_clear(&aggregate->sample_lookup);
	for (uint32_t i = 0; i < aggregate->stack_count; i++)
		aggregate->stacks[i].weight = 0;
	for (uint32_t i = 0; i < before; i++) {
		struct aggregate_sample sample = aggregate->samples[i];
		uint32_t hash, index;

		rewrite_sample(rewriting, &sample);
		index = aggregate_entries_find_sample(aggregate, &sample, &hash);
		if (index != HASH_INDEX_NONE)
			aggregate_entries_count(aggregate, index, &sample);
		else /* its place is free: at most as many were before it */
			(void)aggregate_entries_add_sample(aggregate, &sample, hash, &index);
	}
}

/* Closes the gaps in the array. */
static void drop_unused_stacks(struct aggregate *aggregate)
{
	const uint32_t before = aggregate->stack_count;
	uint32_t count = 0;

	for (uint32_t i = 0; i < before; i++)
		aggregate->stacks[i].forward = aggregate->stacks[i].weight ? count++ : before;
	aggregate_entries_forward(aggregate);
	hash_index_clear(&aggregate->stack_lookup);
	for (uint32_t i = 0; i < before; i++) {
		const struct aggregate_stack stack = aggregate->stacks[i];
		uint32_t hash;

		if (stack.forward == before) {
			aggregate->frame_count -= stack.count;
			continue;
		}
		aggregate->stacks[stack.forward] = stack;
		(void)aggregate_entries_find_stack(aggregate, stack.frames, stack.count,
						   stack.process, &hash);
		(void)hash_index_add(&aggregate->stack_lookup, hash, stack.forward);
	}
	aggregate->stack_count = count;
}

void aggregate_rewrite(struct aggregate *aggregate, aggregate_rewrite_fn rewrite,
		       const void *context)
{
	const struct rewriting rewriting = {aggregate, rewrite, context};

	rewrite_samples(&rewriting);
	drop_unused_stacks(aggregate);
}
