/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_map - makes a symbol table of a perf map, in which a JIT compiler names its functions
 */

#include "symbolizer/parser/jit/perf_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/jit/perf_map_ranges.h"
#include "symbolizer/parser/symbols/symbol_blob.h"

struct perf_map {
	char *text; /* owned; the newline of each line becomes a NUL */
	uint64_t bytes;
	struct symbol_list list;
	struct symbol_ranges ranges;
	struct symbol_file file;
};

/* --- one line --------------------------------------------------------------------------------- */

static uint32_t digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/*
 * A number and the blanks behind it; NULL: it is none, or of more than 64 bits.
 * @at: within a text that ends with a NUL.
 */
static const char *read_number(const char *at, uint64_t *ret_number)
{
	const char *first;

	*ret_number = 0;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (first = at; digit_of(*at) < 16; at++) {
		if (*ret_number >> 60)
			return NULL;
		*ret_number = *ret_number << 4 | digit_of(*at);
	}
	if (at == first || (*at != ' ' && *at != '\t'))
		return NULL;
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* @line: ends with a NUL. Return: 0, PARSER_FAILED (memory). */
static int take_line(struct perf_map *map, const char *line)
{
	uint64_t start, bytes = 0;
	const char *name = read_number(line, &start);
	struct symbol symbol = {.is_function = 1};

	if (name)
		name = read_number(name, &bytes);
	if (!name || !*name || !bytes || bytes > UINT32_MAX || bytes > UINT64_MAX - start) {
		map->file.header.flags |= PARSER_SYMBOLS_MALFORMED;
		return 0;
	}
	symbol.start = start;
	symbol.bytes = (uint32_t)bytes;
	symbol.name = (uint32_t)(name - map->text);
	return symbol_list_add(&map->list, &symbol);
}

/* --- the file --------------------------------------------------------------------------------- */

static int read_text(struct perf_map *map, const struct image_source *source, uint64_t most)
{
	uint64_t from = source->bytes > most ? source->bytes - most : 0;
	int r;

	map->bytes = source->bytes - from;
	map->text = malloc(map->bytes + 1);
	if (!map->text)
		return PARSER_FAILED;
	r = source->read(source->context, map->text, from, map->bytes);
	if (r < 0)
		return r == -EIO ? PARSER_CHANGED : PARSER_FAILED;
	map->text[map->bytes] = '\0';
	if (from)
		map->file.header.flags |= PARSER_SYMBOLS_TRUNCATED;
	return 0;
}

/* Return: where the line begins that has @at in it, or behind it. */
static char *line_start(const struct perf_map *map, char *at)
{
	while (at > map->text && at[-1] != '\n')
		at--;
	return at;
}

/* From the last one, so that the first ones are left out where there are too many. */
static int take_lines(struct perf_map *map)
{
	const bool cut = map->file.header.flags & PARSER_SYMBOLS_TRUNCATED;
	char *next = line_start(map, map->text + map->bytes), *line;
	int r = 0;

	map->list.sources[0] = (struct symbol_strings){map->text, map->bytes + 1};
	for (; !r && next > map->text && !map->list.truncated; next = line) {
		next[-1] = '\0';
		line = line_start(map, next - 1);
		if (line > map->text || !cut) /* else it is the end of a line */
			r = take_line(map, line);
	}
	return r;
}

int perf_map_compile(struct result_blob *result, const struct image_source *source, uint64_t most)
{
	struct perf_map map = {.file.header.magic = PARSER_SYMBOLS_MAGIC};
	struct parser_symbol_table *header = &map.file.header;
	const struct image none = {0};
	int r = read_text(&map, source, most);

	*result = (struct result_blob){0};
	if (!r)
		r = take_lines(&map);
	if (!r)
		r = symbol_list_sort(&map.list);
	if (!r)
		r = perf_map_ranges_choose(&map.ranges, &map.list);
	if (!r) {
		if (map.list.truncated || map.ranges.truncated)
			header->flags |= PARSER_SYMBOLS_TRUNCATED;
		map.file.numbers = map.list.count;
		r = symbol_blob_write(result, &none, &map.ranges, &map.file);
	}
	symbol_ranges_free(&map.ranges);
	symbol_list_free(&map.list);
	free(map.text);
	return r;
}
