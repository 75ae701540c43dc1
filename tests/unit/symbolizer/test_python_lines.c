/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_python_lines - lines of places by tables of each encoding, whole, cut and hostile
 *
 * test_python_lines.py compares whole functions with what CPython says.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/names/python_lines.h"

#define V3_9  0x0309u
#define V3_10 0x030au
#define V3_11 0x030bu

#define find(table, version, first_line, place) \
	python_lines_find(table, sizeof(table), version, false, first_line, place)

/* The example of Objects/lnotab_notes.txt of CPython 3.9: lines 1, 2, 7, 207, 208. */
static const uint8_t increments[] = {0, 1, 6, 1, 44, 5, 255, 0, 45, 127, 0, 73, 11, 1};
/* Of 3.10: 1, 2, 7, none, 8, 208, from 0, 6, 50, 350, 360, 376 to 380. */
static const uint8_t ranges[] = {6, 1, 44, 1, 254, 5, 46, 0, 10, 0x80, 16, 1, 0, 127, 4, 73};

static void bytes_and_lines_go_up_together(void **state)
{
	assert_int_equal(find(increments, V3_9, 0, 0), 1);
	assert_int_equal(find(increments, V3_9, 0, 2), 1);
	assert_int_equal(find(increments, V3_9, 0, 3), 2);
	assert_int_equal(find(increments, V3_9, 0, 24), 2);
	assert_int_equal(find(increments, V3_9, 0, 25), 7);
	assert_int_equal(find(increments, V3_9, 0, 174), 7);
	assert_int_equal(find(increments, V3_9, 0, 175), 207);
	assert_int_equal(find(increments, V3_9, 0, 181), 208);
	assert_int_equal(find(increments, V3_9, 0, 1000000), 208);
	assert_int_equal(find(increments, 0x0308, 100, 3), 102);
}

static void line_may_go_down(void **state)
{
	static const uint8_t table[] = {4, 0xff, 4, 0xf6, 4, 0x80};

	assert_int_equal(find(table, V3_9, 20, 1), 20);
	assert_int_equal(find(table, V3_9, 20, 2), 19);
	assert_int_equal(find(table, V3_9, 20, 4), 9);
	assert_int_equal(find(table, V3_9, 20, 6), 0);
}

static void ranges_have_lines_or_none(void **state)
{
	assert_int_equal(find(ranges, V3_10, 0, 2), 1);
	assert_int_equal(find(ranges, V3_10, 0, 3), 2);
	assert_int_equal(find(ranges, V3_10, 0, 25), 7);
	assert_int_equal(find(ranges, V3_10, 0, 174), 7);
	assert_int_equal(find(ranges, V3_10, 0, 175), 0);
	assert_int_equal(find(ranges, V3_10, 0, 179), 0);
	assert_int_equal(find(ranges, V3_10, 0, 180), 8);
	assert_int_equal(find(ranges, V3_10, 0, 188), 208);
	assert_int_equal(find(ranges, V3_10, 0, 189), 208);
	assert_int_equal(find(ranges, V3_10, 0, 190), 0);
}

/* One entry of each form; the line of the next one goes on from the last. */
static void entries_have_lines_or_none(void **state)
{
	static const uint8_t table[] = {
		0x80 | 0 << 3 | 1,  0x11,              /* 2 units, the first line */
		0x80 | 9 << 3 | 0,  0x22,              /* 1, the same */
		0x80 | 10 << 3 | 0, 0x01,        0x02, /* 1, the same */
		0x80 | 12 << 3 | 7, 0x01,        0x02, /* 8, two lines further */
		0x80 | 15 << 3 | 0,                    /* 1, none */
		0x80 | 13 << 3 | 0, 0x08 | 0x40, 0x06, /* 1, 196 further */
		0x80 | 14 << 3 | 2, 0x03,        0x41, 0x01, 0x7f, 0x01, 0x0, /* 3, one back */
	};
	static const uint32_t lines[] = {10, 10, 10, 10, 12,  12,  12,  12,  12,
					 12, 12, 12, 0,  208, 207, 207, 207, 0};

	for (uint32_t place = 0; place < sizeof(lines) / sizeof(lines[0]); place++)
		assert_int_equal(find(table, V3_11, 10, place), lines[place]);
	assert_int_equal(find(table, 0x030e, 10, 3), 10);
}

