/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_cache_requests - what is asked of the cache is answered by another thread, or too late
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/names/symbol_table.h"
#include "symbolizer/unwind/table_cache_requests.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/table_cache_fixture.h"

static uint32_t asked(enum table_cache_kind kind, uint64_t ino)
{
	const struct table_cache_key key = {kind, identity_of(ino)};
	uint32_t request;

	assert_int_equal(table_cache_ask(&cache, &key, &request), 0);
	return request;
}

static void is_not_asked(enum table_cache_kind kind, uint64_t ino)
{
	const struct table_cache_key key = {kind, identity_of(ino)};
	uint32_t request;

	assert_int_equal(table_cache_ask(&cache, &key, &request), TABLE_CACHE_E_NONE);
}

static void is_pending(uint32_t request)
{
	int fd;

	assert_int_equal(table_cache_answer(&cache, request, &fd), TABLE_CACHE_E_LATER);
	assert_int_equal(fd, -1);
}

/* Return: whether the answer is a table. */
static bool is_found(uint32_t request)
{
	int fd;

	assert_int_equal(table_cache_answer(&cache, request, &fd), 0);
	assert_int_equal(cache.requests[request].state, TABLE_CACHE_REQUEST_FREE);
	if (fd < 0)
		return false;
	assert_int_equal(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE, F_SEAL_WRITE);
	(void)close(fd);
	return true;
}

static bool is_symbol_table(const void *table, size_t bytes)
{
	struct symbol_table parsed;

	return symbol_table_parse(&parsed, table, bytes) == 0;
}

static void add_symbols(uint64_t ino, const struct symbols *symbols)
{
	const struct table_cache_key key = {TABLE_CACHE_SYMBOLS, identity_of(ino)};
	struct tm_region region = sealed(symbols, sizeof(*symbols));

	table_cache_add(&cache, &key, &region);
	write_all();
}

static void answer_comes_when_the_other_thread_has_read(void **state)
{
	uint32_t request;

	add(1, 0x100);
	open_again();
	request = asked(TABLE_CACHE_UNWIND, 1);
	is_pending(request);
	assert_true(table_cache_read_next(&cache));
	assert_true(is_found(request));
	assert_false(table_cache_read_next(&cache));
}

static void table_that_is_not_there_is_not_asked_for(void **state)
{
	add(1, 0x100);
	is_not_asked(TABLE_CACHE_UNWIND, 2);
	is_not_asked(TABLE_CACHE_SYMBOLS, 1);
	cache.failed = true;
	is_not_asked(TABLE_CACHE_UNWIND, 1);
}

static void before_the_index_is_read_any_table_may_be_there(void **state)
{
	uint32_t first, second;

	add(1, 0x100);
	table_cache_close(&cache);
	cache = TABLE_CACHE_NULL;
	table_cache_open(&cache, dup(file), pin);
	first = asked(TABLE_CACHE_UNWIND, 1);
	second = asked(TABLE_CACHE_UNWIND, 2);
	assert_false(table_cache_must_read(&cache));
	assert_true(table_cache_write_next(&cache)); /* the index */
	assert_true(table_cache_must_read(&cache));
	while (table_cache_read_next(&cache))
		;
	assert_true(is_found(first));
	assert_false(is_found(second));
}

static void unwind_tables_are_read_first_and_in_order(void **state)
{
	const struct symbols symbols = make_symbols();
	uint32_t requests[3];

	table_cache_set_check(&cache, TABLE_CACHE_SYMBOLS, is_symbol_table);
	add(1, 0x100);
	add(2, 0x100);
	add_symbols(1, &symbols);
	requests[2] = asked(TABLE_CACHE_SYMBOLS, 1);
	requests[0] = asked(TABLE_CACHE_UNWIND, 2);
	requests[1] = asked(TABLE_CACHE_UNWIND, 1);
	for (unsigned i = 0; i < 3; i++) {
		is_pending(requests[i]);
		assert_true(table_cache_read_next(&cache));
		assert_true(is_found(requests[i]));
	}
}

static void one_file_has_a_table_of_each_kind(void **state)
{
	const struct symbols symbols = make_symbols();

	add(1, 0x100);
	add_symbols(1, &symbols);
	open_again();
	table_cache_set_check(&cache, TABLE_CACHE_SYMBOLS, is_symbol_table);
	assert_int_equal(cache.count, 2);
	assert_int_equal(found(1), 0x100);
	(void)asked(TABLE_CACHE_SYMBOLS, 1);
	assert_true(table_cache_read_next(&cache));
	assert_true(is_found(0));
	assert_int_equal(cache.counts.refused, 0);
}

static void invalid_symbols_are_refused_though_their_digest_matches(void **state)
{
	struct symbols symbols = make_symbols();

	table_cache_set_check(&cache, TABLE_CACHE_SYMBOLS, is_symbol_table);
	symbols.symbols[1].start = 0;
	add_symbols(1, &symbols);
	(void)asked(TABLE_CACHE_SYMBOLS, 1);
	assert_true(table_cache_read_next(&cache));
	assert_false(is_found(0));
	assert_int_equal(cache.counts.refused, 1);
	is_not_asked(TABLE_CACHE_SYMBOLS, 1);
}

static void table_of_a_kind_that_nobody_checks_is_not_used(void **state)
{
	const struct symbols symbols = make_symbols();

	add_symbols(1, &symbols);
	(void)asked(TABLE_CACHE_SYMBOLS, 1);
	assert_true(table_cache_read_next(&cache));
	assert_false(is_found(0));
}

static void late_answer_is_given_up_and_so_is_the_cache_until_the_disk_answers(void **state)
{
	uint32_t first, second;

	add(1, 0x100);
	add(2, 0x200);
	first = asked(TABLE_CACHE_UNWIND, 1);
	second = asked(TABLE_CACHE_UNWIND, 2);
	cache.requests[first].end_ms = 0; /* as if the time were over */
	assert_false(is_found(first));
	assert_int_equal(cache.counts.late, 1);
	is_not_asked(TABLE_CACHE_UNWIND, 1);
	assert_true(table_cache_read_next(&cache)); /* the second, which is in time */
	assert_true(is_found(second));
	cache.stalled = false; /* by the thread */
	(void)asked(TABLE_CACHE_UNWIND, 1);
}

static void requests_are_bounded(void **state)
{
	add(1, 0x100);
	for (uint32_t i = 0; i < TABLE_CACHE_REQUESTS; i++)
		assert_int_equal(asked(TABLE_CACHE_UNWIND, 1), i);
	is_not_asked(TABLE_CACHE_UNWIND, 1);
	table_cache_forget(&cache, 5);
	assert_int_equal(asked(TABLE_CACHE_UNWIND, 1), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(answer_comes_when_the_other_thread_has_read),
		of_its_own(table_that_is_not_there_is_not_asked_for),
		of_its_own(before_the_index_is_read_any_table_may_be_there),
		of_its_own(unwind_tables_are_read_first_and_in_order),
		of_its_own(one_file_has_a_table_of_each_kind),
		of_its_own(invalid_symbols_are_refused_though_their_digest_matches),
		of_its_own(table_of_a_kind_that_nobody_checks_is_not_used),
		of_its_own(late_answer_is_given_up_and_so_is_the_cache_until_the_disk_answers),
		of_its_own(requests_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
