/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lines - finds functions, inlined calls and source lines at addresses of one ELF file
 *
 * Reads nothing but its sources: no descriptor, no clock. Of the units, only those that hold a
 * requested address are read, by libdw, from a copy (debug_sections.h).
 *
 * Limits     LINES_UNITS_MAX units; those of unit_scopes.h and parser.h; LINES_ROWS_HELD rows of
 *            line programs in memory at once. CPU time is the caller's to limit: libdw may loop.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/result_blob.h"

#define LINES_UNITS_MAX (1u << 18)
#define LINES_ROWS_HELD (1u << 20) /* beyond, what libdw holds is freed */

/* @debug: NULL, or the separate debug file, which replaces @file; its build id must be the same.
 * @vaddrs: ascending. Return: an enum parser_status; with PARSER_OK, @result is a line table of
 * parser.h. */
int lines_find(struct result_blob *result, const struct image_source *file,
	       const struct image_source *debug, const uint64_t *vaddrs, uint32_t count);
