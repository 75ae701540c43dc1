/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate_cut - decides which stacks of an aggregate lose frames when it is merged, and how many
 *
 * The rarest stacks of whoever loses (aggregate_owners.h), which hold half of what can be lost, go
 * first; the depth is the largest that frees enough. Where nearly all frames are lost already,
 * threads are merged instead.
 */

#include "symbolizer/profile/aggregate_owners.h"

struct aggregate_cut {
	uint64_t excess;     /* words that are to be freed */
	uint64_t words;      /* that whoever loses has */
	uint32_t weight_max; /* stacks of so many samples or less are cut, */
	uint32_t depth;      /* to so many frames at the root */
	bool threads;        /* no stack is cut: those without frames lose their threads */
};

static inline uint32_t aggregate_depth(const struct aggregate_stack *stack)
{
	return stack->count - aggregate_is_merged(stack);
}

/* The frames that a stack can still lose. */
static inline uint32_t aggregate_spare(const struct aggregate_stack *stack)
{
	return aggregate_is_kept(stack) ? 0 : aggregate_depth(stack);
}

/* How much an aggregate holds, in words of 8 bytes: what merging makes smaller. */
uint64_t aggregate_words(const struct aggregate *aggregate);
/* @cut: its excess and words are given. Return: whether there is anything to merge. */
bool aggregate_cut_choose(const struct aggregate *aggregate, const struct aggregate_owners *owners,
			  struct aggregate_cut *cut);
