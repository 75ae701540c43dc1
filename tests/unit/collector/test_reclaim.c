/* SPDX-License-Identifier: Apache-2.0 */
/* test_reclaim - when entries of processes are deleted, and when all processes must be announced
 * again */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/collector/fake_maps.h"

#define QUIET (RECLAIM_QUIET_MS * MS)

/* The PROCESS event of that tgid, and the state that BPF keeps for it. */
static void announce(uint32_t tgid, uint64_t ktime)
{
	const struct tm_event event = {.type = TM_EVENT_PROCESS, .ktime = ktime, .tgid = tgid};

	world->processes_made += !world->process_there[tgid];
	world->process_there[tgid] = true;
	world->states[tgid].seen_ktime = ktime;
	reclaim_note(&world->reclaim, &event);
}

static void die(uint32_t tgid, uint64_t ktime, bool announced)
{
	const struct tm_event event = {.type = TM_EVENT_EXIT, .ktime = ktime, .tgid = tgid};

	world->states[tgid].seen_ktime = ktime;
	world->states[tgid].exited = 1;
	if (announced)
		reclaim_note(&world->reclaim, &event);
}

static void live_process_is_kept_for_nearly_two_epochs(void **state)
{
	assert_true(QUIET > EPOCH && QUIET < 2 * EPOCH);
	announce(1, EPOCH);
	advance(EPOCH + QUIET);
	assert_true(world->process_there[1]);
	assert_int_equal(reclaim_entries(&world->reclaim.processes), 1);
	advance(EPOCH + QUIET + 1);
	assert_false(world->process_there[1]);
	assert_int_equal(reclaim_entries(&world->reclaim.processes), 0);
}

/* The second free would happen in unmake. */
static void entry_deleted_before_others_is_freed_once(void **state)
{
	announce(1, EPOCH);
	announce(2, 2 * EPOCH);
	advance(3 * EPOCH + 1);
	assert_false(world->process_there[1]);
	assert_true(world->process_there[2]);
	assert_int_equal(world->reclaim.queue.count, 1);
}

static void process_that_is_announced_again_is_kept(void **state)
{
	announce(1, EPOCH);
	announce(1, 2 * EPOCH);
	advance(2 * EPOCH + QUIET);
	assert_true(world->process_there[1]);
	advance(2 * EPOCH + QUIET + 1);
	assert_false(world->process_there[1]);
	assert_int_equal(world->reclaim.queue.count, 0);
}

static void tombstone_is_kept_for_one_epoch(void **state)
{
	announce(1, EPOCH);
	die(1, EPOCH + 5, true);
	advance(2 * EPOCH + 5);
	assert_true(world->process_there[1]);
	advance(2 * EPOCH + 6);
	assert_false(world->process_there[1]);
}

static void entry_whose_exit_was_lost_is_deleted_too(void **state)
{
	announce(1, EPOCH);
	die(1, 3 * EPOCH - 5, false);
	advance(3 * EPOCH + 1);
	assert_true(world->process_there[1]);
	advance(4 * EPOCH - 4);
	assert_false(world->process_there[1]);
}

static void nearly_full_map_loses_tombstones_early_and_nothing_else(void **state)
{
	world->processes_made = RECLAIM_PROCESSES_HIGH;
	announce(1, EPOCH);
	announce(2, EPOCH);
	die(2, EPOCH, true);
	advance(EPOCH + RECLAIM_TOMBSTONE_MS * MS);
	assert_true(world->process_there[2]);
	advance(EPOCH + RECLAIM_TOMBSTONE_MS * MS + 1);
	assert_false(world->process_there[2]);
	assert_true(world->process_there[1]);
}

static void process_without_memory_for_its_entry_is_deleted_at_once(void **state)
{
	world->reclaim.queue.count = TM_RETIRE_MAX;
	announce(1, EPOCH);
	assert_false(world->process_there[1]);
	world->reclaim.queue.count = 0;
}

static void lost_announcement_advances_the_epoch_once_and_not_too_often(void **state)
{
	struct reclaim *reclaim = &world->reclaim;

	reclaim_advance(reclaim, 0, 0, 10000);
	assert_int_equal(world->bumps, 0);
	reclaim_advance(reclaim, 0, 1, 10001);
	assert_int_equal(world->bumps, 1);
	reclaim_advance(reclaim, 0, 1, 20000);
	assert_int_equal(world->bumps, 1);
	reclaim_advance(reclaim, 0, 5, 20001);
	assert_int_equal(world->bumps, 2);
	reclaim_advance(reclaim, 0, 9, 20001 + RECLAIM_EPOCH_PAUSE_MS - 1);
	assert_int_equal(world->bumps, 2);
	reclaim_advance(reclaim, 0, 9, 20001 + RECLAIM_EPOCH_PAUSE_MS);
	assert_int_equal(world->bumps, 3);
}

static void continuing_losses_advance_the_epoch_less_and_less_often(void **state)
{
	struct reclaim *reclaim = &world->reclaim;
	uint64_t lost = 0, now_ms = 100000;

	for (unsigned i = 0; i < 60000; i++)
		reclaim_advance(reclaim, 0, ++lost, ++now_ms);
	assert_in_range(world->bumps, 5, 10);
	now_ms += 10 * RECLAIM_EPOCH_MS; /* a while without losses */
	reclaim_advance(reclaim, 0, ++lost, now_ms);
	reclaim_advance(reclaim, 0, ++lost, now_ms + RECLAIM_EPOCH_PAUSE_MS);
	assert_in_range(world->bumps, 7, 12);
}

static int adopt_no_chunk(void *context, uint32_t index, void **ret_memory)
{
	return -ENOENT;
}

/* Processes that the last collector knew, and that may never be announced again. */
static void entries_of_the_last_collector_are_deleted_in_time(void **state)
{
	world->processes_made = 5; /* two have been deleted */
	for (uint32_t tgid = 1; tgid <= 3; tgid++) {
		world->process_there[tgid] = true;
		world->states[tgid].seen_ktime = tgid * EPOCH;
	}
	world->files_made = 4;
	world->number_there[6] = true;
	reclaim_adopt(&world->reclaim, adopt_no_chunk);
	assert_int_equal(reclaim_entries(&world->reclaim.processes), 3);
	assert_int_equal(reclaim_entries(&world->reclaim.numbers), 1);
	assert_true(world->files.entries[6].seen_ms != 0);
	announce(3, 4 * EPOCH);
	advance(3 * EPOCH + QUIET);
	assert_false(world->process_there[1]);
	assert_true(world->process_there[3]);
	advance(4 * EPOCH + QUIET + 1);
	assert_false(world->process_there[2] || world->process_there[3]);
	assert_int_equal(reclaim_entries(&world->reclaim.processes), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(live_process_is_kept_for_nearly_two_epochs),
		CASE(entry_deleted_before_others_is_freed_once),
		CASE(process_that_is_announced_again_is_kept),
		CASE(tombstone_is_kept_for_one_epoch),
		CASE(entry_whose_exit_was_lost_is_deleted_too),
		CASE(nearly_full_map_loses_tombstones_early_and_nothing_else),
		CASE(process_without_memory_for_its_entry_is_deleted_at_once),
		CASE(lost_announcement_advances_the_epoch_once_and_not_too_often),
		CASE(continuing_losses_advance_the_epoch_less_and_less_often),
		CASE(entries_of_the_last_collector_are_deleted_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
