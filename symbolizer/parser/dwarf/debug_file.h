/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_file - opens the DWARF of a file: its own, or that of its separate debug file
 */

#include "symbolizer/parser/dwarf/debug_sections.h"
#include "symbolizer/parser/parser.h"

struct build_id {
	uint8_t bytes[PARSER_BUILD_ID_MAX];
	uint32_t count; /* 0: none */
};

/* @debug: NULL: there is no separate file. @ret_id: of the file whose DWARF was opened.
 * Return: as debug_sections_open(), or image_open(); PARSER_REFUSED: the build id of @debug is not
 * that of @file. */
int debug_file_open(struct debug_sections *sections, struct build_id *ret_id,
		    const struct image_source *file, const struct image_source *debug);
