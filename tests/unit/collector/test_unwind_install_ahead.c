/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_install_ahead - tables of files that may be sampled take no other table's place */

#include "tests/unit/collector/unwind_install_fixture.h"

#define DISK (8u << 20)

static const struct tm_install_counts *counts(const struct world *world)
{
	return &world->tables.counts;
}

static void table_ahead_is_installed_and_its_file_is_still_to_be_announced(void **state)
{
	struct world *world = *state;

	assert_int_equal(send_ahead(world, DISK, 5, 2, false), 0);
	assert_int_not_equal(world->references[5], 0);
	assert_int_equal(counts(world)->ahead, 1);
	assert_int_equal(counts(world)->installed, 0);
	assert_int_equal(world->files.entries[5].state, FILE_REQUESTS_AHEAD);
	assert_int_equal(world->files.highest, 5);
	answer(world, 5, 1); /* nobody has asked for it */
	assert_int_equal(counts(world)->refused, 1);
	hand_over(world, 5, 0);
	answer(world, 5, 3);
	assert_int_equal(counts(world)->installed, 1);
	assert_int_equal(TM_UNWIND_MAP_PAGES(world->references[5]), 3);
}

static void device_of_major_number_0_is_refused(void **state)
{
	struct world *world = *state;

	assert_int_equal(send_ahead(world, (1u << 20) - 1, 5, 2, false), -EBADMSG);
	assert_int_equal(world->references[5], 0);
	assert_int_equal(world->files.entries[5].state, FILE_REQUESTS_UNSEEN);
	assert_int_equal(counts(world)->ahead, 0);
}

static void table_ahead_that_comes_late_or_gets_no_number_is_dropped(void **state)
{
	struct world *world = *state;

	assert_int_equal(send_ahead(world, DISK, 5, 2, true), 0);
	assert_int_equal(world->calls, 0); /* no number was asked for */
	world->fails = 1;
	assert_int_equal(send_ahead(world, DISK, 6, 2, false), 0);
	assert_int_equal(world->references[5] | world->references[6], 0);
	assert_int_equal(counts(world)->ahead_refused, 2);
	assert_int_equal(world->tables.alloc.taken, 0);
}

static void table_ahead_evicts_nothing(void **state)
{
	struct world *world = *state;

	assert_int_equal(send_ahead(world, DISK, 5, UNITS / 2 - 20, false), 0);
	assert_int_equal(send_ahead(world, DISK, 6, UNITS / 2 - 20, false), 0);
	assert_int_equal(send_ahead(world, DISK, 7, 100, false), 0);
	assert_int_equal(counts(world)->ahead, 2);
	assert_int_equal(counts(world)->ahead_refused, 1);
	assert_int_equal(counts(world)->evicted, 0);
	assert_null(world->tables.pending);
}

static void table_ahead_goes_before_any_that_is_used(void **state)
{
	struct world *world = *state;

	hand_over(world, 4, 0);
	answer(world, 4, UNITS / 2 - 20);
	assert_int_equal(send_ahead(world, DISK, 5, UNITS / 2 - 20, false), 0);
	world->files.entries[5].seen_ms = (uint32_t)tm_clock_ms(); /* as reclaim notes it */
	hand_over(world, 6, 0);
	answer(world, 6, 100);
	pass(world);
	assert_int_equal(counts(world)->evicted, 1);
	assert_int_equal(world->references[5], 0);
	assert_int_not_equal(world->references[4], 0);
	assert_int_not_equal(world->references[6], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(table_ahead_is_installed_and_its_file_is_still_to_be_announced),
		CASE(device_of_major_number_0_is_refused),
		CASE(table_ahead_that_comes_late_or_gets_no_number_is_dropped),
		CASE(table_ahead_evicts_nothing),
		CASE(table_ahead_goes_before_any_that_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
