/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unit_calls - names the calls at the addresses of one unit: functions, files and lines
 */

#include "symbolizer/parser/dwarf/function_names.h"
#include "symbolizer/parser/dwarf/line_program.h"
#include "symbolizer/parser/dwarf/line_result.h"
#include "symbolizer/parser/dwarf/unit_scopes.h"

struct unit_calls {
	struct dwarf *dwarf; /* borrowed, as all here */
	struct line_result *lines;
	struct unit_scopes *scopes;
	struct function_names *names;
	struct line_program *program; /* of the unit */
	uint32_t unit;                /* its number */
	const char *folder;           /* that relative paths begin in; NULL */
	uint32_t last;                /* the place that was added last; */
	struct parser_call last_line; /* its row */
	uint32_t last_scope;          /* UNIT_SCOPES_IGNORED: there is none */
};

void unit_calls_open(struct unit_calls *calls, const struct unit *unit);
/* Adds the calls of one place. @line: its row. Return: 0, PARSER_FAILED. */
int unit_calls_add(struct unit_calls *calls, uint32_t place, const struct place_line *line);
