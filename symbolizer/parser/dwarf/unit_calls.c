/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_calls - names the calls at the addresses of one unit: functions, files and lines
 */

#include "symbolizer/parser/dwarf/unit_calls.h"

#include <dwarf.h>
#include <stdio.h>

/* Follows abstract origin and specification. */
static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

static const char *name_of(Dwarf_Die *die)
{
	const char *name = string_of(die, DW_AT_linkage_name);

	if (!name)
		name = string_of(die, DW_AT_MIPS_linkage_name);
	return name ? name : string_of(die, DW_AT_name);
}

/* 0: the DIE itself has no such number. */
static uint32_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, attribute, &found), &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Not inlined: its buffer is zeroed at each call. */
static __attribute__((noinline)) uint32_t add_relative(struct unit_calls *calls, const char *path)
{
	char joined[PARSER_NAME_MAX];

	(void)snprintf(joined, sizeof(joined), "%s/%s", calls->folder, path);
	return name_pool_add(&calls->lines->names, joined);
}

static uint32_t add_path(struct unit_calls *calls, const char *path)
{
	uint32_t slot = (uint32_t)((uintptr_t)path >> 4) % UNIT_CALLS_PATHS;

	if (!path)
		return PARSER_NO_NAME;
	if (calls->paths[slot].path != path) {
		calls->paths[slot].path = path;
		calls->paths[slot].name = path[0] != '/' && calls->folder
						  ? add_relative(calls, path)
						  : name_pool_add(&calls->lines->names, path);
	}
	return calls->paths[slot].name;
}

/* The source file that the unit's line program gives a number. */
static const char *file_of(Dwarf_Die *unit, uint32_t number)
{
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static void name_scope(struct unit_calls *calls, struct scope *scope)
{
	struct parser_call *call = &scope->call;
	int start;

	scope->is_named = true;
	call->function = name_pool_add(&calls->lines->names, name_of(&scope->die));
	call->start_line = dwarf_decl_line(&scope->die, &start) == 0 ? (uint32_t)start : 0;
	call->file = PARSER_NO_NAME;
	if (!scope->parent)
		return;
	call->line = number_of(&scope->die, DW_AT_call_line);
	call->file = add_path(calls, file_of(calls->unit, number_of(&scope->die, DW_AT_call_file)));
}

/* The row of the line program that holds an address. Return: whether there is one. */
static bool find_line(struct unit_calls *calls, uint64_t vaddr, struct parser_call *ret_call)
{
	Dwarf_Line *row = dwarf_getsrc_die(calls->unit, vaddr);
	int line;

	*ret_call = (struct parser_call){.function = PARSER_NO_NAME, .file = PARSER_NO_NAME};
	if (!row)
		return false;
	ret_call->file = add_path(calls, dwarf_linesrc(row, NULL, NULL));
	if (dwarf_lineno(row, &line) == 0 && line > 0)
		ret_call->line = (uint32_t)line;
	return true;
}

void unit_calls_open(struct unit_calls *calls, struct line_result *lines,
		     struct unit_scopes *scopes, Dwarf_Die *unit)
{
	*calls = (struct unit_calls){.lines = lines,
				     .scopes = scopes,
				     .unit = unit,
				     .folder = string_of(unit, DW_AT_comp_dir)};
}

int unit_calls_add(struct unit_calls *calls, uint32_t place)
{
	struct unit_scopes *scopes = calls->scopes;
	uint32_t scope = scopes->innermost[place];
	struct parser_call call;
	bool has_line = find_line(calls, scopes->places->vaddrs[place], &call);
	int r = 0;

	if (!scope)
		return has_line ? line_result_add(calls->lines, place, &call) : 0;
	while (!r && scope) {
		struct scope *own = &scopes->list[scope - 1];

		if (!own->is_named)
			name_scope(calls, own);
		call.function = own->call.function;
		call.start_line = own->call.start_line;
		r = line_result_add(calls->lines, place, &call);
		call = own->call;
		scope = own->parent;
	}
	return r;
}
