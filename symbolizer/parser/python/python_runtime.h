/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_runtime - describes the CPython interpreter that a file contains
 *
 * A file without it, or with a version that is not known, has no description: nothing is guessed.
 */

#include "shared/runtime.h"
#include "symbolizer/parser/code_ranges.h"
#include "symbolizer/parser/elf/sections.h"

/* @ret_runtime: its kind is 0 if there is none. @ranges: sorted. Return: 0, or an enum
 * parser_status. */
int python_runtime_find(struct tm_runtime *ret_runtime, const struct sections *sections,
			const struct code_ranges *ranges);
