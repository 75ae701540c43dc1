/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_list - what a JIT compiler said that it put into memory, with times, names and lines
 */

#include "symbolizer/parser/jit/code_list.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"

#define ALMOST(most) ((most) - (most) / 16) /* the rest is for one code: its lines, its paths */

/* Return: 0, PARSER_FAILED; *ret_full: a limit was met instead. */
static int make_space(struct code_list *list, void *ret_array, uint32_t count, uint32_t *capacity,
		      uint32_t most, size_t element_bytes, bool *ret_full)
{
	void **array = ret_array, *grown;

	*ret_full = count >= most;
	if (*ret_full) {
		list->flags |= PARSER_CODES_TRUNCATED;
		return 0;
	}
	grown = grow(*array, count, capacity, element_bytes);
	if (!grown)
		return PARSER_FAILED;
	*array = grown;
	return 0;
}

int code_list_add(struct code_list *list, const struct code_record *record)
{
	bool full;
	int r = make_space(list, &list->records, list->count, &list->capacity, PARSER_CODES_MAX,
			   sizeof(*record), &full);

	if (!r && !full)
		list->records[list->count++] = *record;
	return r;
}

int code_list_add_line(struct code_list *list, const struct parser_code_line *line)
{
	bool full;
	int r = make_space(list, &list->lines, list->line_count, &list->line_capacity,
			   PARSER_CODE_LINES_MAX, sizeof(*line), &full);

	if (!r && !full)
		list->lines[list->line_count++] = *line;
	return r;
}

int code_list_add_name(struct code_list *list, const char *name, uint32_t bytes, uint32_t *ret_name)
{
	uint32_t capacity = list->name_capacity ? list->name_capacity : 2 * PARSER_NAME_MAX;

	*ret_name = PARSER_NO_NAME;
	bytes = bytes < PARSER_NAME_MAX ? bytes : PARSER_NAME_MAX;
	if (list->name_bytes + bytes + 1 > PARSER_CODE_NAMES_MAX) {
		list->flags |= PARSER_CODES_TRUNCATED;
		return 0;
	}
	if (list->name_bytes + bytes + 1 > capacity)
		capacity *= 2;
	if (capacity != list->name_capacity) {
		char *grown = realloc(list->names, capacity);

		if (!grown)
			return PARSER_FAILED;
		list->names = grown;
		list->name_capacity = capacity;
	}
	*ret_name = list->name_bytes;
	memcpy(list->names + list->name_bytes, name, bytes);
	list->name_bytes += bytes;
	list->names[list->name_bytes++] = '\0';
	return 0;
}

/* --- the last ones ---------------------------------------------------------------------------- */

/* Moves a text to the front, where names end at *bytes. Return: where it is. */
static uint32_t keep_text(struct code_list *list, uint32_t text, uint32_t *bytes)
{
	const uint32_t at = *bytes, count = (uint32_t)strlen(list->names + text) + 1;

	memmove(list->names + at, list->names + text, count);
	*bytes += count;
	return at;
}

/* All lie in the order in which they were added: a code's lines, their paths, then its name. */
static void keep_lines(struct code_list *list, struct parser_code *code, uint32_t *lines,
		       uint32_t *bytes)
{
	const uint32_t first = *lines;
	uint32_t from = PARSER_NO_NAME, path = PARSER_NO_NAME;

	for (uint32_t i = 0; i < code->line_count; i++) {
		struct parser_code_line line = list->lines[code->first_line + i];

		if (line.path != from) {
			from = line.path;
			path = keep_text(list, from, bytes);
		}
		line.path = path;
		list->lines[(*lines)++] = line;
	}
	code->first_line = first;
}

/* Keeps the codes from @first on, and the lines of those from @lined on. */
static void keep_last(struct code_list *list, uint32_t first, uint32_t lined)
{
	uint32_t count = 0, lines = 0, bytes = 0;

	for (uint32_t i = first; i < list->count; i++) {
		struct code_record record = list->records[i];

		if (i < lined)
			record.code.line_count = 0;
		keep_lines(list, &record.code, &lines, &bytes);
		if (!record.is_move)
			record.code.name = keep_text(list, record.code.name, &bytes);
		list->records[count++] = record;
	}
	list->count = count;
	list->line_count = lines;
	list->name_bytes = bytes;
	list->flags |= PARSER_CODES_TRUNCATED;
}

/* Return: the first code behind half of the lines. */
static uint32_t behind_half_of_lines(const struct code_list *list)
{
	uint32_t at = 0;

	while (at < list->count && list->records[at].code.first_line <= list->line_count / 2)
		at++;
	return at;
}

/* Return: the first code behind an eighth of the names. */
static uint32_t behind_first_names(const struct code_list *list)
{
	uint32_t at = 0;

	while (at < list->count && list->records[at].code.name <= list->name_bytes / 8)
		at++;
	return at;
}

void code_list_make_room(struct code_list *list)
{
	if (list->count == PARSER_CODES_MAX)
		keep_last(list, PARSER_CODES_MAX / 8, 0);
	if (list->line_count > ALMOST(PARSER_CODE_LINES_MAX) ||
	    list->name_bytes > ALMOST(PARSER_CODE_NAMES_MAX))
		keep_last(list, 0, behind_half_of_lines(list));
	if (list->name_bytes > ALMOST(PARSER_CODE_NAMES_MAX))
		keep_last(list, behind_first_names(list), 0);
}

/* --- at the end ------------------------------------------------------------------------------- */

static int by_offset(const void *left, const void *right)
{
	const struct parser_code_line *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

void code_list_sort_lines(struct code_list *list, struct parser_code *code)
{
	struct parser_code_line *lines;
	uint32_t count = 0;

	if (!code->line_count)
		return;
	lines = list->lines + code->first_line;
	for (uint32_t i = 0; i < code->line_count; i++)
		if (lines[i].offset < code->bytes)
			lines[count++] = lines[i];
	if (count)
		qsort(lines, count, sizeof(*lines), by_offset);
	code->line_count = count;
}

/* What became of each code, one after the other. */
static int by_index(const void *left, const void *right)
{
	const struct code_record *a = left, *b = right;

	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->code.from != b->code.from)
		return a->code.from < b->code.from ? -1 : 1;
	return (int)a->is_move - (int)b->is_move;
}

void code_list_follow_moves(struct code_list *list)
{
	uint32_t count = 0;

	if (list->count)
		qsort(list->records, list->count, sizeof(*list->records), by_index);
	for (uint32_t i = 0; i < list->count; i++) {
		struct code_record record = list->records[i];
		struct code_record *last = count ? &list->records[count - 1] : NULL;

		if (record.is_move) {
			if (!last || last->index != record.index ||
			    last->code.start != record.moved_from) {
				list->flags |= PARSER_CODES_MALFORMED;
				continue;
			}
			last->code.until = record.code.from;
			record.code.name = last->code.name;
			record.code.first_line = last->code.first_line;
			record.code.line_count = last->code.line_count;
		}
		list->records[count++] = record;
	}
	list->count = count;
}

void code_list_free(struct code_list *list)
{
	free(list->records);
	free(list->lines);
	free(list->names);
	*list = (struct code_list){0};
}
