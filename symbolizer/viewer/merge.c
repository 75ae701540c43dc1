/* SPDX-License-Identifier: Apache-2.0 */
/* merge - many reports as one: equal processes, frames, stacks and samples are one and add up */

#include "symbolizer/viewer/merge.h"

#include <stddef.h>
#include <string.h>

int merge_init(struct merge *merge, struct budget *budget)
{
	struct merge_table *const tables[] = {
		&merge->files,     &merge->segments, &merge->frames,    &merge->stacks,
		&merge->processes, &merge->samples,  &merge->intervals, &merge->ids,
	};
	int r;

	*merge = (struct merge){.budget = budget};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		tables[i]->lookup.budget = budget;
	r = hash_seed_init(&merge->seed);
	return r ? r : strings_init(&merge->strings, budget, &merge->seed);
}

static void table_deinit(struct merge_table *table, size_t item_bytes)
{
	budget_drop(table->lookup.budget, &table->items, &table->capacity, item_bytes);
	hash_index_deinit(&table->lookup);
}

void merge_deinit(struct merge *merge)
{
	table_deinit(&merge->files, sizeof(struct report_file));
	table_deinit(&merge->segments, sizeof(struct merge_segment));
	table_deinit(&merge->frames, sizeof(struct report_frame));
	table_deinit(&merge->stacks, sizeof(struct report_stack));
	table_deinit(&merge->processes, sizeof(struct merge_process));
	table_deinit(&merge->samples, sizeof(struct report_sample));
	table_deinit(&merge->intervals, sizeof(struct merge_interval));
	table_deinit(&merge->ids, sizeof(struct merge_id));
	budget_drop(merge->budget, &merge->calls, &merge->call_capacity, sizeof(*merge->calls));
	budget_drop(merge->budget, &merge->stack_frames, &merge->stack_frame_capacity,
		    sizeof(*merge->stack_frames));
	strings_deinit(&merge->strings);
}

static void *item_at(const struct merge_table *table, uint32_t index, size_t item_bytes)
{
	return (char *)table->items + index * item_bytes;
}

static int append(struct merge *merge, struct merge_table *table, uint32_t hash, const void *item,
		  size_t item_bytes)
{
	if (budget_grow(merge->budget, &table->items, &table->capacity, table->count + 1,
			item_bytes) ||
	    hash_index_add(&table->lookup, hash, table->count))
		return BUDGET_E_SPENT;
	memcpy(item_at(table, table->count, item_bytes), item, item_bytes);
	table->count++;
	return 0;
}

/* The item that begins with the same @key_bytes, none of which is padding, or HASH_INDEX_NONE. */
static uint32_t find(const struct merge_table *table, uint32_t hash, const void *item,
		     size_t item_bytes, size_t key_bytes)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&table->lookup, &walk)) != HASH_INDEX_NONE)
		if (memcmp(item_at(table, index, item_bytes), item, key_bytes) == 0)
			break;
	return index;
}

/* Finds it or adds it. */
static int intern(struct merge *merge, struct merge_table *table, const void *item,
		  size_t item_bytes, size_t key_bytes, uint32_t *ret_index)
{
	uint32_t hash = hash_bytes(&merge->seed, item, key_bytes);

	*ret_index = find(table, hash, item, item_bytes, key_bytes);
	if (*ret_index != HASH_INDEX_NONE)
		return 0;
	*ret_index = table->count;
	return append(merge, table, hash, item, item_bytes);
}

int merge_file(struct merge *merge, const struct report_file *file, uint32_t *ret_file)
{
	_Static_assert(sizeof(*file) == 40, "no padding");
	return intern(merge, &merge->files, file, sizeof(*file), sizeof(*file), ret_file);
}

int merge_segment(struct merge *merge, uint32_t file, const struct report_segment *segment,
		  uint32_t *ret_segment)
{
	const struct merge_segment item = {.file = file, .place = *segment};

	_Static_assert(sizeof(item) == 32, "no padding");
	return intern(merge, &merge->segments, &item, sizeof(item), sizeof(item), ret_segment);
}

/* --- frames ----------------------------------------------------------------------------------- */

#define FRAME_KEY \
	offsetof(struct report_frame, call_count) /* what precedes differs in equal ones */

struct frame_key {
	char bytes[sizeof(struct report_frame) - FRAME_KEY +
		   MERGE_CALLS_MAX * sizeof(struct report_call)];
};

static bool is_frame(const struct merge *merge, uint32_t index, const struct report_frame *frame,
		     const struct report_call *calls)
{
	const struct report_frame *other = (const struct report_frame *)merge->frames.items + index;

	return memcmp((const char *)other + FRAME_KEY, (const char *)frame + FRAME_KEY,
		      sizeof(*frame) - FRAME_KEY) == 0 &&
	       memcmp(merge->calls + other->first_call, calls,
		      frame->call_count * sizeof(*calls)) == 0;
}

static int add_frame(struct merge *merge, uint32_t hash, const struct report_frame *frame,
		     const struct report_call *calls)
{
	struct report_frame added = *frame;
	int r;

	if (budget_grow(merge->budget, &merge->calls, &merge->call_capacity,
			merge->call_count + frame->call_count, sizeof(*calls)))
		return BUDGET_E_SPENT;
	added.first_call = merge->call_count;
	memcpy(merge->calls + added.first_call, calls, frame->call_count * sizeof(*calls));
	r = append(merge, &merge->frames, hash, &added, sizeof(added));
	merge->call_count += r ? 0 : frame->call_count;
	return r;
}

