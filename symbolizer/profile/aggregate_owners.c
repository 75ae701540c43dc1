/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate_owners - whose stacks lose detail when an aggregate becomes too large */

#include "symbolizer/profile/aggregate_owners.h"

#include <string.h>

#include "symbolizer/profile/owner.h"

_Static_assert((AGGREGATE_OWNERS_MAX & (AGGREGATE_OWNERS_MAX - 1)) == 0, "a power of two");

/* --- owners ----------------------------------------------------------------------------------- */

static uint64_t key_of(const struct aggregate *aggregate, const struct aggregate_sample *sample)
{
	const struct process *process = &aggregate->processes->items[sample->process];

	return owner_key(process->owner, process->euid);
}

/* Return: the place of the owner, or where he could be; that of all later ones. */
static uint32_t find(const struct aggregate_owners *owners, uint64_t key)
{
	const uint32_t first = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32);

	for (uint32_t i = 0; i < AGGREGATE_OWNERS_MAX; i++) {
		const uint32_t place = (first + i) % AGGREGATE_OWNERS_MAX;

		if (!owners->items[place].key || owners->items[place].key == key)
			return place;
	}
	return AGGREGATE_OWNERS_MAX;
}

/* Once in a row for each owner: whoever shares a stack has it, too. */
static uint64_t count_stack(struct aggregate *aggregate, uint32_t number, uint32_t place)
{
	struct aggregate_stack *stack = &aggregate->stacks[number];

	if (stack->forward == place + 1)
		return 0;
	stack->forward = place + 1;
	return stack->count + AGGREGATE_STACK_WORDS;
}

static void count_sample(struct aggregate_owners *owners, struct aggregate *aggregate,
			 const struct aggregate_sample *sample)
{
	const uint64_t key = key_of(aggregate, sample);
	const uint32_t place = find(owners, key);
	struct aggregate_owner *owner = &owners->items[place];

	owner->key = key;
	owner->words += AGGREGATE_SAMPLE_WORDS + count_stack(aggregate, sample->stack, place);
	if (sample->waker_stack)
		owner->words += count_stack(aggregate, sample->waker_stack - 1, place);
}

/* --- the level -------------------------------------------------------------------------------- */

static uint64_t sum_below(const struct aggregate_owners *owners, uint64_t level)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= AGGREGATE_OWNERS_MAX; i++) {
		const uint64_t words = owners->items[i].words;

		sum += words < level ? words : level;
	}
	return sum;
}

/* The highest one so that all have @goal words at most. */
static uint64_t find_level(const struct aggregate_owners *owners, uint64_t goal)
{
	uint64_t low = 0, high = owners->most;

	while (low < high) {
		const uint64_t middle = high - (high - low) / 2;

		if (sum_below(owners, middle) <= goal)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void forget_marks(struct aggregate *aggregate)
{
	for (uint32_t i = 0; i < aggregate->stack_count; i++)
		aggregate->stacks[i].forward = 0;
}

void aggregate_owners_count(struct aggregate_owners *owners, struct aggregate *aggregate,
			    uint64_t excess)
{
	uint64_t all;

	memset(owners, 0, sizeof(*owners));
	forget_marks(aggregate);
	for (uint32_t i = 0; i < aggregate->sample_count; i++)
		count_sample(owners, aggregate, &aggregate->samples[i]);
	for (uint32_t i = 0; i <= AGGREGATE_OWNERS_MAX; i++)
		if (owners->items[i].words > owners->most)
			owners->most = owners->items[i].words;
	all = sum_below(owners, owners->most);
	owners->level = find_level(owners, all > excess ? all - excess : 0);
}

/* --- who loses -------------------------------------------------------------------------------- */

bool aggregate_owners_loses(const struct aggregate_owners *owners,
			    const struct aggregate *aggregate,
			    const struct aggregate_sample *sample)
{
	return owners->items[find(owners, key_of(aggregate, sample))].words > owners->lost_above;
}

static void keep(struct aggregate *aggregate, const struct aggregate_sample *sample)
{
	aggregate->stacks[sample->stack].forward = AGGREGATE_KEPT;
	if (sample->waker_stack)
		aggregate->stacks[sample->waker_stack - 1].forward = AGGREGATE_KEPT;
}

uint64_t aggregate_owners_select(struct aggregate_owners *owners, struct aggregate *aggregate,
				 enum aggregate_owners_scope scope)
{
	const uint64_t level = scope == AGGREGATE_OWNERS_ALL ? 0 : owners->level;
	uint64_t words = 0;

	owners->lost_above = level;
	if (scope == AGGREGATE_OWNERS_LARGEST)
		owners->lost_above += (owners->most - level) / 2;
	for (uint32_t i = 0; i <= AGGREGATE_OWNERS_MAX; i++)
		if (owners->items[i].words > owners->lost_above)
			words += owners->items[i].words - level;
	forget_marks(aggregate);
	for (uint32_t i = 0; i < aggregate->sample_count; i++)
		if (!aggregate_owners_loses(owners, aggregate, &aggregate->samples[i]))
			keep(aggregate, &aggregate->samples[i]);
	return words;
}