/* def outer of python3.11: a loop with a handler, a with statement, three places without a line. */
static const uint8_t real[] = {
	0x80, 0x00, 0xf0, 0x06, 0x00, 0x09, 0x0a, 0xd8, 0x08, 0x09, 0xf0, 0x05, 0x03, 0x09,
	0x06, 0x80, 0x41, 0xf0, 0x08, 0x00, 0x0e, 0x0f, 0xf0, 0x00, 0x04, 0x05, 0x12, 0xf0,
	0x00, 0x04, 0x05, 0x12, 0x88, 0x01, 0xf0, 0x02, 0x03, 0x09, 0x12, 0xdd, 0x0c, 0x11,
	0x90, 0x21, 0x89, 0x48, 0x8c, 0x48, 0x88, 0x48, 0x88, 0x48, 0xf8, 0xdd, 0x0f, 0x19};

static void table_of_python_gives_its_lines(void **state)
{
	static const uint32_t lines[] = {2,  5,  6,  4,  4,  8,  8,  8,  8,  9,  10, 10, 10, 10,
					 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 0,  11};

	for (uint32_t place = 0; place < sizeof(lines) / sizeof(lines[0]); place++)
		assert_int_equal(find(real, V3_11, 2, place), lines[place]);
}

/* What is known of a place in the head of a table is what the whole says. */
static void place_beyond_a_cut_table_has_no_line(void **state)
{
	static const struct {
		const uint8_t *table;
		size_t bytes;
		uint32_t version;
		uint32_t first_line;
	} tables[] = {{increments, sizeof(increments), V3_9, 1},
		      {ranges, sizeof(ranges), V3_10, 1},
		      {real, sizeof(real), V3_11, 2}};

	for (unsigned i = 0; i < 3; i++)
		for (size_t bytes = 0; bytes < tables[i].bytes; bytes++)
			for (uint32_t place = 0; place < 200; place++) {
				uint32_t whole = python_lines_find(tables[i].table, tables[i].bytes,
								   tables[i].version, false,
								   tables[i].first_line, place);
				uint32_t head =
					python_lines_find(tables[i].table, bytes, tables[i].version,
							  true, tables[i].first_line, place);

				assert_true(head == 0 || head == whole);
				assert_true(bytes > 0 || head == 0);
			}
}

static void lines_that_are_not_believed_are_none(void **state)
{
	static const uint8_t far[] = {0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x0f};
	static const uint8_t back[] = {0xe8, 0x15};
	static const uint8_t endless[] = {0xe8, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x01};
	static const uint8_t no_begin[] = {0x01, 0xe8, 0x00};

	assert_int_equal(find(far, V3_11, 10, 0), 0);
	assert_int_equal(find(back, V3_11, 10, 0), 0);
	assert_int_equal(find(back, V3_11, 11, 0), 1);
	assert_int_equal(find(endless, V3_11, 10, 0), 0);
	assert_int_equal(find(no_begin, V3_11, 10, 0), 0);
	assert_int_equal(find(increments, V3_9, UINT32_MAX, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_and_lines_go_up_together),
		cmocka_unit_test(line_may_go_down),
		cmocka_unit_test(ranges_have_lines_or_none),
		cmocka_unit_test(entries_have_lines_or_none),
		cmocka_unit_test(table_of_python_gives_its_lines),
		cmocka_unit_test(place_beyond_a_cut_table_has_no_line),
		cmocka_unit_test(lines_that_are_not_believed_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
