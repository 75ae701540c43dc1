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
static uint32_t resolve_frames(struct aggregate *aggregate, const struct tm_sample *sample,
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
		} else if (frame >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD) {
			methods_note_use(aggregate->methods, methods_number(frame), &sample->event);
		}
		aggregate->frames[i] = frame;
	}
	return lost;
}

/* @process: of the anonymous frames of a stack. */
static bool has_jitdump(const struct aggregate *aggregate, uint32_t process)
{
	return process != AGGREGATE_NO_PROCESS && aggregate->processes->items[process].jitdump;
}

static void add_weight(struct aggregate *aggregate, uint32_t stack)
{
	if (aggregate->stacks[stack].weight < UINT32_MAX)
		aggregate->stacks[stack].weight++;
}

/* Counts @sample, whose stack has these frames. Return: 0, BUDGET_E_SPENT. */
static int count_sample(struct aggregate *aggregate, struct aggregate_sample *sample,
			const uint64_t *frames, uint32_t count)
{
	uint32_t process = aggregate_entries_process(frames, count, sample->process);
	uint32_t hash, index;

	if (aggregate->timed >= AGGREGATE_TIMED_MAX ||
	    !(has_jitdump(aggregate, process) ||
	      (sample->waker_stack &&
	       has_jitdump(aggregate, aggregate->stacks[sample->waker_stack - 1].process))))
		sample->code_ktime = 0;

	sample->stack = aggregate_entries_find_stack(aggregate, frames, count, process, &hash);
	if (!arena_spare(&aggregate->reserve))
		return BUDGET_E_SPENT;
	if (sample->stack == HASH_INDEX_NONE &&
	    aggregate_entries_add_stack(aggregate, frames, count, process, hash, &sample->stack))
		return BUDGET_E_SPENT;
	index = aggregate_entries_find_sample(aggregate, sample, &hash);
	if (index != HASH_INDEX_NONE)
		aggregate_entries_count(aggregate, index, sample);
	else if (aggregate_entries_add_sample(aggregate, sample, hash, &index))
		return BUDGET_E_SPENT;
	else
		aggregate->timed += sample->code_ktime != 0;
	sample_sum_add(&aggregate->exported[sample->kind], 1, sample->value);
	add_weight(aggregate, sample->stack);
	if (sample->waker_stack)
		add_weight(aggregate, sample->waker_stack - 1);
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
		    struct process_table *processes, struct files *files, struct methods *methods)
{
	memset(aggregate, 0, sizeof(*aggregate)); /* too large for a compound literal */
	aggregate->strings = strings;
	aggregate->processes = processes;
	aggregate->files = files;
	aggregate->methods = methods;
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
	memset(aggregate->exported, 0, sizeof(aggregate->exported));
	aggregate->frame_count = 0;
	aggregate->timed = 0;
	aggregate->merged_comm = 0;
	memset(aggregate->comms, 0, sizeof(aggregate->comms));
}

/* With the process alone. */
static int add_merged(struct aggregate *aggregate, struct aggregate_sample *counted)
{
	counted->tid = 0;
	counted->comm = aggregate_merged_comm(aggregate);
	return count_sample(aggregate, counted, aggregate_entries_merged, 1);
}

int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample)
{
	bool full_rate = sample->kind == TM_SAMPLE_ON_CPU && !sample->value;

	return aggregate_add_value(aggregate, sample,
				   full_rate ? aggregate->period_ns : sample->value);
}

int aggregate_add_value(struct aggregate *aggregate, const struct tm_sample *sample, uint64_t value)
{
	return aggregate_add_woken(aggregate, sample, value, NULL);
}

/* Return: the frames of @sample with file indices, without those for which there is no memory. */
static const uint64_t *resolve(struct aggregate *aggregate, const struct tm_sample *sample,
			       uint32_t *ret_count)
{
	uint32_t count = (uint32_t)sample->kernel_frames + sample->user_frames;
	uint32_t lost = resolve_frames(aggregate, sample, count);

	*ret_count = count;
	if (!lost)
		return aggregate->frames;
	aggregate->frames[lost - 1] = AGGREGATE_MERGED;
	*ret_count -= lost - 1;
	return aggregate->frames + lost - 1;
}

/* Of the waker: in an interrupt, no thread's, it has no generation. */
static int waker_process(struct aggregate *aggregate, const struct tm_sample *waker, uint32_t comm,
			 const uint64_t *frames, uint32_t count, uint32_t *ret_process)
{
	*ret_process = AGGREGATE_NO_PROCESS;
	if (aggregate_entries_process(frames, count, 0) == AGGREGATE_NO_PROCESS)
		return 0;
	return process_of_sample(aggregate->processes, &waker->event, comm, ret_process);
}

/* Sets the waker of @counted, if there is memory for it. */
static void set_waker(struct aggregate *aggregate, const struct tm_sample *waker,
		      struct aggregate_sample *counted)
{
	uint32_t comm, process, count, hash, stack;
	const uint64_t *frames = resolve(aggregate, waker, &count);

	if (find_comm(aggregate, waker->comm, &comm) ||
	    waker_process(aggregate, waker, comm, frames, count, &process))
		return;
	stack = aggregate_entries_find_stack(aggregate, frames, count, process, &hash);
	if (stack == HASH_INDEX_NONE &&
	    aggregate_entries_add_stack(aggregate, frames, count, process, hash, &stack))
		return;
	counted->waker_stack = stack + 1;
	counted->waker_comm = comm;
	counted->waker = waker->state;
	counted->waker_stop =
		waker->user_stop != TM_STOP_NONE ? waker->user_stop : waker->kernel_stop;
}

int aggregate_add_woken(struct aggregate *aggregate, const struct tm_sample *sample, uint64_t value,
			const struct tm_sample *waker)
{
	const uint64_t *frames;
	uint32_t count;
	struct aggregate_sample counted = {
		.tid = sample->event.tid,
		.flags = sample->event.flags & AGGREGATE_FLAGS,
		.code_ktime = sample->event.ktime,
		.stop = sample->user_stop != TM_STOP_NONE ? sample->user_stop : sample->kernel_stop,
		.kind = sample->kind,
		.state = sample->state,
		.count = 1,
		.value = sample_sum_space(&aggregate->exported[sample->kind], value),
	};

	if (find_comm(aggregate, sample->comm, &counted.comm))
		counted.comm = aggregate_merged_comm(aggregate);
	if (process_of_sample(aggregate->processes, &sample->event, counted.comm, &counted.process))
		return BUDGET_E_SPENT;
	if (waker)
		set_waker(aggregate, waker, &counted);
	frames = resolve(aggregate, sample, &count);
	if (count_sample(aggregate, &counted, frames, count) == 0)
		return 0;
	aggregate_entries_forget_waker(&counted); /* stacks get other numbers */
	if (aggregate_merge(aggregate) && count_sample(aggregate, &counted, frames, count) == 0)
		return 0;
	/* What was freed may be a part of an array that is too large only as a whole. */
	while (add_merged(aggregate, &counted))
		if (!aggregate_merge(aggregate))
			return BUDGET_E_SPENT;
	return 0;
}
