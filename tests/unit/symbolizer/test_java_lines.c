/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_java_lines - lines of places by tables of both encodings, whole, cut and hostile
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared/event.h"
#include "shared/runtime.h"
#include "symbolizer/names/java_lines.h"

#define find(table, version, place) java_lines_find(table, sizeof(table), version, place)

static const uint32_t versions[] = {8, TM_JAVA_BYTE_ZERO - 1, TM_JAVA_BYTE_ZERO, 25};
#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* --- an encoder ------------------------------------------------------------------------------- */

struct pair {
	uint16_t place, line;
};

static uint8_t built[1024];
static size_t built_bytes;

static void put(uint32_t byte)
{
	assert_in_range(byte, 0, 0xff);
	assert_in_range(built_bytes, 0, sizeof(built) - 1);
	built[built_bytes++] = (uint8_t)byte;
}

static void put_number(uint32_t value, uint32_t excluded)
{
	const uint32_t low = 192 - excluded; /* that end a number */

	for (unsigned i = 0; i < 4 && value >= low; i++) {
		value -= low;
		put(excluded + low + value % 64);
		value /= 64;
	}
	put(excluded + value);
}

static void put_signed(int32_t value, uint32_t excluded)
{
	put_number((uint32_t)value << 1 ^ (uint32_t)(value < 0 ? -1 : 0), excluded);
}

/* The longer form, if it is wanted, where the shorter one is possible. */
static void build(const struct pair *pairs, size_t count, uint32_t version, bool longer)
{
	const uint32_t excluded = version >= TM_JAVA_BYTE_ZERO;
	struct pair last = {0, 0};

	built_bytes = 0;
	for (size_t i = 0; i < count; i++) {
		const int32_t place = pairs[i].place - last.place, line = pairs[i].line - last.line;

		last = pairs[i];
		if (!longer && place >= 0 && place < 32 && line >= 0 && line < 8 &&
		    place + line != 38) {
			put((uint32_t)(place << 3 | line));
			continue;
		}
		put(0xff);
		put_signed(place, excluded);
		put_signed(line, excluded);
	}
	put(0);
}

static uint32_t find_built(uint32_t version, uint32_t place)
{
	return java_lines_find(built, built_bytes, version, place);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void every_pair_is_found_in_both_forms(void **state)
{
	/* Ascending, with steps at every length of a number, and the byte that is none. */
	static const struct pair pairs[] = {
		{0, 3},       {1, 4},         {32, 11},    {63, 18},       {64, 18},
		{160, 113},   {161, 17},      {300, 2063}, {12600, 14000}, {12601, 1},
		{40000, 500}, {40001, 65535}, {65000, 7},  {65535, 9},
	};
	const size_t count = sizeof(pairs) / sizeof(pairs[0]);

	for (size_t v = 0; v < 2 * VERSIONS; v++) {
		const uint32_t version = versions[v / 2];

		build(pairs, count, version, v % 2);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(find_built(version, pairs[i].place), pairs[i].line);
			if (i + 1 < count)
				assert_int_equal(find_built(version, pairs[i + 1].place - 1u),
						 pairs[i].line);
		}
		assert_int_equal(find_built(version, TM_FRAME_PLACE_MAX - 1), 9);
	}
}

/* As HotSpot itself answers. */
static void pairs_need_not_ascend(void **state)
{
	static const struct pair pairs[] = {{10, 5}, {2, 9}, {2, 6}, {20, 7}, {10, 8}};

	for (size_t v = 0; v < VERSIONS; v++) {
		build(pairs, 5, versions[v], false);
		assert_int_equal(find_built(versions[v], 1), 0);
		assert_int_equal(find_built(versions[v], 2), 9);  /* the first one */
		assert_int_equal(find_built(versions[v], 9), 6);  /* the last one */
		assert_int_equal(find_built(versions[v], 10), 5); /* the first one */
		assert_int_equal(find_built(versions[v], 15), 8); /* the last one */
		assert_int_equal(find_built(versions[v], 21), 7);
	}
}