int merge_frame(struct merge *merge, const struct report_frame *frame,
		const struct report_call *calls, uint32_t *ret_frame)
{
	const size_t frame_bytes = sizeof(*frame) - FRAME_KEY;
	const size_t call_bytes = frame->call_count * sizeof(*calls);
	struct hash_index_walk walk;
	struct frame_key key;
	uint32_t hash;

	_Static_assert(sizeof(*frame) == 32 && sizeof(*calls) == 20, "no padding");
	memcpy(key.bytes, (const char *)frame + FRAME_KEY, frame_bytes);
	memcpy(key.bytes + frame_bytes, calls, call_bytes);
	hash = hash_bytes(&merge->seed, key.bytes, frame_bytes + call_bytes);
	walk = hash_index_start(hash);
	while ((*ret_frame = hash_index_next(&merge->frames.lookup, &walk)) != HASH_INDEX_NONE)
		if (is_frame(merge, *ret_frame, frame, calls))
			return 0;
	*ret_frame = merge->frames.count;
	return add_frame(merge, hash, frame, calls);
}

/* --- stacks ----------------------------------------------------------------------------------- */

static bool is_stack(const struct merge *merge, uint32_t index, const uint32_t *frames,
		     uint32_t count)
{
	const struct report_stack *other = (const struct report_stack *)merge->stacks.items + index;

	return other->count == count &&
	       (count == 0 ||
		memcmp(merge->stack_frames + other->first, frames, count * sizeof(*frames)) == 0);
}

static int add_stack(struct merge *merge, uint32_t hash, const uint32_t *frames, uint32_t count)
{
	const struct report_stack stack = {merge->stack_frame_count, count};
	int r;

	if (count > UINT32_MAX - merge->stack_frame_count ||
	    budget_grow(merge->budget, &merge->stack_frames, &merge->stack_frame_capacity,
			merge->stack_frame_count + count, sizeof(*frames)))
		return BUDGET_E_SPENT;
	if (count)
		memcpy(merge->stack_frames + stack.first, frames, count * sizeof(*frames));
	r = append(merge, &merge->stacks, hash, &stack, sizeof(stack));
	merge->stack_frame_count += r ? 0 : count;
	return r;
}

int merge_stack(struct merge *merge, const uint32_t *frames, uint32_t count, uint32_t *ret_stack)
{
	uint32_t hash = hash_bytes(&merge->seed, frames, count * sizeof(*frames));
	struct hash_index_walk walk = hash_index_start(hash);

	while ((*ret_stack = hash_index_next(&merge->stacks.lookup, &walk)) != HASH_INDEX_NONE)
		if (is_stack(merge, *ret_stack, frames, count))
			return 0;
	*ret_stack = merge->stacks.count;
	return add_stack(merge, hash, frames, count);
}

/* --- processes, samples, intervals ------------------------------------------------------------ */

static void learn(uint32_t *known, uint32_t said)
{
	if (said)
		*known = said;
}

int merge_process(struct merge *merge, const struct report_process *process, uint32_t *ret_process)
{
	const struct merge_process item = {
		.start_boottime = process->start_boottime,
		.tgid = process->tgid,
		.exec_id = process->exec_id,
		.process = *process,
	};
	struct merge_process *found;
	int r = intern(merge, &merge->processes, &item, sizeof(item),
		       offsetof(struct merge_process, process), ret_process);

	if (r)
		return r;
	found = item_at(&merge->processes, *ret_process, sizeof(item));
	learn(&found->process.comm, process->comm);
	learn(&found->process.exe, process->exe);
	learn(&found->process.cgroup, process->cgroup);
	learn(&found->process.container, process->container);
	learn(&found->process.pod, process->pod);
	learn(&found->process.ns_tgid, process->ns_tgid);
	return 0;
}

int merge_sample(struct merge *merge, const struct report_sample *sample)
{
	struct sample_sum sum;
	struct report_sample *found, empty = *sample;
	uint32_t index;

	_Static_assert(offsetof(struct report_sample, count) == 24, "no padding");
	empty.count = 0;
	empty.value = 0;
	if (intern(merge, &merge->samples, &empty, sizeof(empty),
		   offsetof(struct report_sample, count), &index))
		return BUDGET_E_SPENT;
	found = item_at(&merge->samples, index, sizeof(*found));
	sum = (struct sample_sum){found->count, found->value};
	sample_sum_add(&sum, sample->count, sample->value);
	found->count = sum.count;
	found->value = sum.value;
	return 0;
}

int merge_interval(struct merge *merge, const struct merge_interval *interval, bool *ret_new)
{
	uint32_t before = merge->intervals.count, index;
	int r = intern(merge, &merge->intervals, interval, sizeof(*interval), sizeof(*interval),
		       &index);

	_Static_assert(sizeof(*interval) == 24, "no padding");
	*ret_new = merge->intervals.count > before;
	return r;
}

bool merge_has_id(const struct merge *merge, const struct merge_id *id)
{
	return find(&merge->ids, hash_bytes(&merge->seed, id, sizeof(*id)), id, sizeof(*id),
		    sizeof(*id)) != HASH_INDEX_NONE;
}

int merge_id(struct merge *merge, const struct merge_id *id)
{
	uint32_t index;

	_Static_assert(sizeof(*id) == 20, "no padding");
	return intern(merge, &merge->ids, id, sizeof(*id), sizeof(*id), &index);
}
