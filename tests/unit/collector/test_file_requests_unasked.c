/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_requests_unasked - files that would hang the opener are not asked for */

#include "tests/unit/collector/file_requests_fixture.h"

#include <linux/magic.h>

static void expect_reason(struct world *world, enum tm_no_file reason)
{
	struct tm_wire message;

	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, reason);
}

static void file_of_a_server_is_not_asked_for(void **state)
{
	struct world *world = *state;

	world->magic = FUSE_SUPER_MAGIC;
	announce(world, 12, 0, 1000);
	expect_reason(world, TM_NO_FILE_SERVED);
	world->magic = 0;
	announce(world, 13, 0, 1000);
	answer_next(world, TM_NO_FILE_DENIED, 1001);
}

static void owner_of_a_file_that_hung_waits_and_others_do_not(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	world->file_owner = 1;
	announce(world, 12, 0, 1000);
	(void)request(world, 1000);
	world->worker = tm_close(world->worker);
	file_requests_advance(&world->files, 2000);
	expect_reason(world, TM_NO_FILE_TIMEOUT);
	announce(world, 13, 0, 2000);
	expect_reason(world, TM_NO_FILE_TIMEOUT);
	world->file_owner = 2;
	announce(world, 14, 0, 2000);
	answer_next(world, TM_NO_FILE_DENIED, 2001);
	expect_reason(world, TM_NO_FILE_DENIED);
	world->file_owner = 1;
	announce(world, 13, 0, 2000 + FILE_QUEUE_HANG_MS);
	hand_over_next(world, 2001 + FILE_QUEUE_HANG_MS);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(file_of_a_server_is_not_asked_for),
		CASE(owner_of_a_file_that_hung_waits_and_others_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
