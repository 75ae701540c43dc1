/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_wakers - the stacks of sleeps with those of who ended them
 */

#include "symbolizer/output/report_wakers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/reasons.h"

#define WAKE_UP      "try_to_wake_up"
#define EXTRA_FRAMES 3u /* the state, who it was, and why the waker's stack is cut */

/* Return: an upper limit of the frames of all these stacks; how many samples have one. */
static uint64_t count_frames(const struct aggregate *aggregate, uint32_t *ret_samples)
{
	uint64_t frames = 0;

	*ret_samples = 0;
	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		if (!sample->waker_stack)
			continue;
		++*ret_samples;
		frames += aggregate->stacks[sample->stack].count + EXTRA_FRAMES +
			  aggregate->stacks[sample->waker_stack - 1].count;
	}
	return frames;
}

uint64_t report_wakers_need(const struct aggregate *aggregate)
{
	uint32_t samples;
	const uint64_t frames = count_frames(aggregate, &samples);

	return frames * sizeof(uint32_t) +
	       (sizeof(struct report_stack) + sizeof(struct report_wakers_key)) * (uint64_t)samples;
}

static int grow(void **array, uint64_t count, size_t item_bytes)
{
	void *grown = realloc(*array, count * item_bytes);

	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

int report_wakers_init(struct report_wakers *wakers, struct report_stacks *stacks,
		       struct report_frames *frames, const struct aggregate *aggregate)
{
	uint32_t samples;
	const uint64_t more = count_frames(aggregate, &samples);
	void *items = stacks->items, *words = stacks->frames;
	int r;

	*wakers = (struct report_wakers){
		.stacks = stacks,
		.frames = frames,
		.aggregate = aggregate,
		.lookup.budget = frames->strings->budget,
		.first = stacks->count,
	};
	if (!samples)
		return 0;
	wakers->keys = calloc(samples, sizeof(*wakers->keys));
	r = grow(&items, (uint64_t)stacks->count + samples, sizeof(*stacks->items));
	stacks->items = items;
	if (!r)
		r = grow(&words, stacks->frame_count + more, sizeof(*stacks->frames));
	stacks->frames = words;
	return wakers->keys ? r : -ENOMEM;
}

void report_wakers_deinit(struct report_wakers *wakers)
{
	free(wakers->keys);
	wakers->keys = NULL;
	hash_index_deinit(&wakers->lookup);
}

/* Return: how many frames at the leaf are the hook. */
static uint32_t hook_frames(const struct report_wakers *wakers, const struct aggregate_stack *stack)
{
	for (uint32_t i = 0; i < stack->count && i < REPORT_STACKS_HOOK_MAX; i++)
		if (strcmp(ksyms_frame(wakers->frames->files.kernel, stack->frames[i]), WAKE_UP) ==
		    0)
			return i + 1;
	return 0;
}

static void add_frame(struct report_wakers *wakers, uint64_t word, uint32_t process)
{
	struct report_stacks *stacks = wakers->stacks;

	stacks->frames[stacks->frame_count++] = report_frames_of(wakers->frames, word, process);
}

/* A frame `[WHAT TEXT]`; [memory] when the budget is spent. */
static void add_text(struct report_wakers *wakers, const char *what, const char *text)
{
	uint32_t string;

	if (strings_format(wakers->frames->strings, &string, "[%s%s]", what, text))
		string = wakers->frames->overflow_name;
	add_frame(wakers, REPORT_FRAMES_TEXT | string, AGGREGATE_NO_PROCESS);
}

static void add_waker(struct report_wakers *wakers, const struct aggregate_sample *sample)
{
	const struct aggregate_stack *stack = &wakers->aggregate->stacks[sample->waker_stack - 1];

	for (uint32_t i = hook_frames(wakers, stack); i < stack->count; i++)
		if (!report_stacks_hide(wakers->frames, stack, i))
			add_frame(wakers, stack->frames[i], stack->process);
	if (sample->waker_stop != TM_STOP_NONE)
		add_text(wakers, "truncated: ", tm_reasons_stop(sample->waker_stop));
	if (sample->waker == WAKER_KIND_THREAD)
		add_text(wakers, "woken by ", wakers->frames->strings->items[sample->waker_comm]);
	else
		add_text(wakers, "woken in ",
			 sample->waker == WAKER_KIND_SOFTIRQ ? "softirq" : "interrupt");
}

static uint32_t find(const struct report_wakers *wakers, const struct report_wakers_key *key,
		     uint32_t hash)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&wakers->lookup, &walk)) != HASH_INDEX_NONE)
		if (memcmp(&wakers->keys[index], key, sizeof(*key)) == 0)
			break;
	return index;
}

uint32_t report_wakers_stack(struct report_wakers *wakers, const struct aggregate_sample *sample,
			     uint32_t stack)
{
	struct report_stacks *stacks = wakers->stacks;
	const struct report_stack slept = stacks->items[stack];
	const struct report_wakers_key key = {
		.stack = stack,
		.waker_stack = sample->waker_stack,
		.waker_comm = sample->waker_comm,
		.waker = sample->waker,
		.waker_stop = sample->waker_stop,
		.state = sample->state,
	};
	uint32_t hash = hash_bytes(wakers->frames->strings->seed, &key, sizeof(key));
	uint32_t index = find(wakers, &key, hash), first = stacks->frame_count;

	if (index != HASH_INDEX_NONE)
		return wakers->first + index;
	index = stacks->count - wakers->first;
	if (hash_index_add(&wakers->lookup, hash, index))
		return stack;
	wakers->keys[index] = key;
	add_waker(wakers, sample);
	add_text(wakers, "", tm_reasons_thread(sample->state));
	memcpy(stacks->frames + stacks->frame_count, stacks->frames + slept.first,
	       slept.count * sizeof(*stacks->frames));
	stacks->frame_count += slept.count;
	stacks->items[stacks->count] = (struct report_stack){first, stacks->frame_count - first};
	return stacks->count++;
}
