/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate - counts equal samples together, by all of their frames
 */

#include "symbolizer/profile/aggregate.h"

#include <stddef.h>
#include <string.h>

/* Copies the frames, with file indices in place of file numbers. Return: 0, BUDGET_E_SPENT. */
static int resolve_files(struct aggregate *aggregate, const struct tm_sample *sample,
			 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t frame = sample->frames[i];
		uint32_t file;

		if (frame >> TM_FRAME_KIND_SHIFT == TM_FRAME_FILE) {
			if (files_find(aggregate->files,
				       (frame >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX,
				       sample->event.ktime, &file))
				return BUDGET_E_SPENT;
			frame &= ~((uint64_t)TM_FRAME_FILE_MAX << TM_FRAME_FILE_SHIFT);
			frame |= (uint64_t)file << TM_FRAME_FILE_SHIFT;
		}
		aggregate->frames[i] = frame;
	}
	return 0;
}

static bool has_anonymous(const struct aggregate *aggregate, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (aggregate->frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_ANON)
			return true;
	return false;
}

static int add_stack(struct aggregate *aggregate, uint32_t hash, uint32_t process, uint32_t count)
{
	uint64_t *frames;

	if (budget_grow(aggregate->strings->budget, &aggregate->stacks, &aggregate->stack_capacity,
			aggregate->stack_count + 1, sizeof(*aggregate->stacks)))
		return BUDGET_E_SPENT;
	frames = arena_take(&aggregate->arena, count * sizeof(*frames));
	if (!frames || hash_index_add(&aggregate->stack_lookup, hash, aggregate->stack_count))
		return BUDGET_E_SPENT;
	memcpy(frames, aggregate->frames, count * sizeof(*frames));
	aggregate->stacks[aggregate->stack_count++] =
		(struct aggregate_stack){frames, count, process};
	return 0;
}

static int find_or_add_stack(struct aggregate *aggregate, uint32_t process, uint32_t count,
			     uint32_t *ret_stack)
{
	size_t bytes = count * sizeof(aggregate->frames[0]);
	uint32_t key[2] = {hash_bytes(aggregate->strings->seed, aggregate->frames, bytes), process};
	uint32_t hash = hash_bytes(aggregate->strings->seed, key, sizeof(key));
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&aggregate->stack_lookup, &walk)) != HASH_INDEX_NONE) {
		const struct aggregate_stack *stack = &aggregate->stacks[index];

		if (stack->count == count && stack->process == process &&
		    memcmp(stack->frames, aggregate->frames, bytes) == 0)
			break;
	}
	if (index == HASH_INDEX_NONE) {
		index = aggregate->stack_count;
		if (add_stack(aggregate, hash, process, count))
			return BUDGET_E_SPENT;
	}
	*ret_stack = index;
	return 0;
}

/* The key consists of the fields before `count`, which have no padding between them. */
static int count_sample(struct aggregate *aggregate, const struct aggregate_sample *key)
{
	size_t key_bytes = offsetof(struct aggregate_sample, count);
	uint32_t hash = hash_bytes(aggregate->strings->seed, key, key_bytes);
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&aggregate->sample_lookup, &walk)) != HASH_INDEX_NONE)
		if (memcmp(&aggregate->samples[index], key, key_bytes) == 0)
			break;
	if (index == HASH_INDEX_NONE) {
		index = aggregate->sample_count;
		if (budget_grow(aggregate->strings->budget, &aggregate->samples,
				&aggregate->sample_capacity, index + 1,
				sizeof(*aggregate->samples)) ||
		    hash_index_add(&aggregate->sample_lookup, hash, index))
			return BUDGET_E_SPENT;
		aggregate->samples[aggregate->sample_count++] = *key;
	}
	aggregate->samples[index].count++;
	aggregate->exported++;
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
	aggregate->arena.budget = strings->budget;
	aggregate->stack_lookup.budget = strings->budget;
	aggregate->sample_lookup.budget = strings->budget;
}

void aggregate_deinit(struct aggregate *aggregate)
{
	struct budget *budget = aggregate->strings->budget;

	budget_drop(budget, &aggregate->stacks, &aggregate->stack_capacity,
		    sizeof(*aggregate->stacks));
	budget_drop(budget, &aggregate->samples, &aggregate->sample_capacity,
		    sizeof(*aggregate->samples));
	hash_index_deinit(&aggregate->stack_lookup);
	hash_index_deinit(&aggregate->sample_lookup);
	arena_deinit(&aggregate->arena);
	aggregate->stack_count = 0;
	aggregate->sample_count = 0;
	aggregate->exported = 0;
	memset(aggregate->comms, 0, sizeof(aggregate->comms));
}

int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample)
{
	uint32_t frames = (uint32_t)sample->kernel_frames + sample->user_frames;
	uint32_t process;
	struct aggregate_sample key = {
		.tid = sample->event.tid,
		.flags = sample->event.flags & AGGREGATE_FLAGS,
		.stop = sample->user_stop != TM_STOP_NONE ? sample->user_stop : sample->kernel_stop,
	};

	if (find_comm(aggregate, sample->comm, &key.comm) ||
	    process_of_sample(aggregate->processes, &sample->event, key.comm, &key.process) ||
	    resolve_files(aggregate, sample, frames))
		return BUDGET_E_SPENT;
	process = has_anonymous(aggregate, frames) ? key.process : AGGREGATE_NO_PROCESS;
	if (find_or_add_stack(aggregate, process, frames, &key.stack))
		return BUDGET_E_SPENT;
	return count_sample(aggregate, &key);
}
