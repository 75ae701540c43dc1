/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_need - how much memory a report takes at most, before it takes it
 */

#include "symbolizer/output/report_need.h"

#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report_frames.h"
#include "symbolizer/output/report_wakers.h"

#define FIXED_BYTES (OUTPUT_FILE_BUFFER_BYTES + (512u << 10)) /* buffers; zlib's; small arrays */
#define SORT_BYTES  (2 * sizeof(uint32_t))                    /* of sort_new, an item */

/* Arrays that double have up to twice as many items as they need. */
#define PLACE_BYTES                                                                         \
	(2 * (sizeof(struct name_table_place) + sizeof(struct report_frame) +               \
	      sizeof(struct report_frames_key) + 2 * sizeof(struct report_call) + 2 * 16) + \
	 SORT_BYTES + NAME_BYTES)
#define NAME_BYTES    96u /* of a name, its slots, and what is displayed for it */
#define STACK_BYTES   64u
#define STRING_BYTES  96u
#define SEEN_WORDS    16384u /* of bits that tell frames apart, at most */
#define SEEN_FRAMES   8u     /* for so many frames a word, so that few share a bit */
#define WAKER_BYTES   6u     /* as that of a word, of each byte of the report's own */
#define LINES_OF_TEXT (1u << OUTPUTS_FOLDED | 1u << OUTPUTS_SPEEDSCOPE | 1u << OUTPUTS_TABLE)

struct need {                  /* bytes */
	uint64_t place;        /* of the writers' locations, lines and functions */
	uint64_t sample, word; /* of theirs and of the report's */
};
/* Of pprof's messages and of the page's nodes; and of what is written as it is read. */
static const struct need of_messages = {512, 400, 24}, of_lines = {96, 128, 8};

static bool has_file(uint64_t word)
{
	const uint64_t kind = word >> TM_FRAME_KIND_SHIFT;

	return kind == TM_FRAME_FILE || kind == TM_FRAME_VDSO;
}

/* Return: whether the frame's bit was not set. */
static bool set_bit(const struct aggregate *aggregate, uint64_t *seen, uint64_t words,
		    uint64_t word, uint32_t process)
{
	const bool shared = word >> TM_FRAME_KIND_SHIFT != TM_FRAME_ANON;
	const uint64_t key[] = {word, shared ? AGGREGATE_NO_PROCESS : process};
	const uint32_t hash = hash_bytes(aggregate->strings->seed, key, sizeof(key));
	uint64_t *at = &seen[hash / 64 % words];
	const bool first = !(*at >> hash % 64 & 1);

	*at |= 1ull << hash % 64;
	return first;
}

/* How many different frames there are in no file, about. */
static uint64_t frames_without_file(const struct aggregate *aggregate)
{
	const uint64_t wanted = aggregate->frame_count / SEEN_FRAMES + 1;
	const uint64_t words = wanted < SEEN_WORDS ? wanted : SEEN_WORDS;
	_cleanup_(tm_freep) uint64_t *seen = calloc(words, sizeof(*seen));
	const uint64_t bits = 64 * words;
	uint64_t set = 0, most = 0;

	for (uint32_t i = 0; seen && i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];

		for (uint32_t f = 0; f < stack->count; f++) {
			if (has_file(stack->frames[f]))
				continue;
			most++;
			set += set_bit(aggregate, seen, words, stack->frames[f], stack->process);
		}
	}
	if (!seen || set == bits)
		return seen ? most : aggregate->frame_count;
	set = set * bits / (bits - set); /* more share bits the more there are */
	return set < most ? set : most;
}

uint64_t report_need_about(const struct aggregate *aggregate, const struct name_table *names,
			   uint32_t formats)
{
	const uint64_t places = names->place_count + frames_without_file(aggregate);
	const struct need *of = formats & ~LINES_OF_TEXT ? &of_messages : &of_lines;

	return FIXED_BYTES + (PLACE_BYTES + of->place) * places +
	       of->sample * aggregate->sample_count +
	       STACK_BYTES * (uint64_t)aggregate->stack_count + of->word * aggregate->frame_count +
	       STRING_BYTES * (uint64_t)aggregate->strings->count +
	       WAKER_BYTES * report_wakers_need(aggregate) +
	       sizeof(struct tm_identity) * (uint64_t)aggregate->files->count;
}

uint64_t report_need_build(const struct aggregate *aggregate)
{
	return FIXED_BYTES +
	       (sizeof(uint32_t) + sizeof(struct report_process) + SORT_BYTES) *
		       (uint64_t)aggregate->processes->count +
	       (2 * sizeof(struct report_stack) + sizeof(uint32_t)) *
		       (uint64_t)aggregate->stack_count +
	       sizeof(uint32_t) * aggregate->frame_count +
	       sizeof(struct report_sample) * (uint64_t)aggregate->sample_count +
	       report_wakers_need(aggregate);
}