/* What HotSpot 17.0.15 and 25 made of this class of javac, with the bytes that follow:
 *
 *	 4: static int run(int n) {
 *	 5:         int sum = 0;
 *	 6:         for (int i = 0; i < n; i++) {
 *	 7:                 sum += i
 *	 8:                         * step(i);
 *	 9:                 if (sum > 1000)
 *	10:                         sum -= 1000;
 *	11:         }
 *	12:         return sum;
 *	    ...
 *	28: static int step(int i) { return i ^ 3; }
 */
static const uint8_t run_17[] = {0x05, 0x11, 0x39, 0x19, 0x31, 0x39, 0xff, 0x0c,
				 0x07, 0x36, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
static const uint8_t run_25[] = {0x05, 0x11, 0x39, 0x19, 0x31, 0x39, 0xff, 0x0d,
				 0x08, 0x36, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
static const uint8_t step_17[] = {0xff, 0x00, 0x38, 0x00};
static const uint8_t step_25[] = {0xff, 0x01, 0x39, 0x00};
/* And the line of each place, as its own debugger says. */
static const uint8_t lines_of_run[] = {5,  5,  6,  6,  6,  6, 6, 6, 6, 7, 7, 7,  8,
				       8,  8,  8,  8,  8,  9, 9, 9, 9, 9, 9, 9,  10,
				       10, 10, 10, 10, 10, 6, 6, 6, 6, 6, 6, 12, 12};

static void tables_of_hotspot_give_their_lines(void **state)
{
	for (uint32_t place = 0; place < sizeof(lines_of_run); place++) {
		assert_int_equal(find(run_17, 17, place), lines_of_run[place]);
		assert_int_equal(find(run_25, 25, place), lines_of_run[place]);
	}
	for (uint32_t place = 0; place < 4; place++) {
		assert_int_equal(find(step_17, 17, place), 28);
		assert_int_equal(find(step_25, 25, place), 28);
	}
}

static void what_follows_the_end_means_nothing(void **state)
{
	static uint8_t longer[sizeof(run_25) + 4] = {0};

	memcpy(longer, run_25, sizeof(run_25));
	for (unsigned byte = 0; byte <= 0xff; byte++) {
		memset(longer + 11, (int)byte, sizeof(longer) - 11);
		for (uint32_t place = 0; place < sizeof(lines_of_run); place++)
			assert_int_equal(find(longer, 25, place), lines_of_run[place]);
	}
}

static void place_beyond_a_cut_table_has_no_line(void **state)
{
	for (size_t bytes = 0; bytes < 11; bytes++) /* 11: its end is there */
		for (uint32_t place = 0; place < sizeof(lines_of_run); place++) {
			uint32_t line = java_lines_find(run_25, bytes, 25, place);

			assert_true(line == 0 || line == lines_of_run[place]);
			assert_true(bytes > 0 || line == 0);
		}
	assert_int_equal(java_lines_find(run_25, 3, 25, 8), 6); /* the pair at 9 is there */
	assert_int_equal(java_lines_find(run_25, 3, 25, 9), 7);
	assert_int_equal(java_lines_find(run_25, 3, 25, 10), 0);
}

static void lines_that_are_not_believed_are_none(void **state)
{
	static const uint8_t far[] = {0xff, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00};
	static const uint8_t back[] = {0x05, 0xff, 0x03, 0x14, 0x00};
	static const uint8_t no_byte[] = {0x05, 0xff, 0x03, 0x00, 0x00};
	static const uint8_t beyond[] = {0x01, 0xff, 0x01, 0xff, 0xff, 0xf0, 0x01, 0x00};

	assert_int_equal(find(far, 25, 0), 0);
	assert_int_equal(find(far, 17, 1), 0);
	assert_int_equal(find(back, 25, 0), 5);
	assert_int_equal(find(back, 25, 1), 0); /* -5 */
	assert_int_equal(find(no_byte, 25, 0), 5);
	assert_int_equal(find(no_byte, 25, 2), 0);
	assert_int_equal(find(no_byte, 17, 2), 5); /* a place of -2 is before all */
	assert_int_equal(find(beyond, 25, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_is_found_in_both_forms),
		cmocka_unit_test(pairs_need_not_ascend),
		cmocka_unit_test(tables_of_hotspot_give_their_lines),
		cmocka_unit_test(what_follows_the_end_means_nothing),
		cmocka_unit_test(place_beyond_a_cut_table_has_no_line),
		cmocka_unit_test(lines_that_are_not_believed_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
