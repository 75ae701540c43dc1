/* SPDX-License-Identifier: Apache-2.0 */
/* test_reclaim_numbers - a file number is reused only when no record can refer to its file any more
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/clock.h"
#include "tests/unit/collector/fake_maps.h"

/* BPF announces the file of that number. @received: the announcement was not lost. */
static void announce(uint32_t number, uint64_t ktime, bool received)
{
	const struct tm_file file = {.event = {.type = TM_EVENT_FILE, .ktime = ktime},
				     .number = number};

	world->files_made += !world->number_there[number];
	world->number_there[number] = true;
	if (received)
		reclaim_note(&world->reclaim, &file.event);
}

/* Return: the RETIRE that is in the ring, or NULL. */
static const struct tm_retire *popped(void)
{
	uint64_t w;
	uint32_t bytes = 0;
	int r;

	tm_ring_publish(&world->writer, 1);
	assert_int_equal(tm_ring_reader_begin(&world->reader, &w), 0);
	r = tm_ring_pop(&world->reader, world->popped, sizeof(world->popped), &bytes);
	tm_ring_reader_commit(&world->reader);
	tm_ring_writer_refresh(&world->writer);
	if (r != 0)
		return NULL;
	assert_int_equal(bytes, sizeof(struct tm_retire));
	return (const void *)world->popped;
}

static void number_is_free_once_w_has_passed_its_retire_record(void **state)
{
	uint64_t from = tm_clock_ns() + 10 * EPOCH, f;
	const struct tm_retire *retired;

	announce(3, from, true);
	advance(from + 2 * EPOCH);
	assert_false(world->retired[3]);
	f = tm_clock_ns();
	advance(from + 2 * EPOCH + 1); /* later than now, so both steps are due */
	assert_true(world->retired[3]);
	assert_false(world->number_there[3]);
	retired = popped();
	assert_non_null(retired);
	assert_int_equal(retired->number, 3);
	assert_in_range(retired->event.ktime, f + WATERMARK_GUARD_US * 1000, f + EPOCH);
	assert_null(popped());
	assert_int_equal(reclaim_entries(&world->reclaim.numbers), 0);
	announce(3, from, true);
	assert_int_equal(world->reclaim.numbers_known, 1);
}

static void number_keeps_its_entry_until_w_has_passed_its_retirement(void **state)
{
	uint64_t from = tm_clock_ns() - 3 * EPOCH, w;

	announce(3, from, true);
	w = tm_clock_ns();
	advance(w); /* older than F, which is taken now */
	assert_true(world->retired[3]);
	assert_true(world->number_there[3]);
	assert_null(popped());
	announce(3, w, true); /* by a sample that had begun before */
	advance(w + EPOCH);
	assert_false(world->number_there[3]);
	assert_non_null(popped());
}

static void number_that_is_announced_again_is_kept(void **state)
{
	for (unsigned i = 1; i < 10; i++) {
		announce(3, i * EPOCH, true);
		advance(i * EPOCH + 1);
	}
	assert_false(world->retired[3]);
	advance(11 * EPOCH - 1);
	assert_false(world->retired[3]);
	advance(11 * EPOCH + 1 * MS + 1);
	assert_true(world->retired[3]);
}

static void nearly_full_map_frees_numbers_after_little_more_than_an_epoch(void **state)
{
	world->files_made = RECLAIM_NUMBERS_HIGH;
	announce(3, EPOCH, true);
	announce(4, EPOCH + 50 * MS, true);
	advance(2 * EPOCH + 1000 * MS + 1);
	assert_true(world->retired[3]);
	assert_false(world->retired[4]);
}

static void number_whose_announcements_were_lost_is_found_and_freed(void **state)
{
	uint64_t from = tm_clock_ns() + 10 * EPOCH;

	announce(5, from, false);
	advance(from);
	assert_int_equal(world->reclaim.numbers_known, 1);
	advance(from + 2 * EPOCH + 1 * MS);
	assert_false(world->number_there[5]);
}

static void number_whose_file_is_pending_is_freed_later(void **state)
{
	uint64_t from = tm_clock_ns() + 10 * EPOCH;

	announce(3, from, true);
	world->files.entries[3].state = FILE_REQUESTS_QUEUED;
	advance(from + 2 * EPOCH + 1);
	assert_true(world->number_there[3]);
	world->files.entries[3].state = FILE_REQUESTS_SENT;
	advance(from + 2 * EPOCH + 1 + (RECLAIM_RETRY_MS + 1) * MS);
	assert_false(world->number_there[3]);
	assert_int_equal(world->files.entries[3].state, FILE_REQUESTS_UNSEEN);
}

static void full_ring_only_delays_the_retirement(void **state)
{
	static const struct tm_exit exit_record = {.event = {.bytes = sizeof(exit_record)}};
	uint64_t from = tm_clock_ns() + 10 * EPOCH, w = from + 2 * EPOCH + 1;
	uint64_t watermark;
	uint32_t bytes;

	announce(3, from, true);
	while (tm_ring_push(&world->writer, &exit_record, sizeof(exit_record), 1) == 0)
		continue;
	advance(w);
	assert_true(world->number_there[3]);
	tm_ring_publish(&world->writer, 1);
	assert_int_equal(tm_ring_reader_begin(&world->reader, &watermark), 0);
	while (tm_ring_pop(&world->reader, world->popped, sizeof(world->popped), &bytes) == 0)
		continue;
	tm_ring_reader_commit(&world->reader);
	tm_ring_writer_refresh(&world->writer);
	advance(w + EPOCH);
	assert_false(world->number_there[3]);
	assert_int_equal(popped()->number, 3);
}

static void number_that_bpf_does_not_retire_is_kept(void **state)
{
	uint64_t from = tm_clock_ns() + 10 * EPOCH;

	world->retire_fails = -EPERM;
	announce(3, from, true);
	advance(from + 2 * EPOCH + 1);
	assert_true(world->number_there[3]);
	assert_null(popped());
	world->retire_fails = 0;
	advance(from + 4 * EPOCH);
	assert_false(world->number_there[3]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(number_is_free_once_w_has_passed_its_retire_record),
		CASE(number_keeps_its_entry_until_w_has_passed_its_retirement),
		CASE(number_that_is_announced_again_is_kept),
		CASE(nearly_full_map_frees_numbers_after_little_more_than_an_epoch),
		CASE(number_whose_announcements_were_lost_is_found_and_freed),
		CASE(number_whose_file_is_pending_is_freed_later),
		CASE(full_ring_only_delays_the_retirement),
		CASE(number_that_bpf_does_not_retire_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
