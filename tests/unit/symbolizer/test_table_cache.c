/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_cache - tables in the cache file: found by identity, the least recently used are
 * replaced
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/symbolizer/table_cache_fixture.h"

static void kept_table_is_found_after_a_restart(void **state)
{
	add(1, 0x100);
	add(2, 0x200);
	assert_int_equal(found(1), 0x100);
	open_again();
	assert_int_equal(found(1), 0x100);
	assert_int_equal(found(2), 0x200);
	assert_int_equal(found(3), 0);
	assert_int_equal(cache.counts.refused, 0);
}

static void each_part_of_the_key_counts(void **state)
{
	struct table_cache_key key;

	add(1, 0x100);
	for (size_t at = 0; at < sizeof(key); at++) {
		key = key_of(1);
		((uint8_t *)&key)[at] ^= 1;
		assert_int_equal(found_of(&key), 0);
	}
	assert_int_equal(found(1), 0x100);
	assert_int_equal(cache.counts.refused, 0);
}

static void another_parser_empties_the_cache(void **state)
{
	const uint8_t other[TM_SHA256_BYTES] = {9};
	const struct table_cache_header before = cache.header;

	add(1, 0x100);
	table_cache_close(&cache);
	cache = TABLE_CACHE_NULL;
	table_cache_open(&cache, dup(file), other);
	write_all();
	assert_int_equal(found(1), 0);
	assert_int_equal(cache.counts.refused, 0);
	assert_int_equal(file_bytes(), place(0));
	assert_memory_not_equal(cache.header.secret, before.secret, TM_SHA256_BYTES);
}

static void cache_of_another_version_is_begun_anew(void **state)
{
	static const char magic[] = "TMTABL3\n";

	add(1, 0x100);
	assert_int_equal(pwrite(file, magic, sizeof(magic) - 1, 0), sizeof(magic) - 1);
	open_again();
	assert_int_equal(found(1), 0);
	assert_int_equal(cache.counts.refused, 0);
	assert_int_equal(file_bytes(), place(0));
	add(1, 0x200);
	open_again();
	assert_int_equal(found(1), 0x200);
}

static void too_large_a_table_is_not_kept(void **state)
{
	const struct table_cache_key key = key_of(1);
	void *bytes = calloc(1, TABLE_CACHE_TABLE_BYTES + 8);
	struct tm_region rows;

	assert_non_null(bytes);
	rows = sealed(bytes, TABLE_CACHE_TABLE_BYTES + 8);
	table_cache_add(&cache, &key, &rows);
	write_all();
	assert_int_equal(file_bytes(), place(0));
	free(bytes);
}

static void least_recently_used_table_is_replaced(void **state)
{
	for (uint32_t i = 1; i <= TABLE_CACHE_ENTRIES; i++)
		add(i, i);
	open_again();
	assert_int_equal(cache.count, TABLE_CACHE_ENTRIES);
	for (uint32_t i = 1; i <= 100; i++)
		assert_int_equal(found(i), i);
	open_again(); /* the file says what was used */
	add(TABLE_CACHE_ENTRIES + 1, 0x500);
	assert_int_equal(cache.count, TABLE_CACHE_KEPT_ENTRIES + 1);
	assert_int_equal(file_bytes(), place(TABLE_CACHE_KEPT_ENTRIES + 1));
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 1; i <= 100; i++)
			assert_int_equal(found(i), i);
		assert_int_equal(found(101), 0);
		assert_int_equal(found(TABLE_CACHE_ENTRIES), TABLE_CACHE_ENTRIES);
		assert_int_equal(found(TABLE_CACHE_ENTRIES + 1), 0x500);
		open_again();
	}
	assert_int_equal(cache.counts.refused, 0);
}

/* So what a service has used lately outlives what it made once. */
static void an_hour_of_a_service_counts_as_a_session(void **state)
{
	uint64_t session;

	add(1, 1);
	add(2, 2);
	session = cache.session;
	assert_int_equal(found(1), 1);
	assert_int_equal(cache.session, session);
	cache.begun_ms -= TABLE_CACHE_SESSION_MS;
	assert_int_equal(found(1), 1);
	assert_int_equal(cache.session, session + 1);
	assert_int_equal(cache.entries[0].used, session + 1);
	assert_int_equal(cache.entries[1].used, session);
	write_all();
	open_again();
	assert_int_equal(found(2), 2);
	assert_int_equal(cache.session, session + 2);
}

