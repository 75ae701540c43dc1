/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unit_calls - names the calls at the addresses of one unit: functions, files and lines
 */

#include "symbolizer/parser/dwarf/line_result.h"
#include "symbolizer/parser/dwarf/unit_scopes.h"

#define UNIT_CALLS_PATHS 64u

struct unit_calls {
	struct line_result *lines;  /* borrowed, as all here */
	struct unit_scopes *scopes; /* of the unit */
	Dwarf_Die *unit;            /* its first DIE */
	const char *folder;         /* that relative paths begin in; NULL */
	struct {
		const char *path;
		uint32_t name;
	} paths[UNIT_CALLS_PATHS]; /* added before, by address: libdw holds each path once */
};

void unit_calls_open(struct unit_calls *calls, struct line_result *lines,
		     struct unit_scopes *scopes, Dwarf_Die *unit);
/* Adds the calls of one place. Return: 0, PARSER_FAILED. */
int unit_calls_add(struct unit_calls *calls, uint32_t place);
