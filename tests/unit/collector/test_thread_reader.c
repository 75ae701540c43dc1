/* SPDX-License-Identifier: Apache-2.0 */
/* test_thread_reader - what the iterator says of threads is checked, rebased and sealed */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/thread_reader.h"
#include "shared/cleanup.h"
#include "shared/wire.h"

#define FRAMES 2

struct record {
	uint64_t words[sizeof(struct tm_thread) / sizeof(uint64_t) + FRAMES];
};

static struct tm_thread *thread_of(struct record *record)
{
	return (struct tm_thread *)record->words;
}

static struct record record_of(uint32_t tid)
{
	struct record record = {0};

	*thread_of(&record) = (struct tm_thread){
		.event = {.bytes = sizeof(record),
			  .type = TM_EVENT_THREAD,
			  .ktime = 900,
			  .tgid = 7,
			  .tid = tid},
		.seen = 100,
		.since = 800,
		.state = TM_THREAD_INTERRUPTIBLE,
		.kernel_frames = FRAMES,
	};
	thread_of(&record)->frames[0] = 0xffffffff81000010;
	thread_of(&record)->frames[1] = 0xffffffff81000020;
	return record;
}

static int file_of(const void *bytes, size_t count)
{
	int fd = memfd_create("iterator", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Return: the sealed descriptor, -errno. */
static int read_all(const void *bytes, size_t count)
{
	static struct kallsyms symbols = KALLSYMS_NULL;
	struct thread_reader reader = THREAD_READER_NULL;
	int r, fd;

	thread_reader_begin(&reader, file_of(bytes, count));
	do {
		r = thread_reader_advance(&reader);
	} while (r == 0);
	assert_int_equal(r, THREAD_READER_E_END);
	fd = thread_reader_seal(&reader, &symbols);
	thread_reader_deinit(&reader);
	return fd;
}

static void records_are_rebased_and_sealed(void **state)
{
	struct record records[] = {record_of(1), record_of(2)}, found[3];
	_cleanup_(tm_closep) int fd = read_all(records, sizeof(records));

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, found, sizeof(found), 0), sizeof(records));
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(thread_of(&found[i])->event.tid, i + 1);
		for (unsigned frame = 0; frame < FRAMES; frame++)
			assert_int_equal(thread_of(&found[i])->frames[frame] >> TM_FRAME_KIND_SHIFT,
					 TM_FRAME_KERNEL);
		assert_false(thread_of(&found[i])->frames[0] & TM_FRAME_RETURN);
		assert_true(thread_of(&found[i])->frames[1] & TM_FRAME_RETURN);
	}
	assert_true(pwrite(fd, found, 8, 0) < 0);
	assert_int_equal(errno, EPERM);
}

static void a_record_that_does_not_check_is_left_out(void **state)
{
	struct record records[] = {record_of(1), record_of(2), record_of(3)}, found[3];
	_cleanup_(tm_closep) int fd = -1;

	thread_of(&records[0])->state = TM_THREAD_STATES_N + 1;
	thread_of(&records[1])->event.type = TM_EVENT_EXIT;
	fd = read_all(records, sizeof(records));
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, found, sizeof(found), 0), sizeof(found[0]));
	assert_int_equal(thread_of(&found[0])->event.tid, 3);
}

static void reading_ends_at_a_length_that_leads_nowhere(void **state)
{
	const uint32_t lengths[] = {0, 8, sizeof(struct record) + 4, UINT32_MAX - 7,
				    3 * sizeof(struct record)};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct record records[] = {record_of(1), record_of(2)}, found[2];
		_cleanup_(tm_closep) int fd = -1;

		thread_of(&records[1])->event.bytes = lengths[i];
		fd = read_all(records, sizeof(records));
		assert_true(fd >= 0);
		assert_int_equal(pread(fd, found, sizeof(found), 0), sizeof(found[0]));
	}
}

static void nothing_is_no_blob(void **state)
{
	struct thread_reader reader = THREAD_READER_NULL;

	assert_int_equal(read_all("", 0), -ENODATA);
	assert_int_equal(read_all("abc", 3), -ENODATA);
	thread_reader_begin(&reader, -EPERM);
	assert_int_equal(thread_reader_advance(&reader), -EBADF);
	thread_reader_deinit(&reader);
}

static void what_is_beyond_the_limit_is_left_out(void **state)
{
	size_t count = TM_THREADS_MAX_BYTES / sizeof(struct record) + 100;
	_cleanup_(tm_freep) struct record *records = calloc(count, sizeof(*records));
	_cleanup_(tm_closep) int fd = -1;
	off_t bytes;

	assert_non_null(records);
	for (size_t i = 0; i < count; i++)
		records[i] = record_of((uint32_t)i + 1);
	fd = read_all(records, count * sizeof(*records));
	assert_true(fd >= 0);
	bytes = lseek(fd, 0, SEEK_END);
	assert_int_equal(bytes, TM_THREADS_MAX_BYTES / sizeof(*records) * sizeof(*records));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_rebased_and_sealed),
		cmocka_unit_test(a_record_that_does_not_check_is_left_out),
		cmocka_unit_test(reading_ends_at_a_length_that_leads_nowhere),
		cmocka_unit_test(nothing_is_no_blob),
		cmocka_unit_test(what_is_beyond_the_limit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
