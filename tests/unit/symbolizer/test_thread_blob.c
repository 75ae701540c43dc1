/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_thread_blob - an answer about all threads is read as far as its bytes check
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/region.h"
#include "symbolizer/profile/thread_blob.h"
#include "tests/unit/symbolizer/make.h"

#define NOW 1000

static struct budget budget;
static union make_record record;
static uint8_t bytes[64 << 10];
static size_t used;

static int begin(void **state)
{
	budget = (struct budget){.limit = 1 << 20};
	used = 0;
	return 0;
}

static void add(void)
{
	memcpy(bytes + used, &record, record.event.bytes);
	used += record.event.bytes;
}

static void add_thread(uint32_t tid)
{
	const uint64_t words[] = {KERNEL_WORD(0, 0x100), KERNEL_WORD(0, 0x200)};

	make_thread(&record, NOW - 1, tid, "worker", TM_THREAD_IO_WAIT, NOW - 100, words, 2);
}

static int open_bytes(struct thread_blob *blob)
{
	int fd = tm_region_seal_blob("threads", bytes, used);
	int r = thread_blob_open(blob, fd, NOW, &budget);

	assert_true(fd >= 0);
	(void)close(fd);
	return r;
}

/* Return: how many records it has; closes it. */
static unsigned count(uint64_t bad)
{
	struct thread_blob blob;
	unsigned records = 0;

	assert_int_equal(open_bytes(&blob), 0);
	while (thread_blob_next(&blob))
		records++;
	assert_int_equal(blob.bad, bad);
	thread_blob_close(&blob);
	assert_int_equal(budget.used, 0);
	return records;
}

static void every_record_is_handed_out_in_order(void **state)
{
	struct thread_blob blob;

	for (uint32_t tid = 1; tid <= 9; tid++) {
		add_thread(tid);
		add();
	}
	assert_int_equal(open_bytes(&blob), 0);
	assert_false(thread_blob_is_full(&blob));
	for (uint32_t tid = 1; tid <= 9; tid++) {
		const struct tm_thread *thread = thread_blob_next(&blob);

		assert_non_null(thread);
		assert_int_equal(thread->event.tid, tid);
		assert_int_equal(thread->frames[1], KERNEL_WORD(0, 0x200));
	}
	assert_null(thread_blob_next(&blob));
	assert_int_equal(budget.used, used);
	thread_blob_close(&blob);
	thread_blob_close(&blob);
	assert_int_equal(budget.used, 0);
}

static void record_that_fails_its_check_is_skipped_and_counted(void **state)
{
	for (uint32_t tid = 0; tid < 6; tid++) {
		add_thread(tid);
		if (tid == 1)
			record.event.type = TM_EVENT_SAMPLE;
		if (tid == 2)
			record.thread.state = TM_THREAD_STATES_N + 1;
		if (tid == 3)
			record.thread.frames[0] = FILE_WORD(1, 1);
		if (tid == 4)
			record.thread.since = record.event.ktime + 1;
		add();
	}
	assert_int_equal(count(4), 2);
}

static void record_from_the_future_is_refused(void **state)
{
	add_thread(1);
	record.event.ktime = NOW + 1;
	add();
	add_thread(2);
	record.event.ktime = NOW;
	add();
	assert_int_equal(count(1), 1);
}

static void impossible_length_ends_the_reading(void **state)
{
	static const uint32_t lengths[] = {0, 7, 39, UINT32_MAX, UINT32_MAX - 7, 1 << 20};

	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t second;

		used = 0;
		add_thread(1);
		add();
		second = used;
		add();
		add();
		memcpy(bytes + second, &lengths[i], sizeof(lengths[i]));
		assert_int_equal(count(1), 1);
	}
}

static void length_that_reaches_into_the_next_record_is_refused(void **state)
{
	add_thread(1);
	add();
	add();
	((struct tm_event *)(void *)bytes)->bytes += 16;
	assert_int_equal(count(2), 0);
}

static void bytes_behind_the_last_record_are_counted(void **state)
{
	add_thread(1);
	add();
	used += 8;
	assert_int_equal(count(1), 1);
}

static void unsealed_empty_and_absent_blobs_are_missing(void **state)
{
	struct thread_blob blob;
	int fd = memfd_create("threads", MFD_CLOEXEC);
	int ends[2];

	assert_true(fd >= 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(thread_blob_open(&blob, fd, NOW, &budget), THREAD_BLOB_E_MISSING);
	add_thread(1);
	add();
	assert_int_equal(write(fd, bytes, used), used);
	assert_int_equal(thread_blob_open(&blob, fd, NOW, &budget), THREAD_BLOB_E_MISSING);
	assert_int_equal(thread_blob_open(&blob, ends[0], NOW, &budget), THREAD_BLOB_E_MISSING);
	assert_int_equal(thread_blob_open(&blob, -1, NOW, &budget), THREAD_BLOB_E_MISSING);
	assert_int_equal(ftruncate(fd, TM_THREADS_MAX_BYTES + 8), 0);
	assert_int_equal(thread_blob_open(&blob, fd, NOW, &budget), THREAD_BLOB_E_MISSING);
	assert_int_equal(budget.used, 0);
	(void)close(fd);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void blob_beyond_the_budget_is_missing(void **state)
{
	struct thread_blob blob;

	add_thread(1);
	add();
	budget.limit = used - 1;
	assert_int_equal(open_bytes(&blob), THREAD_BLOB_E_MISSING);
	assert_int_equal(budget.used, 0);
}

#define each(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(every_record_is_handed_out_in_order),
		each(record_that_fails_its_check_is_skipped_and_counted),
		each(record_from_the_future_is_refused),
		each(impossible_length_ends_the_reading),
		each(length_that_reaches_into_the_next_record_is_refused),
		each(bytes_behind_the_last_record_are_counted),
		each(unsealed_empty_and_absent_blobs_are_missing),
		each(blob_beyond_the_budget_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
