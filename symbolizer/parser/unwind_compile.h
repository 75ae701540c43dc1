/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_compile - compiles one file's unwind information into an unwind table
 *
 * The sources are those of code_ranges.h; code that none of them describes is disassembled. Like
 * symbols_compile.h, this reads nothing but @source: no descriptor, no clock.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"

#define UNWIND_COMPILE_PADDING 15u /* bytes between functions that are alignment, and no gap */

/* Return: an enum parser_status; with PARSER_OK @result is a table of shared/unwind_table.h. */
int unwind_compile(struct result_blob *result, const struct image_source *source);
