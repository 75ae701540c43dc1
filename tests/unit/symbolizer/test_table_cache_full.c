/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_cache_full - a disk that is full for a while costs the tables of that time alone
 *
 * The linker puts a function of this test before each write and move (--wrap), which has space for
 * so many bytes.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "tests/unit/symbolizer/table_cache_fixture.h"

int __real_table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
int __wrap_table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
int __real_table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count);
int __wrap_table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count);

#define ENTRY_BYTES (sizeof(struct table_cache_head) + sizeof(struct table))

static size_t space = SIZE_MAX; /* bytes that can still be written */
static int error;               /* when there are none */
static int killed = -1;         /* a copy of the file as it was then */

static void copy_file(void)
{
	off_t from = 0;

	killed = memfd_create("killed", MFD_CLOEXEC);
	assert_int_equal(sendfile(killed, file, &from, (size_t)file_bytes()), file_bytes());
}

int __wrap_table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at)
{
	const size_t part = count < space ? count : space;
	int r = __real_table_cache_file_write(fd, bytes, part, at);

	space -= part;
	if (r < 0 || part == count)
		return r;
	copy_file();
	return error;
}

int __wrap_table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count)
{
	return space ? __real_table_cache_file_move(fd, from, to, count) : error;
}

/* Two tables, and the disk has @bytes left. */
static void fill_disk(size_t bytes, int how)
{
	space = SIZE_MAX;
	assert_int_equal(ftruncate(file, 0), 0);
	open_again();
	add(1, 0x100);
	add(2, 0x200);
	(void)table_cache_take_counts(&cache);
	space = bytes;
	error = how;
}

static void free_disk(void)
{
	space = SIZE_MAX;
	killed = killed < 0 ? -1 : (close(killed), -1);
}

static int end_full(void **state)
{
	free_disk();
	return end(state);
}

static void table_that_did_not_fit_is_written_after_a_pause(void **state)
{
	for (size_t bytes = 0; bytes < ENTRY_BYTES; bytes += 13) {
		fill_disk(bytes, bytes % 2 ? -ENOSPC : -EDQUOT);
		add(3, 0x300);
		assert_int_equal(file_bytes(), place(2));
		assert_int_equal(found(1), 0x100);
		assert_int_equal(found(3), 0);
		free_disk();
		add(4, 0x400); /* waits with it */
		assert_int_equal(file_bytes(), place(2));
		assert_int_equal(table_cache_take_counts(&cache).unwritten, 1);
		cache.pause_end_ms = 0; /* as if the time were over */
		write_all();
		assert_int_equal(table_cache_take_counts(&cache).unwritten, 0);
		open_again();
		for (uint32_t i = 1; i <= 4; i++)
			assert_int_equal(found(i), i * 0x100);
		assert_int_equal(cache.counts.refused, 0);
	}
}

static void death_on_a_full_disk_costs_only_the_table_that_did_not_fit(void **state)
{
	for (size_t bytes = 0; bytes < ENTRY_BYTES; bytes += 13) {
		fill_disk(bytes, -ENOSPC);
		add(3, 0x300);
		assert_int_equal(dup2(killed, file), file);
		free_disk();
		cache.pause_end_ms = UINT64_MAX; /* nothing more comes of the one that died */
		open_again();
		assert_int_equal(found(1), 0x100);
		assert_int_equal(found(2), 0x200);
		assert_int_equal(found(3), 0);
		add(3, 0x400);
		open_again();
		assert_int_equal(found(2), 0x200);
		assert_int_equal(found(3), 0x400);
	}
}

static void what_a_full_disk_does_not_take_of_marks_and_beginnings_comes_later(void **state)
{
	fill_disk(0, -ENOSPC);
	cache.session++;
	assert_int_equal(found(1), 0x100); /* is marked as used */
	write_all();
	assert_true(cache.pause_end_ms > 0);
	free_disk();
	cache.pause_end_ms = 0;
	add(3, 0x300);
	assert_int_equal(found(3), 0x300);
	table_cache_close(&cache);
	cache = TABLE_CACHE_NULL;
	assert_int_equal(ftruncate(file, 0), 0);
	table_cache_open(&cache, dup(file), pin);
	space = 1;
	write_all();
	assert_int_equal(cache.start, TABLE_CACHE_ANEW);
	free_disk();
	cache.pause_end_ms = 0;
	add(1, 0x100);
	open_again();
	assert_int_equal(found(1), 0x100);
}

static void disk_that_fails_otherwise_is_left_alone(void **state)
{
	fill_disk(50, -EIO);
	add(3, 0x300);
	free_disk();
	assert_true(cache.failed);
	assert_int_equal(cache.queued, 0);
	assert_int_equal(found(1), 0);
	assert_int_equal(cache.counts.unwritten, 1);
	assert_int_equal(file_bytes(), place(2));
}

static void cache_that_did_not_shrink_to_its_end_is_left_alone(void **state)
{
	for (uint32_t i = 1; i <= TABLE_CACHE_ENTRIES; i++)
		add(i, i);
	open_again();
	for (uint32_t i = 2000; i <= TABLE_CACHE_ENTRIES; i++)
		assert_int_equal(found(i), i);
	write_all();
	space = 0;
	error = -ENOSPC;
	add(5000, 5000);
	free_disk();
	assert_true(cache.failed);
	cache.pause_end_ms = 0;
	add(5001, 5001);
	assert_int_equal(found(5001), 0);
	assert_int_equal(cache.counts.unwritten, 1);
}

#define of_a_full_disk(test) cmocka_unit_test_setup_teardown(test, begin, end_full)

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_a_full_disk(table_that_did_not_fit_is_written_after_a_pause),
		of_a_full_disk(death_on_a_full_disk_costs_only_the_table_that_did_not_fit),
		of_a_full_disk(what_a_full_disk_does_not_take_of_marks_and_beginnings_comes_later),
		of_a_full_disk(disk_that_fails_otherwise_is_left_alone),
		of_a_full_disk(cache_that_did_not_shrink_to_its_end_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
