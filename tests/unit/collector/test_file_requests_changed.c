/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_requests_changed - the number of a file that changed before it was read is retired */

#include "tests/unit/collector/file_requests_fixture.h"

/* The opener finds the file; the kernel says that its ctime is another one. */
static void find_changed(struct world *world, uint64_t now_ms)
{
	(void)request(world, now_ms);
	world->holds = TM_CHECK_CHANGED;
	answer(world, OPENER_OPENED, now_ms);
	expect_verdict(world, 0);
	answer(world, TM_NO_FILE_OTHER, now_ms);
}

static void number_of_a_file_that_changed_is_retired_after_a_pause(void **state)
{
	const uint64_t due = 1001 + (FILE_REQUESTS_PAUSE_MS << FILE_REQUESTS_PAUSES_NEW);
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	find_changed(world, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_CHANGED);
	announce(world, 12, 0, due + 1); /* it is the same file still */
	assert_true(file_requests_idle(&world->files));
	file_requests_retry(&world->files, due - 1);
	assert_int_equal(world->retired, UINT32_MAX);
	file_requests_retry(&world->files, due);
	assert_int_equal(world->retired, 12);
	assert_int_equal(world->forgotten, UINT32_MAX);
	assert_int_equal(world->files.retrying, 0);
}

static void file_that_changed_when_it_is_wanted_again_gets_another_number(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 3, 0, 1000);
	hand_over_next(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(file_requests_answered(&world->files, 3, message.value));
	assert_true(file_requests_again(&world->files, 3, message.value, 1000));
	file_requests_advance(&world->files, 1000);
	find_changed(world, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_REOPENED);
	assert_int_equal(message.value, TM_NO_FILE_CHANGED);
	file_requests_retry(&world->files, 1001 + 64 * FILE_REQUESTS_PAUSE_MS);
	assert_int_equal(world->retired, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(number_of_a_file_that_changed_is_retired_after_a_pause),
		CASE(file_that_changed_when_it_is_wanted_again_gets_another_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
