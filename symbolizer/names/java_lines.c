/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_lines - finds the source line of a place in a method of HotSpot by its line table
 */

#include "symbolizer/names/java_lines.h"

#include <stdbool.h>

#include "shared/runtime.h"

#define PAIR_ESCAPE  0xffu  /* two numbers follow */
#define LINE_BITS    3u     /* of a pair in one byte; the others are of the place */
#define NUMBER_BYTES 5u     /* at most */
#define NUMBER_BITS  6u     /* by which a byte counts more than the one before */
#define NUMBER_MORE  0xc0u  /* from this byte on, another one follows */
#define LINE_MAX     0xffff /* of a class file */

struct table {
	const uint8_t *at;
	const uint8_t *end;
	uint8_t least; /* byte of a number, which counts as 0 */
};

struct pair {
	int64_t place;
	int64_t line;
};

/* Return: false: there is none. */
static bool read_number(struct table *table, int64_t *ret_value)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < NUMBER_BYTES; i++) {
		uint8_t byte;

		if (table->at == table->end || *table->at < table->least)
			return false;
		byte = *table->at++;
		value += (uint32_t)(byte - table->least) << (NUMBER_BITS * i);
		if (byte < NUMBER_MORE)
			break;
	}
	/* The lowest bit is the sign. */
	*ret_value = value & 1 ? -1 - (int64_t)(value >> 1) : (int64_t)(value >> 1);
	return true;
}

/* Return: false: there is no further one. */
static bool read_pair(struct table *table, struct pair *pair)
{
	int64_t place, line;
	uint8_t byte;

	if (table->at == table->end || *table->at == 0)
		return false;
	byte = *table->at++;
	if (byte != PAIR_ESCAPE) {
		place = byte >> LINE_BITS;
		line = byte & ((1u << LINE_BITS) - 1);
	} else if (!read_number(table, &place) || !read_number(table, &line)) {
		table->at = table->end;
		return false;
	}
	pair->place += place;
	pair->line += line;
	return true;
}

static uint32_t checked(int64_t line)
{
	return line > 0 && line <= LINE_MAX ? (uint32_t)line : 0;
}

uint32_t java_lines_find(const uint8_t *table, size_t bytes, uint32_t version, uint32_t place)
{
	struct table rest = {table, table + bytes, version >= TM_JAVA_BYTE_ZERO ? 1 : 0};
	struct pair pair = {0}, best = {0};
	bool beyond = false;

	while (read_pair(&rest, &pair)) {
		if (pair.place == place)
			return checked(pair.line);
		if (pair.place > place)
			beyond = true;
		else if (pair.place >= best.place)
			best = pair;
	}
	/* An end that is not there has been cut off. */
	return beyond || rest.at < rest.end ? checked(best.line) : 0;
}
