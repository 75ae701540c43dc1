/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_compile - one file's bytes in, one table of rows out
 *
 * Go's pclntab, then .eh_frame, then .debug_frame, then what is known without: whoever comes first in
 * this order is believed where two describe one place; of two functions in one source that overlap, each
 * ends where the next begins.
 *
 * Pure but for its source, as symbolize.h.
 */

#include "symbolizer/parser/symbolize.h"

#define UNWIND_COMPILE_PADDING 15u /* bytes between two functions that are no gap, but alignment */

/* Return: an enum parser_status; PARSER_OK fills @answer with a table of shared/unwind_table.h. */
int unwind_compile_file(struct symbolize *answer, const struct image_source *source);
