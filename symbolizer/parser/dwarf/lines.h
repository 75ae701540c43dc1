/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lines - finds functions, inlined calls and source lines at addresses of one ELF file
 *
 * Reads nothing but its sources: no descriptor, no clock. Of the units, only those that hold a
 * requested address are read, and of each its line program once.
 *
 * Why        a general reader of DWARF keeps all that it has read, inflates sections without a
 *            limit and opens the files that a section names; and it takes ten times as long.
 * Limits     those of dwarf.h, unit_scopes.h, line_program.h and parser.h. CPU time is the caller's
 *            to limit.
 */

#include "symbolizer/parser/dwarf/debug_file.h"
#include "symbolizer/parser/result_blob.h"

/* @sources: a separate debug file replaces the file. @vaddrs: ascending. Return: an enum
 * parser_status; with PARSER_OK, @result is a line table of parser.h. */
int lines_find(struct result_blob *result, const struct debug_sources *sources,
	       const uint64_t *vaddrs, uint32_t count);
