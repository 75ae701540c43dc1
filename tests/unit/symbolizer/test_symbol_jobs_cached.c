/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_jobs_cached - symbols that an earlier session kept are not made again
 */

#include "tests/unit/symbolizer/cached_jobs_fixture.h"
#include "tests/unit/symbolizer/symbol_jobs_fixture.h"

static bool is_symbol_table(const void *table, size_t bytes)
{
	struct symbol_table parsed;

	return symbol_table_parse(&parsed, table, bytes) == 0;
}

static void symbols_that_an_earlier_session_kept_are_not_requested(void **state)
{
	struct tm_identity identity;

	table_cache_set_check(&cache, TABLE_CACHE_SYMBOLS, is_symbol_table);
	open_cache();
	symbols.cache = &cache;
	identity = hand_over(1, 7, 10);
	round_of_symbols();
	answer_symbols(symbols_are_asked_for(), PARSER_OK);
	round_of_symbols();
	assert_int_equal(symbols.cached, 0);
	serve_cache();
	files_retire(&recording.files, 1, 20);
	symbol_store_deinit(&recording.store);
	assert_int_equal(symbol_store_init(&recording.store, RECORDING_BYTES, &recording.seed), 0);
	identity = hand_over(2, 7, 30);
	round_of_symbols();
	serve_cache(); /* the unwind table */
	round_of_symbols();
	serve_cache();
	round_of_symbols();
	no_request();
	assert_true(has_table(&identity));
	assert_int_equal(symbols.cached, 1);
	assert_int_equal(recording.files.open, 0);
	table_cache_close(&cache);
}

static void file_that_ends_while_the_cache_is_read_fails_for_now(void **state)
{
	static const uint8_t pin[TM_SHA256_BYTES];
	struct tm_identity identity;

	table_cache_open(&cache, memfd_create("cache", MFD_CLOEXEC), pin);
	symbols.cache = &cache; /* its index is not read */
	identity = hand_over(1, 7, 10);
	symbol_jobs_round(&symbols, false);
	no_request();
	assert_true(file_queue_has_symbols(&recording.files));
	files_retire(&recording.files, 1, 20);
	serve_cache();
	symbol_jobs_round(&symbols, false);
	no_request();
	assert_int_equal(reason(&identity), TM_UNNAMED_NOT_PARSED);
	assert_int_equal(recording.files.open, 0);
	assert_false(file_queue_has_symbols(&recording.files));
	table_cache_close(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_symbols(symbols_that_an_earlier_session_kept_are_not_requested),
		with_symbols(file_that_ends_while_the_cache_is_read_fails_for_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
