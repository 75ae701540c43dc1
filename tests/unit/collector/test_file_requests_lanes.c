/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_requests_lanes - a file that hangs keeps its own lane, and no other's file waiting */

#include "tests/unit/collector/file_requests_fixture.h"

#define HANG_MS (OPENER_DEADLINE_MS + OPENER_DEATH_MS)

static void announce_of(struct world *world, uint16_t owner, uint32_t number, uint64_t now_ms)
{
	world->file_owner = owner;
	announce(world, number, 0, now_ms);
}

/* Return: the worker of the next request, which has started. */
static int take_worker(struct world *world, uint64_t now_ms)
{
	(void)request(world, now_ms);
	return TM_TAKE_FD(world->worker);
}

static void expect_result(struct world *world, uint32_t kind, uint32_t number, uint64_t value)
{
	struct tm_wire message;

	assert_int_equal(delivered(world, &message), kind);
	assert_int_equal(message.number, number);
	assert_int_equal(message.value, value);
}

/* A file of @owner hangs; the kernel does not end its worker. Return: when it is given up. */
static uint64_t hang(struct world *world, uint16_t owner, uint32_t number, uint64_t now_ms)
{
	int worker;

	announce_of(world, owner, number, now_ms);
	worker = take_worker(world, now_ms);
	file_requests_advance(&world->files, now_ms + HANG_MS);
	expect_result(world, TM_WIRE_NO_FILE, number, TM_NO_FILE_TIMEOUT);
	(void)close(worker);
	return now_ms + HANG_MS;
}

static void files_of_others_are_sent_while_one_hangs(void **state)
{
	struct world *world = *state;
	int hung;

	announce_of(world, 1, 1, 1000);
	hung = take_worker(world, 1000);
	for (uint32_t number = 10; number < 30; number++) {
		announce_of(world, 2, number, 1000);
		hand_over_next(world, 1000);
		expect_result(world, TM_WIRE_FILE, number, 0);
		assert_true(file_requests_pending(&world->files, 1));
		world->link.credit = TM_FILES_IN_FLIGHT;
	}
	file_requests_advance(&world->files, 1000 + HANG_MS - 1);
	assert_true(file_requests_pending(&world->files, 1));
	file_requests_advance(&world->files, 1000 + HANG_MS);
	expect_result(world, TM_WIRE_NO_FILE, 1, TM_NO_FILE_TIMEOUT);
	assert_int_equal(world->files.counts.abandoned, 1);
	(void)close(hung);
}

static void worker_that_ends_at_its_deadline_is_a_hang_and_not_abandoned(void **state)
{
	static const uint64_t value[] = {TM_NO_FILE_OPENER, TM_NO_FILE_TIMEOUT};
	struct world *world = *state;

	for (uint32_t i = 0; i < 2; i++) {
		announce_of(world, 1, i, 1000);
		(void)request(world, 1000);
		world->worker = tm_close(world->worker);
		file_requests_advance(&world->files, 1000 + OPENER_DEADLINE_MS - 1 + i);
		expect_result(world, TM_WIRE_NO_FILE, i, value[i]);
		assert_int_equal(world->files.queue.hangs[1].times, i);
	}
	assert_int_equal(world->files.counts.abandoned, 0);
}

static void one_owner_never_has_all_lanes_and_one_while_another_waits(void **state)
{
	int workers[FILE_QUEUE_LANES];
	struct world *world = *state;

	for (uint32_t number = 0; number < 8; number++)
		announce_of(world, 1, number, 1000);
	for (unsigned i = 0; i < FILE_QUEUE_LANES - 1; i++)
		workers[i] = take_worker(world, 1000);
	expect_no_request(world);
	announce_of(world, 2, 100, 1000);
	announce_of(world, 2, 101, 1000);
	workers[FILE_QUEUE_LANES - 1] = take_worker(world, 1000);
	expect_no_request(world);
	announce_of(world, 3, 200, 1000);
	world->worker = workers[0];
	answer(world, TM_NO_FILE_GONE, 1000);
	expect_result(world, TM_WIRE_NO_FILE, 0, TM_NO_FILE_GONE);
	answer_next(world, TM_NO_FILE_GONE, 1000); /* of the owner that has none */
	expect_result(world, TM_WIRE_NO_FILE, 200, TM_NO_FILE_GONE);
	(void)take_worker(world, 1000);
	for (unsigned i = 1; i < FILE_QUEUE_LANES; i++)
		(void)close(workers[i]);
}

static void owner_that_had_a_hang_has_one_lane(void **state)
{
	struct world *world = *state;
	uint64_t now_ms = hang(world, 1, 1, 1000) + FILE_QUEUE_HANG_MS;

	world->device = 7;
	for (uint32_t number = 2; number < 5; number++)
		announce_of(world, 1, number, now_ms);
	(void)request(world, now_ms);
	expect_no_request(world);
	answer(world, TM_NO_FILE_GONE, now_ms);
	answer_next(world, TM_NO_FILE_GONE, now_ms);
	answer_next(world, TM_NO_FILE_GONE, now_ms);
	assert_true(file_requests_idle(&world->files));
}

