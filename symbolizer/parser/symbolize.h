/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbolize - one file's bytes in, one bounded result out
 *
 * Pure but for its source: no descriptor, no clock. The whole of what foreign bytes can reach.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"

struct symbolize {
	void *blob; /* struct parser_result and what follows; owned */
	uint64_t bytes;
};

/* Return: an enum parser_status; PARSER_OK fills @answer. */
int symbolize_file(struct symbolize *answer, const struct image_source *source,
		   const uint64_t *offsets, uint32_t count);
void symbolize_free(struct symbolize *answer);
