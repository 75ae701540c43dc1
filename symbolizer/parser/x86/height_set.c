/* SPDX-License-Identifier: Apache-2.0 */
/*
 * height_set - the distinct heights met in one file, each by a number from 1 on
 */

#include "symbolizer/parser/x86/height_set.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

int height_set_open(struct height_set *states, uint32_t most)
{
	*states = (struct height_set){.count = 1,
				      .most = most < HEIGHT_SET_MAX ? most : HEIGHT_SET_MAX};
	states->list = calloc(states->most + 1ull, sizeof(*states->list));
	states->slots = calloc(2 * (states->most + 1ull), sizeof(*states->slots));
	return states->list && states->slots ? 0 : PARSER_FAILED;
}

static uint32_t hash(const struct stack_height *height, uint32_t slots)
{
	uint64_t words[2];

	memcpy(words, height, sizeof(words));
	words[0] = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (uint32_t)(words[0] >> 40) % slots;
}

uint32_t height_set_number(struct height_set *states, const struct stack_height *height)
{
	uint32_t slots = 2 * (states->most + 1), at = hash(height, slots);

	while (states->slots[at] &&
	       memcmp(&states->list[states->slots[at]], height, sizeof(*height)) != 0)
		at = (at + 1) % slots;
	if (states->slots[at])
		return states->slots[at];
	if (states->count > states->most) {
		states->cut = 1;
		return 0;
	}
	states->list[states->count] = *height;
	states->slots[at] = (uint16_t)states->count;
	return states->count++;
}

uint32_t height_set_merge(struct height_set *states, uint32_t number, uint32_t other)
{
	struct stack_height height = states->list[number];

	if (number == other)
		return number;
	return stack_height_merge(&height, &states->list[other])
		       ? 0
		       : height_set_number(states, &height);
}

void height_set_close(struct height_set *states)
{
	free(states->list);
	free(states->slots);
	*states = (struct height_set){0};
}
