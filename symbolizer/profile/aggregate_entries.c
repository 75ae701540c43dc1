/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate_entries - the distinct stacks and samples of an aggregate, found by their contents
 */

#include "symbolizer/profile/aggregate_entries.h"

#include <stddef.h>
#include <string.h>

const uint64_t aggregate_entries_merged[1] = {AGGREGATE_MERGED};

uint32_t aggregate_entries_process(const uint64_t *frames, uint32_t count, uint32_t process)
{
	for (uint32_t i = 0; i < count; i++)
		if (frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_ANON)
			return process;
	return AGGREGATE_NO_PROCESS;
}

uint32_t aggregate_entries_find_stack(const struct aggregate *aggregate, const uint64_t *frames,
				      uint32_t count, uint32_t process, uint32_t *ret_hash)
{
	size_t bytes = count * sizeof(*frames);
	uint32_t key[2] = {hash_bytes(aggregate->strings->seed, frames, bytes), process};
	struct hash_index_walk walk;
	uint32_t index;

	*ret_hash = hash_bytes(aggregate->strings->seed, key, sizeof(key));
	walk = hash_index_start(*ret_hash);
	while ((index = hash_index_next(&aggregate->stack_lookup, &walk)) != HASH_INDEX_NONE) {
		const struct aggregate_stack *stack = &aggregate->stacks[index];

		if (stack->count == count && stack->process == process &&
		    memcmp(stack->frames, frames, bytes) == 0)
			break;
	}
	return index;
}

int aggregate_entries_add_stack(struct aggregate *aggregate, const uint64_t *frames, uint32_t count,
				uint32_t process, uint32_t hash, uint32_t *ret_stack)
{
	uint64_t *copy = NULL;

	if (budget_grow(aggregate->budget, &aggregate->stacks, &aggregate->stack_capacity,
			aggregate->stack_count + 1, sizeof(*aggregate->stacks)))
		return BUDGET_E_SPENT;
	if (frames != aggregate_entries_merged) {
		copy = arena_take(&aggregate->arena, count * sizeof(*copy));
		if (!copy)
			return BUDGET_E_SPENT;
		memcpy(copy, frames, count * sizeof(*copy));
	}
	if (hash_index_add(&aggregate->stack_lookup, hash, aggregate->stack_count))
		return BUDGET_E_SPENT;
	*ret_stack = aggregate->stack_count++;
	aggregate->stacks[*ret_stack] = (struct aggregate_stack){
		.frames = copy ? copy : frames,
		.count = count,
		.process = process,
	};
	aggregate->frame_count += count;
	return 0;
}

uint32_t aggregate_entries_find_sample(const struct aggregate *aggregate,
				       const struct aggregate_sample *key, uint32_t *ret_hash)
{
	size_t bytes = offsetof(struct aggregate_sample, count); /* without padding */
	struct hash_index_walk walk;
	uint32_t index;

	*ret_hash = hash_bytes(aggregate->strings->seed, key, bytes);
	walk = hash_index_start(*ret_hash);
	while ((index = hash_index_next(&aggregate->sample_lookup, &walk)) != HASH_INDEX_NONE)
		if (memcmp(&aggregate->samples[index], key, bytes) == 0)
			break;
	return index;
}

void aggregate_entries_count(struct aggregate *aggregate, uint32_t index,
			     const struct aggregate_sample *more)
{
	aggregate->samples[index].count += more->count;
	aggregate->samples[index].value += more->value;
}

int aggregate_entries_add_sample(struct aggregate *aggregate, const struct aggregate_sample *key,
				 uint32_t hash, uint32_t *ret_sample)
{
	uint32_t index = aggregate->sample_count;

	if (budget_grow(aggregate->budget, &aggregate->samples, &aggregate->sample_capacity,
			index + 1, sizeof(*aggregate->samples)) ||
	    hash_index_add(&aggregate->sample_lookup, hash, index))
		return BUDGET_E_SPENT;
	aggregate->samples[aggregate->sample_count++] = *key;
	*ret_sample = index;
	return 0;
}

void aggregate_entries_forward(struct aggregate *aggregate)
{
	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		struct aggregate_sample *sample = &aggregate->samples[i];

		sample->stack = aggregate->stacks[sample->stack].forward;
		if (sample->waker_stack)
			sample->waker_stack =
				aggregate->stacks[sample->waker_stack - 1].forward + 1;
	}
}
