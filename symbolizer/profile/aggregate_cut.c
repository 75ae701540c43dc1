/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate_cut - decides which stacks of an aggregate lose frames when it is merged, and how many
 */

#include "symbolizer/profile/aggregate_cut.h"

#define WEIGHTS 256u  /* the last stands for all that are as large or larger */
#define DEPTHS  1024u /* likewise */

uint64_t aggregate_words(const struct aggregate *aggregate)
{
	return aggregate->frame_count + AGGREGATE_STACK_WORDS * (uint64_t)aggregate->stack_count +
	       AGGREGATE_SAMPLE_WORDS * (uint64_t)aggregate->sample_count;
}

static uint32_t weight_class(const struct aggregate_stack *stack)
{
	return stack->weight < WEIGHTS ? stack->weight : WEIGHTS - 1;
}

/* Return: the words that stacks can still lose; half of them are in stacks up to weight_max. */
static uint64_t choose_weight(const struct aggregate *aggregate, struct aggregate_cut *cut)
{
	uint64_t words[WEIGHTS] = {0}, all = 0, sum = 0;
	uint32_t class = 0;

	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];
		uint32_t depth = aggregate_spare(stack);

		if (!depth)
			continue;
		words[weight_class(stack)] += depth + AGGREGATE_STACK_WORDS;
		all += depth + AGGREGATE_STACK_WORDS;
	}
	while (class < WEIGHTS && (sum += words[class]) < all - all / 2)
		class ++;
	cut->weight_max = class < WEIGHTS - 1 ? class : UINT32_MAX;
	return all;
}

/* The deepest one that frees enough. */
static void choose_depth(const struct aggregate *aggregate, struct aggregate_cut *cut)
{
	uint32_t stacks[DEPTHS] = {0}; /* by depth */
	uint64_t deeper = 0, freed = 0, enough = cut->excess;
	uint32_t depth = DEPTHS - 1;

	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];
		uint32_t of;

		of = aggregate_spare(stack);
		if (!of || stack->weight > cut->weight_max)
			continue;
		stacks[of < DEPTHS ? of : DEPTHS - 1]++;
		enough += !aggregate_is_merged(stack); /* AGGREGATE_MERGED is one frame more */
	}
	for (; depth > 0 && freed < enough; depth--) {
		deeper += stacks[depth];
		freed += deeper;
	}
	cut->depth = depth;
}

bool aggregate_cut_choose(const struct aggregate *aggregate, const struct aggregate_owners *owners,
			  struct aggregate_cut *cut)
{
	uint64_t words = choose_weight(aggregate, cut);
	uint32_t threads = 0;

	for (uint32_t i = 0; i < aggregate->sample_count && !threads; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		threads += sample->tid && aggregate_is_merged(&aggregate->stacks[sample->stack]) &&
			   !aggregate_depth(&aggregate->stacks[sample->stack]) &&
			   aggregate_owners_loses(owners, aggregate, sample);
	}
	cut->threads = threads && words < cut->words / 4;
	if (!cut->threads && words)
		choose_depth(aggregate, cut);
	return cut->threads || words;
}
