/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * go_calls - the calls that a Go program's own table knows where its DWARF knows none
 */

#include "symbolizer/parser/dwarf/line_result.h"

/* Adds them for each of @vaddrs that has no calls yet. Return: 0, or an enum parser_status. */
int go_calls_add(struct line_result *lines, const struct image_source *file,
		 const uint64_t *vaddrs);
