/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_file - opens the DWARF of a file: its own, or that of its separate debug file
 */

#include "symbolizer/parser/dwarf/debug_sections.h"

/* @debug: NULL: there is no separate file. Return: as debug_sections_open(), or image_open();
 * PARSER_REFUSED: the build id of @debug is not that of @file. */
int debug_file_open(struct debug_sections *sections, const struct image_source *file,
		    const struct image_source *debug);
