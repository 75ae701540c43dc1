/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate_merge - makes an aggregate smaller: rare stacks lose their deepest frames
 */

#include "symbolizer/profile/aggregate_merge.h"

#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/profile/aggregate_cut.h"
#include "symbolizer/profile/aggregate_entries.h"

#define PASSES_MAX 32

struct merging { /* one pass */
	struct aggregate *aggregate;
	struct aggregate_owners owners;
	struct aggregate_cut cut;
	struct arena old;
	uint64_t freed; /* words so far, at least */
};

uint32_t aggregate_merged_comm(struct aggregate *aggregate)
{
	if (!aggregate->merged_comm)
		(void)strings_add(aggregate->strings, AGGREGATE_MERGED_NAME, STRINGS_MAX_BYTES,
				  &aggregate->merged_comm);
	return aggregate->merged_comm;
}

uint64_t aggregate_merged_samples(const struct aggregate *aggregate)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < aggregate->sample_count; i++)
		if (aggregate_is_merged(&aggregate->stacks[aggregate->samples[i].stack]))
			count += aggregate->samples[i].count;
	return count;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static bool is_cut(const struct merging *merging, const struct aggregate_stack *stack)
{
	return !merging->cut.threads && merging->freed < merging->cut.excess &&
	       stack->weight <= merging->cut.weight_max &&
	       aggregate_spare(stack) > merging->cut.depth;
}

static void set_frames(struct aggregate *aggregate, struct aggregate_stack *stack,
		       const uint64_t *frames, uint32_t count)
{
	aggregate->frame_count += count;
	aggregate->frame_count -= stack->count;
	stack->frames = frames;
	stack->count = count;
	stack->process = aggregate_entries_process(frames, count, stack->process);
}

/* In its own place. */
static void cut_stack(struct merging *merging, struct aggregate_stack *stack)
{
	uint32_t lost = stack->count - merging->cut.depth - 1;
	uint64_t *frames = (uint64_t *)(uintptr_t)stack->frames + lost; /* the arena's */

	merging->freed += lost;
	if (!merging->cut.depth)
		frames = (uint64_t *)(uintptr_t)aggregate_entries_merged;
	else
		frames[0] = AGGREGATE_MERGED;
	set_frames(merging->aggregate, stack, frames, merging->cut.depth + 1);
}

/* To the new arena. All frames are lost where that has no memory, which only stacks in another
 * order than their frames can bring about. */
static void move_stack(struct aggregate *aggregate, struct aggregate_stack *stack)
{
	uint64_t *frames;

	if (!stack->count || stack->frames == aggregate_entries_merged)
		return;
	frames = arena_take(&aggregate->arena, stack->count * sizeof(*frames));
	if (frames) {
		memcpy(frames, stack->frames, stack->count * sizeof(*frames));
		stack->frames = frames;
	} else {
		set_frames(aggregate, stack, aggregate_entries_merged, 1);
	}
}

static uint32_t find_equal(const struct aggregate *aggregate, const struct aggregate_stack *stack,
			   uint32_t *ret_hash)
{
	return aggregate_entries_find_stack(aggregate, stack->frames, stack->count, stack->process,
					    ret_hash);
}

static void unite(struct merging *merging, struct aggregate_stack *stack, uint32_t first)
{
	struct aggregate *aggregate = merging->aggregate;
	uint32_t *weight = &aggregate->stacks[first].weight;

	*weight = stack->weight < UINT32_MAX - *weight ? *weight + stack->weight : UINT32_MAX;
	merging->freed += stack->count + AGGREGATE_STACK_WORDS + AGGREGATE_SAMPLE_WORDS;
	set_frames(aggregate, stack, stack->frames, 0);
	stack->forward = first;
}

/* Stacks that are equal now become the first of them; `forward` says which. */
static void unite_stacks(struct merging *merging)
{
	struct aggregate *aggregate = merging->aggregate;

	hash_index_clear(&aggregate->stack_lookup);
	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		struct aggregate_stack *stack = &aggregate->stacks[i];
		uint32_t hash, first;

		if (stack->count && stack->frames != aggregate_entries_merged)
			arena_pass_before(&merging->old, stack->frames, &merging->aggregate->arena);
		if (is_cut(merging, stack))
			cut_stack(merging, stack);
		first = find_equal(aggregate, stack, &hash);
		if (first == HASH_INDEX_NONE) {
			move_stack(aggregate, stack);
			first = find_equal(aggregate, stack, &hash);
		}
		stack->forward = i;
		if (first == HASH_INDEX_NONE)
			(void)hash_index_add(&aggregate->stack_lookup, hash, i);
		else
			unite(merging, stack, first);
	}
}

