/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * perf_map_ranges - which line of a perf map names each address: the last one that covers it
 */

#include "symbolizer/parser/symbols/symbol_ranges.h"

/*
 * @list: sorted; a later line's name lies behind that of an earlier one. @ranges: empty.
 * Return: 0, PARSER_FAILED (memory).
 */
int perf_map_ranges_choose(struct symbol_ranges *ranges, const struct symbol_list *list);
