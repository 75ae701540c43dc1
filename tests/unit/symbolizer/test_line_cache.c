/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_line_cache - calls by file and address, of which the least recently used make room
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/names/line_cache.h"
#include "tests/unit/symbolizer/make_lines.h"

#define SMALL_BYTES 8192

static const struct hash_seed seed = {{4, 2}};
static const struct tm_identity file = {.ino = 7}, other = {.ino = 8};
static struct line_cache cache;
static struct lines lines;
static struct lines_check checked;

static int begin(void **state)
{
	lines = make_lines();
	line_cache_init(&cache, SMALL_BYTES, &seed);
	return lines_check_check(&checked, &lines, sizeof(lines), MAKE_LINES_PLACES);
}

static int end(void **state)
{
	line_cache_deinit(&cache);
	assert_int_equal(cache.budget.used, 0);
	return 0;
}

static void add(uint64_t vaddr, uint32_t place)
{
	line_cache_add(&cache, &file, vaddr, &checked, &checked.places[place]);
}

static void calls_come_back_as_they_were_added(void **state)
{
	const struct line_record *record;

	add(0x100, 0);
	record = line_cache_find(&cache, &file, 0x100);
	assert_non_null(record);
	assert_int_equal(record->call_count, 2);
	assert_string_equal(line_record_text(record, record->calls[0].function), "inner");
	assert_string_equal(line_record_text(record, record->calls[0].file), "a.h");
	assert_int_equal(record->calls[0].line, 12);
	assert_int_equal(record->calls[0].start_line, 10);
	assert_string_equal(line_record_text(record, record->calls[1].function), "outer1");
	assert_string_equal(line_record_text(record, record->calls[1].file), "b.cc");
	assert_null(line_cache_find(&cache, &file, 0x101));
	assert_null(line_cache_find(&cache, &other, 0x100));
}

static void that_nothing_is_known_is_known(void **state)
{
	add(0x200, 1);
	assert_non_null(line_cache_find(&cache, &file, 0x200));
	assert_int_equal(line_cache_find(&cache, &file, 0x200)->call_count, 0);
}

static void newer_answer_takes_the_place_of_the_older(void **state)
{
	uint64_t used;

	add(0x100, 0);
	used = cache.budget.used;
	add(0x100, 1);
	assert_int_equal(line_cache_find(&cache, &file, 0x100)->call_count, 0);
	add(0x100, 0);
	assert_int_equal(line_cache_find(&cache, &file, 0x100)->call_count, 2);
	assert_int_equal(cache.budget.used, used);
}

static void what_was_used_least_recently_makes_room(void **state)
{
	for (uint64_t i = 0; i < 1000; i++) {
		add(0x1000 + i, 0);
		assert_non_null(line_cache_find(&cache, &file, 0x1000));
		assert_true(cache.budget.used <= SMALL_BYTES);
	}
	assert_non_null(line_cache_find(&cache, &file, 0x1000 + 999));
	assert_null(line_cache_find(&cache, &file, 0x1001));
	assert_true(cache.count < 1000);
}

static void too_large_a_record_is_not_kept(void **state)
{
	static char names[2 * LINE_CACHE_RECORD_MAX];
	struct lines_check large = checked;

	add(0x300, 0);
	memset(names, 'x', sizeof(names) - 1);
	large.names = names;
	line_cache_add(&cache, &file, 0x400, &large, &checked.places[0]);
	assert_null(line_cache_find(&cache, &file, 0x400));
	assert_non_null(line_cache_find(&cache, &file, 0x300));
}

static void what_no_report_wants_for_long_is_dropped(void **state)
{
	uint64_t used;

	line_cache_begin(&cache, 1000);
	add(0x100, 0);
	add(0x200, 0);
	used = cache.budget.used;
	line_cache_begin(&cache, 2000);
	assert_non_null(line_cache_find(&cache, &file, 0x100));
	line_cache_expire(&cache);
	line_cache_begin(&cache, 1000 + LINE_CACHE_KEPT_MS);
	line_cache_expire(&cache);
	assert_int_equal(cache.budget.used, used);
	line_cache_begin(&cache, 1001 + LINE_CACHE_KEPT_MS);
	line_cache_expire(&cache);
	assert_null(line_cache_find(&cache, &file, 0x200));
	assert_non_null(line_cache_find(&cache, &file, 0x100));
}

/* However far apart reports are. */
static void what_the_last_report_wanted_is_kept(void **state)
{
	line_cache_begin(&cache, 1000);
	add(0x100, 0);
	add(0x200, 0);
	line_cache_begin(&cache, 1000 + 9ull * LINE_CACHE_KEPT_MS);
	assert_non_null(line_cache_find(&cache, &file, 0x200));
	line_cache_expire(&cache);
	assert_null(line_cache_find(&cache, &file, 0x100));
	assert_non_null(line_cache_find(&cache, &file, 0x200));
}

#define with_cache(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_cache(calls_come_back_as_they_were_added),
		with_cache(that_nothing_is_known_is_known),
		with_cache(newer_answer_takes_the_place_of_the_older),
		with_cache(what_was_used_least_recently_makes_room),
		with_cache(too_large_a_record_is_not_kept),
		with_cache(what_no_report_wants_for_long_is_dropped),
		with_cache(what_the_last_report_wanted_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
