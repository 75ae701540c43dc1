/* SPDX-License-Identifier: Apache-2.0 */
/* test_opener_client - a late answer is dropped; a silent opener, or one with an invalid answer,
 * is closed */

#include "tests/unit/collector/file_requests_fixture.h"

static void late_answer_is_dropped(void **state)
{
	struct world *world = *state;
	struct tm_wire message;
	uint32_t first, second;

	announce(world, 1, 0, 1000);
	first = request(world).id;
	answer(world, first, TM_NO_FILE_ERROR, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	answer(world, first, OPENER_OPENED, 1002); /* no request is pending */
	announce(world, 2, 0, 1003);
	second = request(world).id;
	assert_int_not_equal(first, second);
	answer(world, first, OPENER_OPENED, 1004); /* another request is pending */
	assert_int_equal(delivered(world, &message), 0);
	assert_int_equal(world->asked_kernel, 0);
	hand_over(world, second, 1005);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(message.number, 2);
}

static void opener_that_does_not_answer_is_closed(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 1, 0, 1000);
	file_requests_advance(&world->files, 1000 + FILE_REQUESTS_ASK_MS - 1);
	assert_false(file_requests_idle(&world->files));
	file_requests_advance(&world->files, 1000 + FILE_REQUESTS_ASK_MS);
	assert_true(file_requests_idle(&world->files));
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(world->opener.fd, -1);
	announce(world, 2, 0, 5000); /* without an opener every file fails at once */
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_OPENER);
}

static void opener_that_sends_an_invalid_answer_is_closed(void **state)
{
	struct world *world = *state;
	const struct opener_answer invalid = {.id = 1, .status = OPENER_HANDED}; /* no descriptor */

	announce(world, 1, 0, 1000);
	assert_int_equal(request(world).id, 1);
	assert_int_equal(tm_fdpass_send(world->opener_end, &invalid, sizeof(invalid), -1, 0), 0);
	file_requests_advance(&world->files, 1001);
	assert_int_equal(world->opener.fd, -1);
	assert_true(file_requests_idle(&world->files));
}

static void descriptor_that_was_not_accepted_ends_the_opener(void **state)
{
	struct world *world = *state;
	struct tm_wire message;
	uint32_t id;

	announce(world, 1, 0, 1000);
	id = request(world).id;
	world->holds = TM_CHECK_OTHER;
	answer(world, id, OPENER_OPENED, 1001);
	answer(world, id, OPENER_HANDED, 1002);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(world->opener.fd, -1);
	assert_int_equal(world->files.counts.opened, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(late_answer_is_dropped),
		CASE(opener_that_does_not_answer_is_closed),
		CASE(opener_that_sends_an_invalid_answer_is_closed),
		CASE(descriptor_that_was_not_accepted_ends_the_opener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