/* Closes the gaps in the array; `forward` says then where a stack lies. */
static void number_stacks(struct aggregate *aggregate)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		struct aggregate_stack *stack = &aggregate->stacks[i];

		stack->forward =
			stack->forward == i ? count++ : aggregate->stacks[stack->forward].forward;
	}
	aggregate_entries_forward(aggregate);
	count = 0;
	hash_index_clear(&aggregate->stack_lookup);
	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack stack = aggregate->stacks[i];
		uint32_t hash;

		if (stack.forward != count)
			continue; /* it has become one that came before */
		aggregate->stacks[count++] = stack;
		(void)find_equal(aggregate, &stack, &hash);
		(void)hash_index_add(&aggregate->stack_lookup, hash, stack.forward);
	}
	aggregate->stack_count = count;
}

static void merge_stacks(struct merging *merging)
{
	struct aggregate *aggregate = merging->aggregate;

	merging->old = aggregate->arena;
	aggregate->arena.chunks = NULL;
	aggregate->arena.spare = TM_TAKE_PTR(aggregate->reserve.spare);
	arena_reverse(&merging->old);
	unite_stacks(merging);
	arena_pass_before(&merging->old, NULL, &aggregate->arena);
	arena_deinit(&merging->old);
	aggregate->reserve.spare = TM_TAKE_PTR(aggregate->arena.spare);
	number_stacks(aggregate);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void merge_samples(const struct merging *merging)
{
	struct aggregate *aggregate = merging->aggregate;
	uint32_t before = aggregate->sample_count;

	aggregate->sample_count = 0;
	aggregate->timed = 0;
	hash_index_clear(&aggregate->sample_lookup);
	for (uint32_t i = 0; i < before; i++) {
		struct aggregate_sample sample = aggregate->samples[i];
		const struct aggregate_stack *stack = &aggregate->stacks[sample.stack];
		uint32_t hash, index;

		sample.code_ktime = 0;
		if (merging->cut.threads && aggregate_is_merged(stack) && !aggregate_depth(stack) &&
		    aggregate_owners_loses(&merging->owners, aggregate, &sample)) {
			sample.tid = 0;
			sample.comm = aggregate->merged_comm;
			aggregate_entries_forget_waker(&sample);
		}
		index = aggregate_entries_find_sample(aggregate, &sample, &hash);
		if (index != HASH_INDEX_NONE)
			aggregate_entries_count(aggregate, index, &sample);
		else /* its place is free: at most as many were before it */
			(void)aggregate_entries_add_sample(aggregate, &sample, hash, &index);
	}
}

/* --- passes ----------------------------------------------------------------------------------- */

static void give_back(struct aggregate *aggregate)
{
	hash_index_shrink(&aggregate->stack_lookup);
	hash_index_shrink(&aggregate->sample_lookup);
	budget_shrink(aggregate->budget, &aggregate->stacks, &aggregate->stack_capacity,
		      aggregate->stack_count, sizeof(*aggregate->stacks));
	budget_shrink(aggregate->budget, &aggregate->samples, &aggregate->sample_capacity,
		      aggregate->sample_count, sizeof(*aggregate->samples));
}

/* Return: whether there is anything to merge. */
static bool choose(struct merging *merging, uint64_t excess)
{
	struct aggregate *aggregate = merging->aggregate;
	struct aggregate_cut *cut = &merging->cut;

	aggregate_owners_count(&merging->owners, aggregate, excess);
	for (unsigned scope = 0; scope < AGGREGATE_OWNERS_SCOPES_N; scope++) {
		cut->words = aggregate_owners_select(&merging->owners, aggregate, scope);
		cut->excess = excess < cut->words ? excess : cut->words;
		if (cut->excess && aggregate_cut_choose(aggregate, &merging->owners, cut))
			return true;
	}
	return false;
}

bool aggregate_merge(struct aggregate *aggregate)
{
	const uint64_t before = aggregate_words(aggregate);
	const uint64_t goal = before - before / 4;
	uint64_t words = before;

	if (!aggregate->stack_count || !arena_spare(&aggregate->reserve))
		return false;
	(void)aggregate_merged_comm(aggregate);
	if (aggregate->timed) {
		merge_samples(&(struct merging){.aggregate = aggregate});
		words = aggregate_words(aggregate);
	}
	for (int pass = 0; pass < PASSES_MAX && words > goal; pass++) {
		struct merging merging = {.aggregate = aggregate};

		if (!choose(&merging, words - goal))
			break;
		if (!merging.cut.threads)
			merge_stacks(&merging);
		merge_samples(&merging);
		words = aggregate_words(aggregate);
	}
	give_back(aggregate);
	return words < before;
}
