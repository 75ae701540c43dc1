/* SPDX-License-Identifier: Apache-2.0 */
/*
 * height_set - the distinct stack heights met in one file, each with a number from 1 on
 */

#include "symbolizer/parser/x86/height_set.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

int height_set_open(struct height_set *set, uint32_t limit)
{
	*set = (struct height_set){.count = 1,
				   .limit = limit < HEIGHT_SET_MAX ? limit : HEIGHT_SET_MAX};
	set->list = calloc(set->limit + 1ull, sizeof(*set->list));
	set->slots = calloc(2 * (set->limit + 1ull), sizeof(*set->slots));
	return set->list && set->slots ? 0 : PARSER_FAILED;
}

static uint32_t hash(const struct stack_height *height, uint32_t slots)
{
	uint64_t words[2];

	memcpy(words, height, sizeof(words));
	words[0] = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (uint32_t)(words[0] >> 40) % slots;
}

uint32_t height_set_number(struct height_set *set, const struct stack_height *height)
{
	uint32_t slots = 2 * (set->limit + 1), at = hash(height, slots);

	while (set->slots[at] && memcmp(&set->list[set->slots[at]], height, sizeof(*height)) != 0)
		at = (at + 1) % slots;
	if (set->slots[at])
		return set->slots[at];
	if (set->count > set->limit) {
		set->truncated = true;
		return 0;
	}
	set->list[set->count] = *height;
	set->slots[at] = (uint16_t)set->count;
	return set->count++;
}

uint32_t height_set_merge(struct height_set *set, uint32_t number, uint32_t other)
{
	struct stack_height height = set->list[number];

	if (number == other)
		return number;
	return stack_height_merge(&height, &set->list[other]) ? 0 : height_set_number(set, &height);
}

void height_set_close(struct height_set *set)
{
	free(set->list);
	free(set->slots);
	*set = (struct height_set){0};
}
