/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_lines - finds the source line of a place in a function of CPython by its line table
 */

#include "symbolizer/names/python_lines.h"

#define VERSION_RANGES    0x030au
#define VERSION_POSITIONS 0x030bu
#define UNIT_BYTES        2u /* of code; the first two encodings count bytes */
#define RANGE_NO_LINE     (-128)
#define LINE_MAX          (INT32_MAX / 2) /* lines beyond are not believed */

struct table {
	const uint8_t *at;
	const uint8_t *end;
};

/* Return: @line, 0 where it is none. */
static uint32_t checked(int64_t line)
{
	return line > 0 && line <= LINE_MAX ? (uint32_t)line : 0;
}

/*
 * co_lnotab: a pair says that behind so many bytes of code the line is so much higher. The last
 * line reaches to the end of the function, which is not known where the table is cut.
 */
static uint32_t find_in_increments(struct table table, bool cut, uint32_t first_line,
				   uint32_t offset)
{
	int64_t line = first_line;
	uint32_t at = 0;

	for (; table.end - table.at >= 2; table.at += 2) {
		at += table.at[0];
		if (at > offset)
			return checked(line);
		line += (int8_t)table.at[1];
	}
	return cut ? 0 : checked(line);
}

/* co_linetable of 3.10: a pair is a range of bytes of code, and by how much its line is higher. */
static uint32_t find_in_ranges(struct table table, uint32_t first_line, uint32_t offset)
{
	int64_t line = first_line;
	uint32_t at = 0;

	for (; table.end - table.at >= 2; table.at += 2) {
		const int8_t more = (int8_t)table.at[1];

		if (more != RANGE_NO_LINE)
			line += more;
		at += table.at[0];
		if (at > offset)
			return more == RANGE_NO_LINE ? 0 : checked(line);
	}
	return 0;
}

/* --- positions -------------------------------------------------------------------------------- */

enum {                      /* of an entry */
	CODE_ONE_LINE = 10, /* and the next two: 0, 1 or 2 lines further */
	CODE_NO_COLUMNS = 13,
	CODE_LONG = 14,
	CODE_NO_LINE = 15,
};

#define ENTRY_BEGIN  0x80u /* the first byte of an entry alone has it */
#define VARINT_BITS  6u
#define VARINT_MORE  0x40u
#define VARINT_BYTES 6u /* of 32 bits; what is longer is invalid */

/* Return: 0: there is none. */
static bool read_varint(struct table *table, uint64_t *ret_value)
{
	*ret_value = 0;
	for (unsigned i = 0; i < VARINT_BYTES && table->at < table->end; i++) {
		const uint8_t byte = *table->at++;

		*ret_value |= (uint64_t)(byte & (VARINT_MORE - 1)) << (VARINT_BITS * i);
		if (!(byte & VARINT_MORE))
			return true;
	}
	return false;
}

/* The lowest bit is the sign. */
static bool read_line(struct table *table, int64_t *line)
{
	uint64_t value;

	if (!read_varint(table, &value))
		return false;
	*line += value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
	return true;
}

/* Reads the line of an entry, behind its first byte. */
static bool read_entry(struct table *table, unsigned code, int64_t *line)
{
	if (code == CODE_NO_COLUMNS || code == CODE_LONG)
		return read_line(table, line);
	if (code >= CODE_ONE_LINE && code < CODE_NO_COLUMNS)
		*line += code - CODE_ONE_LINE;
	return true;
}

static uint32_t find_in_positions(struct table table, uint32_t first_line, uint32_t place)
{
	int64_t line = first_line;
	uint32_t at = 0;

	while (table.at < table.end) {
		const uint8_t first = *table.at++;
		const unsigned code = (first >> 3) & 15;

		if (!(first & ENTRY_BEGIN) || !read_entry(&table, code, &line))
			return 0;
		at += (first & 7) + 1u;
		if (at > place)
			return code == CODE_NO_LINE ? 0 : checked(line);
		while (table.at < table.end && !(*table.at & ENTRY_BEGIN))
			table.at++;
	}
	return 0;
}

uint32_t python_lines_find(const uint8_t *table, size_t bytes, uint32_t version, bool cut,
			   uint32_t first_line, uint32_t place)
{
	const struct table all = {table, table + bytes};

	if (version >= VERSION_POSITIONS)
		return find_in_positions(all, first_line, place);
	if (version == VERSION_RANGES)
		return find_in_ranges(all, first_line, place * UNIT_BYTES);
	return find_in_increments(all, cut, first_line, place * UNIT_BYTES);
}
