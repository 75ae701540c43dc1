/* SPDX-License-Identifier: Apache-2.0 */
/* test_region - seals prevent every change, and memory without the right seals is not opened */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "shared/region.h"

#define BYTES 65536u

static int reopen(int fd)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void *map_writable(int fd)
{
	return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* Tries every way in which the holder of a sealed descriptor could change the content. */
static void expect_no_way_to_write(int fd)
{
	_cleanup_(tm_closep) int again = reopen(fd);
	void *readable;

	assert_true(again >= 0);
	assert_ptr_equal(map_writable(fd), MAP_FAILED);
	assert_int_equal(errno, EPERM);
	assert_ptr_equal(map_writable(again), MAP_FAILED);
	assert_int_equal(errno, EPERM);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(pwrite(again, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, BYTES / 2), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, BYTES * 2), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_equal(errno, EPERM);
	readable = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(readable, MAP_FAILED);
	assert_int_equal(mprotect(readable, BYTES, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(madvise(readable, BYTES, MADV_REMOVE), -1);
	munmap(readable, BYTES);
}

static void owner_writes_and_nobody_else_can(void **state)
{
	struct tm_region own = TM_REGION_NULL, peer = TM_REGION_NULL;

	assert_int_equal(tm_region_create(&own, "test", BYTES), 0);
	assert_int_equal(own.bytes, BYTES);
	expect_no_way_to_write(own.fd);
	assert_int_equal(tm_region_open(&peer, fcntl(own.fd, F_DUPFD_CLOEXEC, 0), 1, BYTES), 0);
	assert_int_equal(peer.bytes, BYTES);
	memcpy(own.addr, "after the seal", 15);
	assert_string_equal(peer.addr, "after the seal");
	assert_int_equal(mprotect(peer.addr, BYTES, PROT_READ | PROT_WRITE), -1);
	tm_region_close(&peer);
	tm_region_close(&own);
}

static void memory_is_allocated_from_the_start(void **state)
{
	struct tm_region own = TM_REGION_NULL;
	struct stat st;

	assert_int_equal(tm_region_create(&own, "test", BYTES), 0);
	assert_int_equal(fstat(own.fd, &st), 0);
	assert_true((uint64_t)st.st_blocks * 512 >= BYTES);
	assert_int_equal(fcntl(own.fd, F_GETFD), FD_CLOEXEC);
	tm_region_close(&own);
	assert_int_equal(tm_region_create(&own, "test", 0), -EINVAL);
	assert_int_equal(tm_region_create(&own, "test", SIZE_MAX), -EINVAL);
	assert_null(own.addr);
}

static void reader_page_is_written_by_the_peer(void **state)
{
	struct tm_region own = TM_REGION_NULL, peer = TM_REGION_NULL;

	assert_int_equal(tm_region_create_for_peer(&own, "test", 4096), 0);
	assert_int_equal(tm_region_open_writable(&peer, fcntl(own.fd, F_DUPFD_CLOEXEC, 0), 8192),
			 -EBADMSG);
	assert_int_equal(tm_region_open_writable(&peer, fcntl(own.fd, F_DUPFD_CLOEXEC, 0), 4096),
			 0);
	memset(peer.addr, 0x5a, 4096);
	assert_int_equal(*(uint8_t *)own.addr, 0x5a);
	assert_int_equal(ftruncate(peer.fd, 0), -1);
	assert_int_equal(errno, EPERM);
	/* The peer cannot take it away by making it read-only for itself and others. */
	assert_int_equal(fcntl(peer.fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
	tm_region_close(&peer);
	assert_int_equal(*(uint8_t *)own.addr, 0x5a);
	tm_region_close(&own);
}

static void blob_is_complete_and_cannot_change(void **state)
{
	static char text[BYTES];
	struct tm_region peer = TM_REGION_NULL;
	int fd;

	memset(text, 'b', sizeof(text));
	fd = tm_region_seal_blob("test", text, sizeof(text));
	assert_true(fd >= 0);
	expect_no_way_to_write(fd);
	assert_int_equal(tm_region_open_blob(&peer, fd, BYTES - 1), -EBADMSG);
	assert_int_equal(tm_region_open_blob(&peer, fd, BYTES), 0);
	assert_int_equal(peer.bytes, BYTES);
	assert_memory_equal(peer.addr, text, BYTES);
	tm_region_close(&peer);
	assert_int_equal(tm_region_seal_blob("test", text, 0), -EINVAL);
}

static void blob_that_is_filled_in_place_cannot_change(void **state)
{
	struct tm_region own = TM_REGION_NULL, peer = TM_REGION_NULL;

	assert_int_equal(tm_region_begin_blob(&own, "test", BYTES), 0);
	assert_int_equal(tm_region_open_blob(&peer, own.fd, BYTES), -EBADMSG);
	assert_int_equal(((char *)own.addr)[BYTES - 1], 0);
	memset(own.addr, 'b', BYTES);
	assert_int_equal(tm_region_end_blob(&own), 0);
	assert_int_equal(((char *)own.addr)[BYTES - 1], 'b');
	expect_no_way_to_write(own.fd);
	assert_int_equal(tm_region_open_blob(&peer, dup(own.fd), BYTES), 0);
	assert_int_equal(((char *)peer.addr)[0], 'b');
	tm_region_close(&peer);
	tm_region_close(&own);
}

static void missing_seal_is_refused(void **state)
{
	static const int seals[] = {F_SEAL_FUTURE_WRITE, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL};
	const int all = F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct tm_region region = TM_REGION_NULL;
	size_t i;

	for (i = 0; i < sizeof(seals) / sizeof(seals[0]); i++) {
		_cleanup_(tm_closep) int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

		assert_int_equal(ftruncate(fd, BYTES), 0);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, all & ~seals[i]), 0);
		assert_int_equal(tm_region_open(&region, fd, 1, BYTES), -EBADMSG);
		if (seals[i] != F_SEAL_FUTURE_WRITE)
			assert_int_equal(tm_region_open_writable(&region, fd, BYTES), -EBADMSG);
		assert_int_equal(tm_region_open_blob(&region, fd, BYTES), -EBADMSG);
		assert_null(region.addr);
		assert_int_equal(fcntl(fd, F_GETFD),
				 FD_CLOEXEC); /* the descriptor is still the caller's */
	}
}

/* A region that is sealed against future writers still has one, so its content is not final. */
static void region_with_a_writer_is_no_blob(void **state)
{
	struct tm_region own = TM_REGION_NULL, peer = TM_REGION_NULL;

	assert_int_equal(tm_region_create(&own, "test", BYTES), 0);
	assert_int_equal(tm_region_open_blob(&peer, own.fd, BYTES), -EBADMSG);
	tm_region_close(&own);
}

static void descriptor_of_another_kind_is_refused(void **state)
{
	struct tm_region region = TM_REGION_NULL;
	int pipes[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(tm_region_open(&region, file, 1, SIZE_MAX), -EBADMSG);
	assert_int_equal(tm_region_open_blob(&region, pipes[0], SIZE_MAX), -EBADMSG);
	assert_int_equal(tm_region_open_writable(&region, -1, 1), -EBADMSG);
	tm_close(file);
	tm_close(pipes[0]);
	tm_close(pipes[1]);
}

static void size_outside_the_range_is_refused(void **state)
{
	struct tm_region own = TM_REGION_NULL, peer = TM_REGION_NULL;

	assert_int_equal(tm_region_create(&own, "test", BYTES), 0);
	assert_int_equal(tm_region_open(&peer, own.fd, BYTES + 1, 2 * BYTES), -EBADMSG);
	assert_int_equal(tm_region_open(&peer, own.fd, 1, BYTES - 1), -EBADMSG);
	tm_region_close(&own);
}

static void only_a_sealed_blob_of_a_valid_size_is_copied(void **state)
{
	static const char text[] = "rows";
	int blob = tm_region_seal_blob("test", text, sizeof(text));
	struct tm_region own = TM_REGION_NULL;
	void *copy = NULL;
	size_t bytes = 0;

	assert_int_equal(tm_region_create(&own, "test", BYTES), 0);
	assert_int_equal(tm_region_copy_blob(blob, sizeof(text), sizeof(text), &copy, &bytes), 0);
	assert_int_equal(bytes, sizeof(text));
	assert_string_equal(copy, text);
	free(copy);
	copy = NULL;
	assert_int_equal(tm_region_copy_blob(blob, 1, sizeof(text) - 1, &copy, &bytes), -EBADMSG);
	assert_int_equal(tm_region_copy_blob(blob, sizeof(text) + 1, BYTES, &copy, &bytes),
			 -EBADMSG);
	assert_int_equal(tm_region_copy_blob(own.fd, 1, BYTES, &copy, &bytes), -EBADMSG);
	assert_int_equal(tm_region_copy_blob(-1, 1, BYTES, &copy, &bytes), -EBADMSG);
	assert_null(copy);
	tm_region_close(&own);
	(void)tm_close(blob);
}

static void closing_an_empty_region_does_nothing(void **state)
{
	struct tm_region region = TM_REGION_NULL;

	tm_region_close(&region);
	assert_int_equal(tm_region_create(&region, "test", BYTES), 0);
	tm_region_close(&region);
	assert_int_equal(region.fd, -1);
	assert_null(region.addr);
	tm_region_close(&region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owner_writes_and_nobody_else_can),
		cmocka_unit_test(memory_is_allocated_from_the_start),
		cmocka_unit_test(reader_page_is_written_by_the_peer),
		cmocka_unit_test(blob_is_complete_and_cannot_change),
		cmocka_unit_test(blob_that_is_filled_in_place_cannot_change),
		cmocka_unit_test(missing_seal_is_refused),
		cmocka_unit_test(region_with_a_writer_is_no_blob),
		cmocka_unit_test(descriptor_of_another_kind_is_refused),
		cmocka_unit_test(size_outside_the_range_is_refused),
		cmocka_unit_test(only_a_sealed_blob_of_a_valid_size_is_copied),
		cmocka_unit_test(closing_an_empty_region_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
