/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbolize - names the functions at file offsets of one ELF file
 *
 * Reads nothing but @source: no descriptor, no clock. With unwind_compile.h this is all that the
 * bytes of a hostile file can reach.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"

/* Return: an enum parser_status; with PARSER_OK, @result is a blob of parser.h. */
int symbolize_offsets(struct result_blob *result, const struct image_source *source,
		      const uint64_t *offsets, uint32_t count);
