/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_cache_hostile - a changed cache file gives each table as it was kept, or not at all
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "tests/unit/symbolizer/table_cache_fixture.h"

static void every_changed_byte_of_an_entry_is_noticed(void **state)
{
	const size_t used = offsetof(struct table_cache_head, used);
	const size_t identity = offsetof(struct table_cache_head, key.identity);
	const size_t end = offsetof(struct table_cache_head, digest);

	for (off_t at = place(0); at < place(1); at++) {
		size_t in = (size_t)(at - place(0));

		if (in >= used && in < used + 8)
			continue; /* the time of its last use, which is no part of the table */
		if (in > sizeof(struct table_cache_head) + sizeof(struct tm_unwind_table) &&
		    in % 97)
			continue;
		assert_int_equal(ftruncate(file, 0), 0);
		open_again();
		add(1, 0x100);
		flip(at);
		open_again();
		assert_int_equal(found(1), 0);
		/* With a changed identity the entry is another file's, which is not requested. */
		assert_true(cache.counts.refused || (in >= identity && in < end));
	}
}

static void wrong_identity_is_never_answered_with_another_files_rows(void **state)
{
	const struct table_cache_key other = key_of(2);

	add(1, 0x100);
	assert_int_equal(pwrite(file, &other, sizeof(other),
				place(0) + (off_t)offsetof(struct table_cache_head, key)),
			 sizeof(other));
	open_again();
	assert_int_equal(found(2), 0);
	assert_int_equal(found(1), 0);
	assert_int_equal(cache.counts.refused, 1);
}

static void swapped_rows_are_refused(void **state)
{
	struct table first, second;
	const off_t rows = (off_t)sizeof(struct table_cache_head);

	add(1, 0x100);
	add(2, 0x200);
	assert_int_equal(pread(file, &first, sizeof(first), place(0) + rows), sizeof(first));
	assert_int_equal(pread(file, &second, sizeof(second), place(1) + rows), sizeof(second));
	assert_int_equal(pwrite(file, &second, sizeof(second), place(0) + rows), sizeof(second));
	assert_int_equal(pwrite(file, &first, sizeof(first), place(1) + rows), sizeof(first));
	open_again();
	assert_int_equal(found(1), 0);
	assert_int_equal(found(2), 0);
	assert_int_equal(cache.counts.refused, 2);
}

static void entries_in_another_order_are_the_same_entries(void **state)
{
	static uint8_t all[2][sizeof(struct table_cache_head) + sizeof(struct table)];

	add(1, 0x100);
	add(2, 0x200);
	assert_int_equal(pread(file, all, sizeof(all), place(0)), sizeof(all));
	assert_int_equal(pwrite(file, all[1], sizeof(all[1]), place(0)), sizeof(all[1]));
	assert_int_equal(pwrite(file, all[0], sizeof(all[0]), place(1)), sizeof(all[0]));
	open_again();
	assert_int_equal(found(1), 0x100);
	assert_int_equal(found(2), 0x200);
}

static void refused_entry_is_counted_once_and_replaced(void **state)
{
	add(1, 0x100);
	flip(place(1) - 1);
	open_again();
	assert_int_equal(found(1), 0);
	add(1, 0x300);
	assert_int_equal(found(1), 0x300);
	open_again();
	assert_int_equal(found(1), 0x300);
	assert_int_equal(cache.counts.refused, 0);
}

static void truncated_file_loses_only_its_end(void **state)
{
	add(1, 0x100);
	add(2, 0x200);
	for (off_t bytes = place(2) - 1; bytes > place(1); bytes -= 101) {
		assert_int_equal(ftruncate(file, bytes), 0);
		open_again();
		assert_int_equal(found(1), 0x100);
		assert_int_equal(found(2), 0);
		assert_int_equal(cache.counts.refused, 1);
		assert_int_equal(file_bytes(), place(1));
		add(2, 0x200);
	}
	assert_int_equal(ftruncate(file, place(0) - 1), 0);
	open_again();
	assert_int_equal(found(1), 0);
	assert_int_equal(file_bytes(), place(0));
}

static void entry_of_another_file_of_the_same_pin_is_refused(void **state)
{
	static uint8_t entry[sizeof(struct table_cache_head) + sizeof(struct table)];

	add(1, 0x100);
	assert_int_equal(pread(file, entry, sizeof(entry), place(0)), sizeof(entry));
	assert_int_equal(ftruncate(file, 0), 0);
	open_again();
	add(2, 0x200);
	assert_int_equal(pwrite(file, entry, sizeof(entry), place(1)), sizeof(entry));
	open_again();
	assert_int_equal(found(1), 0);
	assert_int_equal(found(2), 0x200);
	assert_int_equal(cache.counts.refused, 1);
}

static void invalid_table_is_refused_though_its_digest_matches(void **state)
{
	const struct table_cache_key key = key_of(1);
	struct table table = table_at(0x100);
	struct tm_region rows;

	table.page.rules[3] = 1;
	rows = sealed(&table, sizeof(table));
	table_cache_add(&cache, &key, &rows);
	open_again();
	assert_int_equal(found(1), 0);
	assert_int_equal(cache.counts.refused, 1);
}

static void false_length_ends_the_search(void **state)
{
	static const uint32_t lengths[] = {
		0, 8, 31, TABLE_CACHE_TABLE_BYTES + 8, 0xfffffff8, sizeof(struct table) + 8};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		assert_int_equal(ftruncate(file, 0), 0);
		open_again();
		add(1, 0x100);
		assert_int_equal(pwrite(file, &lengths[i], 4,
					place(0) + (off_t)offsetof(struct table_cache_head, bytes)),
				 4);
		open_again();
		assert_int_equal(found(1), 0);
		assert_int_equal(cache.counts.refused, 1);
		assert_int_equal(file_bytes(), place(0));
	}
}

static void false_length_within_the_file_is_refused(void **state)
{
	const uint32_t length = 33;

	add(1, 0x100);
	assert_int_equal(pwrite(file, &length, 4,
				place(0) + (off_t)offsetof(struct table_cache_head, bytes)),
			 4);
	open_again();
	assert_int_equal(cache.counts.refused, 1); /* what follows is no entry */
	assert_int_equal(found(1), 0);
	assert_int_equal(cache.counts.refused, 2);
}

static void too_large_a_file_is_cut_at_its_limit(void **state)
{
	add(1, 0x100);
	assert_int_equal(ftruncate(file, (off_t)(TABLE_CACHE_BYTES + (1u << 20))), 0);
	open_again();
	assert_int_equal(found(1), 0x100);
	assert_int_equal(file_bytes(), place(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(every_changed_byte_of_an_entry_is_noticed),
		of_its_own(wrong_identity_is_never_answered_with_another_files_rows),
		of_its_own(swapped_rows_are_refused),
		of_its_own(entries_in_another_order_are_the_same_entries),
		of_its_own(refused_entry_is_counted_once_and_replaced),
		of_its_own(truncated_file_loses_only_its_end),
		of_its_own(entry_of_another_file_of_the_same_pin_is_refused),
		of_its_own(invalid_table_is_refused_though_its_digest_matches),
		of_its_own(false_length_ends_the_search),
		of_its_own(false_length_within_the_file_is_refused),
		of_its_own(too_large_a_file_is_cut_at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
