/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_cache_thread - a disk that hangs holds up the cache's thread and nobody else
 *
 * The linker puts functions of this test before each read (--wrap), which waits there as a disk
 * would, and before each sleep.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <sched.h>

#include "symbolizer/unwind/table_cache_requests.h"
#include "symbolizer/unwind/table_cache_thread.h"
#include "tests/unit/symbolizer/table_cache_fixture.h"

int __real_table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int __wrap_table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);

int __real_pthread_cond_wait(pthread_cond_t *wake, pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *wake, pthread_mutex_t *lock);

static struct table_cache_thread thread;
static bool sleeps;             /* the thread; under the lock */
static int begun[2], resume[2]; /* pipes: a reading began, may go on */
static bool hangs;              /* changed while the thread sleeps */

int __wrap_table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at)
{
	char byte = 0;

	if (hangs) {
		assert_int_equal(write(begun[1], &byte, 1), 1);
		assert_int_equal(read(resume[0], &byte, 1), 1);
	}
	return __real_table_cache_file_read(fd, ret_bytes, count, at);
}

int __wrap_pthread_cond_wait(pthread_cond_t *wake, pthread_mutex_t *lock)
{
	int r;

	sleeps = true;
	r = __real_pthread_cond_wait(wake, lock);
	sleeps = false;
	return r;
}

/* With @pause_end_ms from then on. */
static void await_sleep(uint64_t pause_end_ms)
{
	bool asleep = false;

	while (!asleep) {
		(void)sched_yield();
		(void)pthread_mutex_lock(&cache.lock);
		asleep = sleeps;
		if (asleep)
			cache.pause_end_ms = pause_end_ms;
		(void)pthread_mutex_unlock(&cache.lock);
	}
}

static void await_reading(void)
{
	char byte;

	assert_int_equal(read(begun[0], &byte, 1), 1);
}

static void let_read(void)
{
	assert_int_equal(write(resume[1], "", 1), 1);
}

/* Until the thread says that it has done something. */
static void await_message(void)
{
	struct pollfd ready = {.fd = thread.ready[0], .events = POLLIN};

	assert_int_equal(poll(&ready, 1, -1), 1);
	table_cache_thread_round(&thread);
}

/* A cache with one table, which is not open yet, and its thread. */
static int begin_thread(void **state)
{
	hangs = false;
	(void)begin(state);
	add(1, 0x100);
	table_cache_close(&cache);
	cache = TABLE_CACHE_NULL;
	assert_int_equal(pipe2(begun, O_CLOEXEC), 0);
	assert_int_equal(pipe2(resume, O_CLOEXEC), 0);
	assert_int_equal(table_cache_thread_start(&thread, &cache), 0);
	return 0;
}

static int end_thread(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		(void)close(begun[i]);
		(void)close(resume[i]);
	}
	return end(state);
}

static uint32_t ask(uint64_t ino)
{
	const struct table_cache_key key = key_of(ino);
	uint32_t request;

	assert_int_equal(table_cache_ask(&cache, &key, &request), 0);
	return request;
}

/* Return: whether there is a table. */
static bool await_answer(uint32_t request)
{
	int fd;

	while (table_cache_answer(&cache, request, &fd) == TABLE_CACHE_E_LATER) {
		await_message();
		cache.requests[request].end_ms = UINT64_MAX; /* a slow machine is not too late */
	}
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static void thread_reads_what_is_asked_for_and_writes_what_is_added(void **state)
{
	table_cache_open(&cache, dup(file), pin);
	assert_true(await_answer(ask(1)));
	queue(2, 0x200);
	while (table_cache_write_is_pending(&cache))
		await_message();
	assert_true(await_answer(ask(2)));
	assert_true(table_cache_thread_stop(&thread));
	assert_int_equal(cache.counts.late, 0);
}

static void while_the_disk_hangs_nothing_else_does(void **state)
{
	const struct table_cache_key key = key_of(1);
	uint32_t first, second;
	int fd;

	hangs = true;
	table_cache_open(&cache, dup(file), pin);
	await_reading(); /* of the header */
	first = ask(1);
	second = ask(1);
	queue(2, 0x200);
	assert_true(table_cache_write_is_pending(&cache));
	assert_int_equal(table_cache_answer(&cache, first, &fd), TABLE_CACHE_E_LATER);
	(void)pthread_mutex_lock(&cache.lock);
	cache.requests[first].end_ms = 0; /* as if the time were over */
	cache.requests[second].end_ms = UINT64_MAX;
	(void)pthread_mutex_unlock(&cache.lock);
	assert_int_equal(table_cache_answer(&cache, first, &fd), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(table_cache_ask(&cache, &key, &first), TABLE_CACHE_E_NONE);
	let_read();
	await_reading(); /* of the first head */
	let_read();
	await_reading(); /* of the table */
	let_read();
	assert_true(await_answer(second));
	hangs = false;
	while (table_cache_write_is_pending(&cache))
		await_message();
	assert_true(await_answer(ask(2)));
	assert_true(table_cache_thread_stop(&thread));
	assert_int_equal(cache.counts.late, 1);
}

static void what_waits_for_a_full_disk_is_written_when_the_next_report_counts(void **state)
{
	table_cache_open(&cache, dup(file), pin);
	assert_true(await_answer(ask(1)));
	await_sleep(UINT64_MAX);
	queue(2, 0x200);
	assert_true(await_answer(ask(1)));
	await_sleep(0); /* it has seen both, and writes nothing by itself */
	assert_int_equal(cache.queued, 1);
	(void)table_cache_take_counts(&cache);
	while (table_cache_write_is_pending(&cache))
		await_message();
	assert_true(await_answer(ask(2)));
	assert_true(table_cache_thread_stop(&thread));
}

static void answer_that_comes_after_all_is_closed(void **state)
{
	uint32_t request;
	int fd;

	hangs = true;
	table_cache_open(&cache, dup(file), pin);
	request = ask(1);
	for (unsigned i = 0; i < 2; i++) { /* header and head */
		await_reading();
		let_read();
	}
	await_reading();
	(void)pthread_mutex_lock(&cache.lock);
	assert_int_equal(cache.requests[request].state, TABLE_CACHE_REQUEST_READING);
	cache.requests[request].end_ms = 0;
	(void)pthread_mutex_unlock(&cache.lock);
	assert_int_equal(table_cache_answer(&cache, request, &fd), 0);
	assert_int_equal(fd, -1);
	let_read();
	assert_true(table_cache_thread_stop(&thread));
	assert_int_equal(cache.requests[request].state, TABLE_CACHE_REQUEST_FREE);
	assert_int_equal(cache.requests[request].fd, -1);
}

static void hanging_disk_does_not_hold_up_the_end(void **state)
{
	hangs = true;
	table_cache_open(&cache, dup(file), pin);
	await_reading();
	assert_false(table_cache_thread_stop(&thread));
	hangs = false;
	let_read();
	assert_true(table_cache_thread_stop(&thread));
}

#define with_thread(test) cmocka_unit_test_setup_teardown(test, begin_thread, end_thread)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_thread(thread_reads_what_is_asked_for_and_writes_what_is_added),
		with_thread(while_the_disk_hangs_nothing_else_does),
		with_thread(what_waits_for_a_full_disk_is_written_when_the_next_report_counts),
		with_thread(answer_that_comes_after_all_is_closed),
		with_thread(hanging_disk_does_not_hold_up_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