static void device_that_hung_has_one_lane_whoever_needs_it(void **state)
{
	struct world *world = *state;
	uint64_t now_ms;
	int slow;

	world->device = 7;
	now_ms = hang(world, 1, 1, 1000);
	announce_of(world, 2, 2, now_ms);
	slow = take_worker(world, now_ms);
	announce_of(world, 3, 3, now_ms);
	announce_of(world, 4, 4, now_ms);
	expect_no_request(world);
	world->device = 8;
	announce_of(world, 3, 5, now_ms);
	answer_next(world, TM_NO_FILE_GONE, now_ms);
	expect_result(world, TM_WIRE_NO_FILE, 5, TM_NO_FILE_GONE);
	world->worker = slow;
	answer(world, TM_NO_FILE_GONE, now_ms);
	slow = take_worker(world, now_ms);
	expect_no_request(world);
	file_requests_advance(&world->files, now_ms + FILE_QUEUE_CALM_MS); /* which hung, too */
	answer_next(world, TM_NO_FILE_GONE, now_ms + FILE_QUEUE_CALM_MS);
	(void)close(slow);
}

/* Fills the wire, so that nothing can be sent to the symbolizer. Return: how many messages it has.
 */
static unsigned fill_wire(struct world *world)
{
	const struct tm_wire message = {.kind = TM_WIRE_NO_FILE};
	unsigned count = 0;

	while (tm_fdpass_send(world->link.fd, &message, sizeof(message), -1, MSG_DONTWAIT) == 0)
		count++;
	return count;
}

static void empty_wire(struct world *world, unsigned count)
{
	struct tm_wire message;

	while (count-- > 0)
		assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
}

static void what_the_wire_does_not_take_stays_and_others_go_on(void **state)
{
	struct world *world = *state;
	unsigned count = fill_wire(world);

	for (uint32_t number = 1; number < 3; number++) {
		announce_of(world, 1, number, 1000);
		hand_over_next(world, 1000);
		assert_true(file_requests_pending(&world->files, number));
	}
	announce_of(world, 1, 1, 1000); /* it is under way already */
	empty_wire(world, count);
	file_requests_advance(&world->files, 1000);
	expect_result(world, TM_WIRE_FILE, 1, 0);
	expect_result(world, TM_WIRE_FILE, 2, 0);
	assert_true(file_requests_idle(&world->files));
	assert_int_equal(world->files.counts.opened, 2);
}

static void reopened_file_that_the_wire_did_not_take_is_an_ordinary_one_of_the_next(void **state)
{
	struct world *world = *state;
	unsigned count;

	announce_of(world, 1, 1, 1000);
	hand_over_next(world, 1000);
	expect_result(world, TM_WIRE_FILE, 1, 0);
	assert_true(file_requests_answered(&world->files, 1, 0));
	assert_true(file_requests_again(&world->files, 1, 0, 1000));
	count = fill_wire(world);
	file_requests_advance(&world->files, 1000);
	hand_over_next(world, 1000);
	file_requests_reset_all(&world->files);
	empty_wire(world, count);
	file_requests_advance(&world->files, 1000);
	expect_result(world, TM_WIRE_FILE, 1, 0);
	assert_false(file_requests_pending(&world->files, 1));
	assert_true(file_requests_answered(&world->files, 1, 0)); /* its table is due */
}

static void new_opener_leaves_what_has_a_worker(void **state)
{
	struct world *world = *state;
	int worker, ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	announce_of(world, 1, 1, 1000);
	worker = take_worker(world, 1000);
	announce_of(world, 2, 2, 1000);
	(void)receive_request(world); /* it dies before it starts a worker */
	file_requests_take_opener(&world->files, ends[0]);
	file_requests_advance(&world->files, 1000);
	expect_result(world, TM_WIRE_NO_FILE, 2, TM_NO_FILE_OPENER);
	(void)close(world->opener_end);
	world->opener_end = ends[1];
	announce_of(world, 3, 3, 1000);
	hand_over_next(world, 1000);
	expect_result(world, TM_WIRE_FILE, 3, 0);
	world->worker = worker;
	hand_over(world, 1000);
	expect_result(world, TM_WIRE_FILE, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_of_others_are_sent_while_one_hangs),
		CASE(worker_that_ends_at_its_deadline_is_a_hang_and_not_abandoned),
		CASE(one_owner_never_has_all_lanes_and_one_while_another_waits),
		CASE(owner_that_had_a_hang_has_one_lane),
		CASE(device_that_hung_has_one_lane_whoever_needs_it),
		CASE(what_the_wire_does_not_take_stays_and_others_go_on),
		CASE(reopened_file_that_the_wire_did_not_take_is_an_ordinary_one_of_the_next),
		CASE(new_opener_leaves_what_has_a_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
