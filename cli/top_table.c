/* SPDX-License-Identifier: Apache-2.0 */
/* top_table - reads the table that tidemark-viewer wrote */

#include "cli/top_table.h"

#include <string.h>

#include "cli/terminal.h"
#include "shared/parse.h"

#define SUM_FIELDS 7u
#define ROW_FIELDS 7u

static const char *const kinds[TOP_KINDS_N] = {"on-CPU", "off-CPU"};
static const char *const bys[TOP_BY_N] = {"function", "process", "container"};

const char *top_table_by(enum top_by by)
{
	return bys[by];
}

/* Cuts the next line off. Return: the line; NULL: there is no whole one. */
static char *next_line(char **text, const char *end)
{
	char *line = *text, *newline = memchr(line, '\n', (size_t)(end - line));

	if (!newline || memchr(line, '\0', (size_t)(newline - line)))
		return NULL;
	*newline = '\0';
	*text = newline + 1;
	return line;
}

/* Cuts @line at its tabs. Return: whether it has exactly @count fields. */
static bool split(char *line, char *fields[], unsigned count)
{
	unsigned found = 0;

	while (line && found < count) {
		fields[found++] = line;
		line = strchr(line, '\t');
		if (line)
			*line++ = '\0';
	}
	return !line && found == count;
}

static bool read_number(const char *text, uint64_t most, uint64_t *ret_number)
{
	return tm_parse_number(text, 0, most, ret_number) == 0;
}

static bool read_sum(char *line, const char *kind, struct top_sum *sum)
{
	char *fields[SUM_FIELDS];
	uint64_t recorded;

	if (!line || !split(line, fields, SUM_FIELDS) || strcmp(fields[0], "sum") != 0 ||
	    strcmp(fields[1], kind) != 0 || !read_number(fields[2], 1, &recorded))
		return false;
	sum->recorded = recorded;
	return read_number(fields[3], UINT64_MAX, &sum->taken) &&
	       read_number(fields[4], UINT64_MAX, &sum->exported) &&
	       read_number(fields[5], UINT64_MAX, &sum->dropped) &&
	       read_number(fields[6], INT64_MAX, &sum->ns);
}

static bool read_by(const char *text, enum top_by *ret_by)
{
	for (unsigned i = 0; i < TOP_BY_N; i++)
		if (strcmp(text, bys[i]) == 0) {
			*ret_by = (enum top_by)i;
			return true;
		}
	return false;
}

static bool read_text(const char *field, char ret_text[TM_VIEW_TABLE_NAME_BYTES])
{
	size_t length = strlen(field);

	if (length >= TM_VIEW_TABLE_NAME_BYTES)
		return false;
	memcpy(ret_text, field, length + 1);
	terminal_clean(ret_text, TM_VIEW_TABLE_NAME_BYTES);
	return true;
}

static bool read_row(char *line, struct top_row *row)
{
	char *fields[ROW_FIELDS];

	if (!split(line, fields, ROW_FIELDS) || !read_by(fields[0], &row->by))
		return false;
	for (unsigned i = 0; i < TOP_KINDS_N * TOP_TIMES_N; i++)
		if (!read_number(fields[1 + i], INT64_MAX,
				 &row->ns[i / TOP_TIMES_N][i % TOP_TIMES_N]))
			return false;
	return read_text(fields[5], row->name) && read_text(fields[6], row->detail);
}

static bool read_all(struct top_table *table, char *text, const char *end)
{
	char *line = next_line(&text, end);

	if (!line || strcmp(line, TM_VIEW_TABLE_FIRST) != 0)
		return false;
	for (unsigned kind = 0; kind < TOP_KINDS_N; kind++)
		if (!read_sum(next_line(&text, end), kinds[kind], &table->sums[kind]))
			return false;
	while ((line = next_line(&text, end)) && strcmp(line, "end") != 0) {
		if (table->row_count == TM_VIEW_TABLE_ROWS ||
		    !read_row(line, &table->rows[table->row_count]))
			return false;
		table->row_count++;
	}
	return line != NULL;
}

int top_table_parse(struct top_table *ret_table, char *text, size_t bytes)
{
	memset(ret_table, 0, sizeof(*ret_table));
	if (read_all(ret_table, text, text + bytes))
		return 0;
	memset(ret_table, 0, sizeof(*ret_table));
	return TOP_TABLE_E_MALFORMED;
}
