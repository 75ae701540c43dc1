/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_cache_shrink - the cache file is read while it is shrunk: each moment of it in turn
 *
 * The linker puts a function of this test before each read, write and move (--wrap), which does
 * there what the other thread does in the program.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/symbolizer/table_cache_fixture.h"

int __real_table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int __wrap_table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int __real_table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
int __wrap_table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
int __real_table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count);
int __wrap_table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count);

#define USED_FROM 2001u /* these entries are used, and move when the file is shrunk */
#define ADDED     5000u

static void (*before_read)(void);
static void (*before_move)(uint32_t moved);
static unsigned moves;

static void lock_is_free(void)
{
	assert_int_equal(pthread_mutex_trylock(&cache.lock), 0);
	(void)pthread_mutex_unlock(&cache.lock);
}

int __wrap_table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at)
{
	void (*hook)(void) = before_read;

	lock_is_free();
	before_read = NULL;
	if (hook)
		hook();
	return __real_table_cache_file_read(fd, ret_bytes, count, at);
}

int __wrap_table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at)
{
	lock_is_free();
	assert_true(table_cache_write_is_pending(&cache));
	return __real_table_cache_file_write(fd, bytes, count, at);
}

int __wrap_table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count)
{
	lock_is_free();
	moves++;
	if (before_move)
		before_move(
			(uint32_t)((from - (uint64_t)place(0)) / (uint64_t)(place(1) - place(0))) +
			1);
	return __real_table_cache_file_move(fd, from, to, count);
}

/* As many entries as the file holds: number I is at place I - 1, and its table begins at I. */
static int begin_full(void **state)
{
	before_read = NULL;
	before_move = NULL;
	moves = 0;
	(void)begin(state);
	for (uint32_t i = 1; i <= TABLE_CACHE_ENTRIES; i++)
		add(i, i);
	open_again();
	for (uint32_t i = USED_FROM; i <= TABLE_CACHE_ENTRIES; i++)
		assert_int_equal(found(i), i);
	write_all();
	assert_int_equal(cache.counts.refused, 0);
	return 0;
}

static void shrink_file(void)
{
	add(ADDED, ADDED);
	assert_true(moves > 0);
}

static void all_are_as_they_were(void)
{
	assert_int_equal(cache.counts.refused, 0);
	for (uint32_t i = USED_FROM; i <= TABLE_CACHE_ENTRIES; i++)
		assert_int_equal(found(i), i);
	assert_int_equal(found(ADDED), ADDED);
	open_again();
	for (uint32_t i = USED_FROM; i <= TABLE_CACHE_ENTRIES; i++)
		assert_int_equal(found(i), i);
	assert_int_equal(cache.counts.refused, 0);
}

static void entry_that_moved_while_it_was_read_is_read_again(void **state)
{
	for (uint32_t i = USED_FROM; i <= TABLE_CACHE_ENTRIES; i += 1000) {
		(void)end(state);
		(void)begin_full(state);
		before_read = shrink_file;
		assert_int_equal(found(i), i);
		assert_true(moves > 0);
		all_are_as_they_were();
	}
}

static void entry_that_was_dropped_while_it_was_read_is_not_refused(void **state)
{
	/* The last one's place is behind the end of the shrunk file. */
	open_again();
	for (uint32_t i = 1; i < TABLE_CACHE_ENTRIES; i++)
		assert_int_equal(found(i), i);
	before_read = shrink_file;
	cache.entries[TABLE_CACHE_ENTRIES - 1].used = 0;
	assert_int_equal(found(TABLE_CACHE_ENTRIES), 0);
	assert_int_equal(cache.counts.refused, 0);
}

static void look_around(uint32_t moved)
{
	assert_int_equal(found(moved), 0);
	queue(moved, 1); /* is there already */
	if (moved > USED_FROM)
		assert_int_equal(found(moved - 1), moved - 1);
	if (moved < TABLE_CACHE_ENTRIES)
		assert_int_equal(found(moved + 1), moved + 1);
}

static void entry_that_is_being_moved_is_neither_found_nor_refused_nor_queued(void **state)
{
	before_move = look_around;
	shrink_file();
	assert_true(moves >= TABLE_CACHE_ENTRIES - USED_FROM);
	assert_int_equal(cache.count, TABLE_CACHE_KEPT_ENTRIES + 1);
	all_are_as_they_were();
}

static void refused_entry_goes_first(void **state)
{
	flip(place(TABLE_CACHE_ENTRIES) - 1);
	assert_int_equal(found(TABLE_CACHE_ENTRIES), 0);
	assert_int_equal(cache.counts.refused, 1);
	cache.marks = 0; /* its mark is late */
	shrink_file();
	assert_int_equal(cache.marks, 0);
	for (uint32_t i = 0; i < cache.count; i++)
		assert_true(cache.entries[i].key.identity.ino != TABLE_CACHE_ENTRIES);
}

#define of_a_full_file(test) cmocka_unit_test_setup_teardown(test, begin_full, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_a_full_file(entry_that_moved_while_it_was_read_is_read_again),
		of_a_full_file(entry_that_was_dropped_while_it_was_read_is_not_refused),
		of_a_full_file(entry_that_is_being_moved_is_neither_found_nor_refused_nor_queued),
		of_a_full_file(refused_entry_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
