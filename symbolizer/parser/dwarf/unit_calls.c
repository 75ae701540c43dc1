/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_calls - names the calls at the addresses of one unit: functions, files and lines
 */

#include "symbolizer/parser/dwarf/unit_calls.h"

#include <stdio.h>

/* Not inlined: its buffer is large. */
static __attribute__((noinline)) uint32_t add_joined(struct unit_calls *calls, const char *folder,
						     const char *name)
{
	bool is_relative = folder[0] != '/' && calls->folder && folder != calls->folder;
	char joined[PARSER_NAME_MAX];

	(void)snprintf(joined, sizeof(joined), "%s%s%s/%s", is_relative ? calls->folder : "",
		       is_relative ? "/" : "", folder, name);
	return name_pool_add(&calls->lines->names, joined);
}

static uint32_t path_of(struct unit_calls *calls, uint32_t number)
{
	struct line_file *file = line_program_file(calls->program, number);
	const char *folder;

	if (!file)
		return PARSER_NO_NAME;
	if (file->is_added)
		return file->path;
	folder = line_program_folder(calls->program, file);
	if (!folder)
		folder = calls->folder;
	file->is_added = true;
	file->path = file->name[0] != '/' && folder
			     ? add_joined(calls, folder, file->name)
			     : name_pool_add(&calls->lines->names, file->name);
	return file->path;
}

static void name_scope(struct unit_calls *calls, struct scope *scope)
{
	/* Reading names may close units: this one, too. */
	const struct unit *unit = dwarf_unit(calls->dwarf, calls->unit);
	struct function_name function = {.name = PARSER_NO_NAME};
	struct die die;

	scope->is_named = true;
	scope->call = (struct parser_call){.file = PARSER_NO_NAME, .function = PARSER_NO_NAME};
	if (!unit || !dwarf_die(calls->dwarf, unit, scope->die, &die))
		return;
	function = function_names_find(calls->names, calls->dwarf, unit, &die);
	scope->call.function = function.name;
	scope->call.start_line = function.line;
	if (!scope->parent)
		return;
	scope->call.line = die_number(&die, DIE_CALL_LINE);
	if (die_value(&die, DIE_CALL_FILE))
		scope->call.file = path_of(calls, die_number(&die, DIE_CALL_FILE));
}

void unit_calls_open(struct unit_calls *calls, const struct unit *unit)
{
	calls->unit = unit->number;
	calls->folder = dwarf_string(calls->dwarf, unit, die_value(&unit->root, DIE_COMP_DIR));
	calls->last_scope = UNIT_SCOPES_IGNORED;
}

/* Return: whether the place has the calls of the one before. */
static bool is_repeated(struct unit_calls *calls, uint32_t place, uint32_t scope,
			const struct parser_call *line)
{
	bool is_same = scope == calls->last_scope && line->file == calls->last_line.file &&
		       line->line == calls->last_line.line;

	if (is_same)
		calls->lines->places[place] = calls->lines->places[calls->last];
	calls->last = place;
	calls->last_scope = scope;
	calls->last_line = *line;
	return is_same;
}

int unit_calls_add(struct unit_calls *calls, uint32_t place, const struct place_line *line)
{
	struct unit_scopes *scopes = calls->scopes;
	uint32_t scope = scopes->innermost[place];
	struct parser_call call = {.function = PARSER_NO_NAME, .file = PARSER_NO_NAME};
	int r = 0;

	if (line->is_known) {
		call.file = path_of(calls, line->file);
		call.line = line->line;
	}
	if (is_repeated(calls, place, scope, &call))
		return 0;
	if (!scope)
		return line->is_known ? line_result_add(calls->lines, place, &call) : 0;
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
