/* SPDX-License-Identifier: Apache-2.0 */
/* test_opener_client - a silent opener, or one whose workers answer wrongly, is closed */

#include "tests/unit/collector/file_requests_fixture.h"

static void opener_that_starts_no_worker_is_closed(void **state)
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

/* However long it had not run before. */
static void end_of_the_opener_is_noticed_and_no_hang(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 1, 0, 1000);
	(void)close(world->opener_end);
	world->opener_end = -1;
	file_requests_advance(&world->files, 1000 + FILE_REQUESTS_ASK_MS - 1);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_OPENER);
	assert_int_equal(world->opener.fd, -1);
}

static void opener_that_sends_anything_is_closed(void **state)
{
	struct world *world = *state;
	const struct opener_answer answer = {.status = OPENER_STARTED};

	assert_int_equal(tm_fdpass_send(world->opener_end, &answer, sizeof(answer), -1, 0), 0);
	file_requests_advance(&world->files, 1000);
	assert_int_equal(world->opener.fd, -1);
}

/* A worker sends @count answers, the last of which is invalid; @descriptor: with one. */
static void expect_invalid(struct world *world, const uint32_t *status, unsigned count,
			   bool descriptor)
{
	struct tm_wire message;

	announce(world, 1, 0, 1000);
	(void)receive_request(world);
	for (unsigned i = 0; i < count; i++) {
		const struct opener_answer answer = {
			.status = status[i], .worker = 4242, .address = 0x7000};
		bool has_descriptor = descriptor && i + 1 == count;

		assert_int_equal(tm_fdpass_send(world->worker, &answer, sizeof(answer),
						has_descriptor ? STDIN_FILENO : -1, 0),
				 0);
		assert_true(world->opener.fd >= 0);
		file_requests_advance(&world->files, 1001);
	}
	assert_int_equal(world->opener.fd, -1);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_OPENER);
	assert_int_equal(world->files.counts.opened, 0);
}

#define EXPECT_INVALID(state, descriptor, ...)                    \
	expect_invalid(*(state), (const uint32_t[]){__VA_ARGS__}, \
		       sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (descriptor))

static void nothing_comes_before_the_start(void **state)
{
	EXPECT_INVALID(state, false, OPENER_OPENED);
}

static void start_comes_once(void **state)
{
	EXPECT_INVALID(state, false, OPENER_STARTED, OPENER_STARTED);
}

static void unknown_answer_is_invalid(void **state)
{
	EXPECT_INVALID(state, false, OPENER_STARTED, OPENER_STARTED + 1);
}

static void file_comes_with_its_descriptor(void **state)
{
	EXPECT_INVALID(state, false, OPENER_STARTED, OPENER_OPENED, OPENER_HANDED);
}

static void reason_comes_without_one(void **state)
{
	EXPECT_INVALID(state, true, OPENER_STARTED, TM_NO_FILE_GONE);
}

static void descriptor_that_was_not_accepted_is_invalid(void **state)
{
	((struct world *)*state)->holds = TM_CHECK_OTHER;
	EXPECT_INVALID(state, true, OPENER_STARTED, OPENER_OPENED, OPENER_HANDED);
}

static void descriptor_before_the_verdict_is_invalid(void **state)
{
	EXPECT_INVALID(state, true, OPENER_STARTED, OPENER_HANDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(opener_that_starts_no_worker_is_closed),
		CASE(end_of_the_opener_is_noticed_and_no_hang),
		CASE(opener_that_sends_anything_is_closed),
		CASE(nothing_comes_before_the_start),
		CASE(start_comes_once),
		CASE(unknown_answer_is_invalid),
		CASE(file_comes_with_its_descriptor),
		CASE(reason_comes_without_one),
		CASE(descriptor_that_was_not_accepted_is_invalid),
		CASE(descriptor_before_the_verdict_is_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
