/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_jobs_cached - tables that an earlier session kept, while their disk answers in time
 */

#include "tests/unit/symbolizer/cached_jobs_fixture.h"

static void cached_table_is_not_requested_again(void **state)
{
	const struct table table = good_table();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	open_cache();
	announce(1, 10, fd);
	files_opened(&recording.files, 1, 10, dup(fd));
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(1, 10), 1);
	assert_int_equal(jobs.counts.cached, 0);
	serve_cache();
	files_retire(&recording.files, 1, 15);
	announce(1, 20, fd);
	files_opened(&recording.files, 1, 20, fd);
	round_of_jobs();
	no_request();
	nothing_is_sent(); /* the cache is being read */
	assert_true(file_queue_has_tables(&recording.files));
	serve_cache();
	round_of_jobs();
	no_request();
	assert_int_equal(pages_of(1, 20), 1);
	assert_int_equal(jobs.counts.cached, 1);
	assert_int_equal(jobs.counts.made, 2);
	assert_false(file_queue_has_tables(&recording.files));
	table_cache_close(&cache);
}

static void table_that_the_cache_does_not_give_in_time_is_requested(void **state)
{
	static const uint8_t pin[TM_SHA256_BYTES];
	const struct table table = good_table();

	table_cache_open(&cache, memfd_create("cache", MFD_CLOEXEC), pin);
	open_file(1, 10); /* its disk hangs: not even the index is known */
	open_file(2, 10);
	files_retire(&recording.files, 2, 20);
	round_of_jobs();
	no_request();
	for (uint32_t i = 0; i < TABLE_CACHE_REQUESTS; i++)
		cache.requests[i].end_ms = 0; /* as if the time were over */
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	no_request();
	round_of_jobs();
	assert_int_equal(pages_of(1, 10), 1);
	open_file(3, 30); /* is not asked of the cache again */
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(3, 30), 1);
	assert_int_equal(cache.counts.late, 1);
	assert_int_equal(jobs.counts.cached, 0);
	unwind_jobs_deinit(&jobs);
	table_cache_close(&cache);
}

static void cached_tables_do_not_wait_for_a_busy_parser(void **state)
{
	const struct table table = good_table();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	open_cache();
	announce(9, 10, fd);
	files_opened(&recording.files, 9, 10, dup(fd));
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(9, 10), 1);
	serve_cache();
	files_retire(&recording.files, 9, 15);
	for (uint32_t i = 1; i <= PARSER_AT_ONCE + 1; i++)
		open_file(i, 20);
	announce(9, 20, fd);
	files_opened(&recording.files, 9, 20, fd);
	round_of_jobs();
	serve_cache();
	round_of_jobs();
	assert_int_equal(unwind_jobs_asked(&jobs), PARSER_AT_ONCE);
	assert_int_equal(pages_of(9, 20), 1);
	unwind_jobs_deinit(&jobs);
	table_cache_close(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(cached_table_is_not_requested_again),
		of_its_own(table_that_the_cache_does_not_give_in_time_is_requested),
		of_its_own(cached_tables_do_not_wait_for_a_busy_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