static void descriptor_not_open_for_reading_and_writing_is_no_cache(void **state)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	table_cache_close(&cache);
	table_cache_open(&cache, ends[0], pin);
	assert_int_equal(cache.fd, -1);
	assert_int_equal(found(1), 0);
	add(1, 0x100);
	table_cache_open(&cache, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), pin);
	assert_int_equal(cache.fd, -1);
	(void)close(ends[1]);
}

static void reader_itself_writes_nothing(void **state)
{
	const off_t before = place(2);

	add(1, 0x100);
	add(2, 0x200);
	flip(place(2) - 1);
	open_again();
	/* A use, a refusal and an addition; then a file that is no cache. */
	assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE), 0);
	assert_int_equal(found(1), 0x100);
	assert_int_equal(found(2), 0);
	queue(3, 0x300);
	assert_int_equal(file_bytes(), before);
	assert_true(table_cache_write_is_pending(&cache));
	assert_false(cache.failed);
	assert_true(table_cache_write_next(&cache));
	assert_true(cache.failed);
	assert_false(table_cache_write_is_pending(&cache));
	assert_int_equal(cache.queued, 0);
	assert_int_equal(found(1), 0);
}

static void table_that_waits_is_queued_once(void **state)
{
	queue(1, 0x100);
	queue(1, 0x200);
	assert_int_equal(cache.queued, 1);
	assert_int_equal(cache.counts.dropped, 0);
	write_all();
	assert_int_equal(cache.count, 1);
	assert_int_equal(found(1), 0x100);
}

static void queue_is_bounded_by_tables_and_counts_what_it_drops(void **state)
{
	for (uint32_t i = 1; i <= TABLE_CACHE_QUEUE_TABLES + 3; i++)
		queue(i, i);
	assert_int_equal(cache.queued, TABLE_CACHE_QUEUE_TABLES);
	assert_int_equal(cache.counts.dropped, 3);
	write_all();
	assert_int_equal(cache.count, TABLE_CACHE_QUEUE_TABLES);
	assert_int_equal(cache.budget.used, 0);
	assert_int_equal(found(TABLE_CACHE_QUEUE_TABLES), TABLE_CACHE_QUEUE_TABLES);
	assert_int_equal(found(TABLE_CACHE_QUEUE_TABLES + 1), 0);
}

static void queue_is_bounded_by_bytes_and_counts_what_it_drops(void **state)
{
	const size_t bytes = TABLE_CACHE_TABLE_BYTES;
	void *zeros = calloc(1, bytes);

	assert_non_null(zeros);
	for (uint32_t i = 0; i < 4; i++) {
		const struct table_cache_key key = key_of(i + 1);
		struct tm_region rows = sealed(zeros, bytes);

		table_cache_add(&cache, &key, &rows);
		assert_null(rows.addr);
	}
	assert_int_equal(cache.queued, TABLE_CACHE_QUEUE_BYTES / bytes);
	assert_int_equal(cache.counts.dropped, 4 - TABLE_CACHE_QUEUE_BYTES / bytes);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(kept_table_is_found_after_a_restart),
		of_its_own(each_part_of_the_key_counts),
		of_its_own(another_parser_empties_the_cache),
		of_its_own(cache_of_another_version_is_begun_anew),
		of_its_own(too_large_a_table_is_not_kept),
		of_its_own(least_recently_used_table_is_replaced),
		of_its_own(an_hour_of_a_service_counts_as_a_session),
		of_its_own(descriptor_not_open_for_reading_and_writing_is_no_cache),
		of_its_own(reader_itself_writes_nothing),
		of_its_own(table_that_waits_is_queued_once),
		of_its_own(queue_is_bounded_by_tables_and_counts_what_it_drops),
		of_its_own(queue_is_bounded_by_bytes_and_counts_what_it_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
