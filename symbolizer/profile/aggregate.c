/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate - counts equal samples together, by all of their frames
 */

#include "symbolizer/profile/aggregate.h"

#include <string.h>

#include "symbolizer/profile/aggregate_entries.h"
#include "symbolizer/profile/aggregate_merge.h"

/*
 * Copies the frames, with file indices in place of file numbers. Return: how many at the leaf's
 * end must be left out, since there is no memory for the file of one of them.
 */
static uint32_t resolve_files(struct aggregate *aggregate, const struct tm_sample *sample,
			      uint32_t count)
{
	uint32_t lost = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t frame = sample->frames[i];
		uint32_t file;

		if (frame >> TM_FRAME_KIND_SHIFT == TM_FRAME_FILE) {
			if (files_find(aggregate->files,
				       (frame >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX,
				       sample->event.ktime, &file)) {
				lost = i + 1;
				continue;
			}
			frame &= ~((uint64_t)TM_FRAME_FILE_MAX << TM_FRAME_FILE_SHIFT);
			frame |= (uint64_t)file << TM_FRAME_FILE_SHIFT;
		}
		aggregate->frames[i] = frame;
	}
	return lost;
}

/* Counts a sample with these frames. Return: 0, BUDGET_E_SPENT. */
static int count_sample(struct aggregate *aggregate, struct aggregate_sample *key,
			const uint64_t *frames, uint32_t count)
{
	uint32_t process = aggregate_entries_process(frames, count, key->process);
	uint32_t hash, index;

	key->stack = aggregate_entries_find_stack(aggregate, frames, count, process, &hash);
	if (!arena_spare(&aggregate->reserve))
		return BUDGET_E_SPENT;
	if (key->stack == HASH_INDEX_NONE &&
	    aggregate_entries_add_stack(aggregate, frames, count, process, hash, &key->stack))
		return BUDGET_E_SPENT;
	index = aggregate_entries_find_sample(aggregate, key, &hash);
	if (index == HASH_INDEX_NONE && aggregate_entries_add_sample(aggregate, key, hash, &index))
		return BUDGET_E_SPENT;
	aggregate->samples[index].count++;
	aggregate->exported++;
	if (aggregate->stacks[key->stack].weight < UINT32_MAX)
		aggregate->stacks[key->stack].weight++;
	return 0;
}

/* Most samples have one of a few thread names, so a small cache finds most strings. */
static int find_comm(struct aggregate *aggregate, const char *comm, uint32_t *ret_string)
{
	struct aggregate_comm *cached;
	uint64_t halves[TM_COMM_BYTES / 8], mixed;

	memcpy(halves, comm, sizeof(halves));
	mixed = (halves[0] ^ halves[1]) * 0x9e3779b97f4a7c15ull;
	cached = &aggregate->comms[mixed >> 32 & (AGGREGATE_COMMS - 1)];
	if (cached->string && memcmp(cached->comm, comm, TM_COMM_BYTES) == 0) {
		*ret_string = cached->string - 1;
		return 0;
	}
	if (strings_add(aggregate->strings, comm, TM_COMM_BYTES, ret_string))
		return BUDGET_E_SPENT;
	memcpy(cached->comm, comm, TM_COMM_BYTES);
	cached->string = *ret_string + 1;
	return 0;
}

void aggregate_init(struct aggregate *aggregate, struct strings *strings,
		    struct process_table *processes, struct files *files)
{
	memset(aggregate, 0, sizeof(*aggregate)); /* too large for a compound literal */
	aggregate->strings = strings;
	aggregate->processes = processes;
	aggregate->files = files;
	aggregate_charge(aggregate, strings->budget);
}

void aggregate_charge(struct aggregate *aggregate, struct budget *budget)
{
	aggregate->budget = budget;
	aggregate->arena.budget = budget;
	aggregate->reserve.budget = budget;
	aggregate->stack_lookup.budget = budget;
	aggregate->sample_lookup.budget = budget;
}

void aggregate_deinit(struct aggregate *aggregate)
{
	struct budget *budget = aggregate->budget;

	budget_drop(budget, &aggregate->stacks, &aggregate->stack_capacity,
		    sizeof(*aggregate->stacks));
	budget_drop(budget, &aggregate->samples, &aggregate->sample_capacity,
		    sizeof(*aggregate->samples));
	hash_index_deinit(&aggregate->stack_lookup);
	hash_index_deinit(&aggregate->sample_lookup);
	arena_deinit(&aggregate->arena);
	arena_deinit(&aggregate->reserve);
	aggregate->stack_count = 0;
	aggregate->sample_count = 0;
	aggregate->exported = 0;
	aggregate->frame_count = 0;
	aggregate->merged_comm = 0;
	memset(aggregate->comms, 0, sizeof(aggregate->comms));
}

/* With the process alone. */
static int add_merged(struct aggregate *aggregate, struct aggregate_sample *key)
{
	key->tid = 0;
	key->comm = aggregate_merged_comm(aggregate);
	return count_sample(aggregate, key, aggregate_entries_merged, 1);
}

int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample)
{
	uint32_t count = (uint32_t)sample->kernel_frames + sample->user_frames, lost;
	const uint64_t *frames = aggregate->frames;
	struct aggregate_sample key = {
		.tid = sample->event.tid,
		.flags = sample->event.flags & AGGREGATE_FLAGS,
		.stop = sample->user_stop != TM_STOP_NONE ? sample->user_stop : sample->kernel_stop,
	};

	if (find_comm(aggregate, sample->comm, &key.comm))
		key.comm = aggregate_merged_comm(aggregate);
	if (process_of_sample(aggregate->processes, &sample->event, key.comm, &key.process))
		return BUDGET_E_SPENT;
	lost = resolve_files(aggregate, sample, count);
	if (lost) {
		aggregate->frames[lost - 1] = AGGREGATE_MERGED;
		frames += lost - 1;
		count -= lost - 1;
	}
	if (count_sample(aggregate, &key, frames, count) == 0)
		return 0;
	if (aggregate_merge(aggregate) && count_sample(aggregate, &key, frames, count) == 0)
		return 0;
	/* What was freed may be a part of an array that is too large only as a whole. */
	while (add_merged(aggregate, &key))
		if (!aggregate_merge(aggregate))
			return BUDGET_E_SPENT;
	return 0;
}
