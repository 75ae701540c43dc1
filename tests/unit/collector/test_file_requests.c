/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_requests - each announced file becomes either a checked descriptor or a reason, once */

#include "tests/unit/collector/file_requests_fixture.h"

static void checked_file_is_sent_once(void **state)
{
	struct world *world = *state;
	struct opener_request ask;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	ask = request(world, 1000);
	assert_int_equal(ask.kind, OPENER_ASK);
	assert_string_equal(ask.path, "bin/ls");
	assert_int_equal(ask.path_bytes, 6);
	assert_int_equal(ask.own_tid, 77);
	assert_int_equal(ask.mnt_ns, 5);
	assert_int_equal(ask.vm_start, 0x1000);
	answer(world, OPENER_OPENED, 1001);
	expect_verdict(world, 1);
	assert_int_equal(delivered(world, &message), 0); /* no descriptor before the verdict */
	answer(world, OPENER_HANDED, 1002);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(message.number, 12);
	assert_true(file_requests_idle(&world->files));
	announce(world, 12, 0, 999999);
	assert_true(file_requests_idle(&world->files));
	assert_int_equal(world->files.counts.opened, 1);
}

static void wrong_file_is_refused_and_the_next_candidate_tried(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	(void)request(world, 1000);
	world->holds = TM_CHECK_OTHER;
	answer(world, OPENER_OPENED, 1001);
	expect_verdict(world, 0);
	assert_int_equal(delivered(world, &message), 0);
	answer(world, TM_NO_FILE_OTHER, 1002);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_OTHER);
	assert_int_equal(world->files.counts.refused, 1);
	assert_int_equal(world->files.counts.failed, 1);
}

static void file_that_a_process_serves_is_refused_under_its_own_reason(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	(void)request(world, 1000);
	world->holds = TM_CHECK_SERVED;
	answer(world, OPENER_OPENED, 1001);
	expect_verdict(world, 0);
	answer(world, TM_NO_FILE_DENIED, 1002); /* from the next candidate */
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_SERVED);
	assert_int_equal(world->files.counts.refused, 1);
	announce(world, 13, 0, 2000); /* the next file has a reason of its own */
	answer_next(world, TM_NO_FILE_DENIED, 2001);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_DENIED);
}

static void hung_opener_and_dead_opener_are_different_reasons(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	(void)receive_request(world);
	file_requests_advance(&world->files, 1000 + FILE_REQUESTS_ASK_MS);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_TIMEOUT);
	announce(world, 13, 0, 9000); /* its connection is closed by now */
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_int_equal(message.value, TM_NO_FILE_OPENER);
	assert_int_equal(world->files.retrying, 2);
}

static void file_that_the_kernel_cannot_check_is_not_sent(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 12, 0, 1000);
	(void)request(world, 1000);
	world->holds = -ESRCH;
	answer(world, OPENER_OPENED, 1001);
	expect_verdict(world, 0);
	assert_int_equal(delivered(world, &message), 0);
	assert_int_equal(world->files.counts.refused, 0);
}

static void unusable_paths_are_never_requested(void **state)
{
	static const uint32_t flags[] = {TM_PATH_CUT, TM_PATH_DELETED, TM_PATH_UNNAMED};
	struct world *world = *state;

	for (uint32_t i = 0; i < 3; i++) {
		struct opener_request ask;

		announce(world, i, flags[i], 1000);
		ask = request(world, 1000);
		assert_int_equal(ask.path_bytes, 0);
		assert_string_equal(ask.path, "");
		answer(world, TM_NO_FILE_GONE, 1001);
	}
}

static void failed_file_waits_longer_each_time(void **state)
{
	struct world *world = *state;
	uint64_t now_ms = 1000, pause = FILE_REQUESTS_PAUSE_MS;

	for (unsigned i = 0; i < 4; i++, pause *= 2) {
		announce(world, 3, 0, now_ms);
		answer_next(world, TM_NO_FILE_GONE, now_ms);
		announce(world, 3, 0, now_ms + pause - 1);
		assert_true(file_requests_idle(&world->files)); /* not asked again yet */
		world->forgotten = UINT32_MAX;
		file_requests_retry(&world->files, now_ms + pause - 1);
		assert_int_equal(world->forgotten, UINT32_MAX);
		file_requests_retry(&world->files, now_ms + pause);
		assert_int_equal(world->forgotten, 3); /* the next sample announces it */
		now_ms += pause;
	}
	assert_int_equal(world->files.counts.failed, 4);
}

static void file_that_could_not_be_parsed_is_sent_again_after_growing_pauses(void **state)
{
	struct world *world = *state;
	uint64_t now_ms = 1000, pause = FILE_REQUESTS_PAUSE_MS;
	struct tm_wire message;

	for (unsigned i = 0; i < 9; i++) {
		announce(world, 3, 0, now_ms);
		hand_over_next(world, now_ms);
		assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
		assert_true(file_requests_unparsed(&world->files, 3, message.value, now_ms));
		assert_int_equal(world->files.retrying, 1);
		announce(world, 3, 0, now_ms + pause - 1);
		assert_true(file_requests_idle(&world->files)); /* not asked again yet */
		world->forgotten = UINT32_MAX;
		file_requests_retry(&world->files, now_ms + pause - 1);
		assert_int_equal(world->forgotten, UINT32_MAX);
		file_requests_retry(&world->files, now_ms + pause);
		assert_int_equal(world->forgotten, 3); /* the next sample announces it */
		now_ms += pause;
		if (pause < FILE_REQUESTS_PAUSE_MS << FILE_REQUESTS_PAUSES_MAX)
			pause *= 2;
	}
	announce(world, 3, 0, now_ms);
	hand_over_next(world, now_ms);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(file_requests_answered(&world->files, 3, message.value));
	assert_false(file_requests_unparsed(&world->files, 3, message.value, now_ms));
}

/* Has file 3 sent and its table answered. Return: the value of its FILE message. */
static uint64_t answer_file(struct world *world)
{
	struct tm_wire message;

	announce(world, 3, 0, 1000);
	hand_over_next(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(file_requests_answered(&world->files, 3, message.value));
	return message.value;
}

static void answered_file_is_opened_again_when_it_is_wanted_again(void **state)
{
	struct world *world = *state;
	uint64_t value = answer_file(world);
	struct tm_wire message;
	struct opener_request ask;

	assert_false(file_requests_again(&world->files, 3, value + (1 << 10), 1000));
	assert_true(file_requests_again(&world->files, 3, value, 1000));
	assert_false(file_requests_again(&world->files, 3, value, 1000)); /* it is on its way */
	assert_true(file_requests_pending(&world->files, 3));
	file_requests_advance(&world->files, 1000); /* no sample announces it */
	ask = request(world, 1000);
	assert_string_equal(ask.path, "bin/ls");
	hand_over(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_REOPENED);
	assert_true(world->has_descriptor);
	assert_int_equal(message.number, 3);
	assert_int_equal(message.value, value);
	assert_false(file_requests_pending(&world->files, 3));
	assert_false(file_requests_answered(&world->files, 3, value)); /* no table is due */
}

static void file_that_cannot_be_opened_again_keeps_its_answer(void **state)
{
	struct world *world = *state;
	uint64_t value = answer_file(world);
	struct tm_wire message;

	for (int i = 0; i < 2; i++) {
		assert_true(file_requests_again(&world->files, 3, value, 1000));
		file_requests_advance(&world->files, 1000);
		answer_next(world, TM_NO_FILE_GONE, 1000);
		assert_int_equal(delivered(world, &message), TM_WIRE_REOPENED);
		assert_false(world->has_descriptor);
		assert_int_equal(message.value, TM_NO_FILE_GONE);
		assert_int_equal(world->files.entries[3].state, FILE_REQUESTS_ANSWERED);
	}
	assert_int_equal(world->files.counts.failed, 0);
}

static void file_that_is_wanted_again_by_a_symbolizer_that_died_is_sent_to_the_next(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	assert_true(file_requests_again(&world->files, 3, answer_file(world), 1000));
	file_requests_reset_all(&world->files);
	file_requests_advance(&world->files, 1000);
	hand_over_next(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(file_requests_answered(&world->files, 3, message.value));
}

/* Then its next sample announces it. */
static void file_whose_record_is_not_kept_is_announced_again(void **state)
{
	struct world *world = *state;
	uint64_t value = answer_file(world);
	struct tm_wire message;

	world->files.records.bytes = FILE_RECORDS_BYTES;
	announce(world, 4, 0, 1000);
	hand_over_next(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_null(world->files.records.items[3].file);
	world->files.records.bytes = world->files.records.items[4].file->event.bytes;
	assert_true(file_requests_again(&world->files, 3, value, 1000));
	file_requests_retry(&world->files, 1000 + FILE_REQUESTS_PAUSE_MS);
	assert_int_equal(world->forgotten, 3);
	announce(world, 3, 0, 1000 + FILE_REQUESTS_PAUSE_MS);
	hand_over_next(world, 1000 + FILE_REQUESTS_PAUSE_MS);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(file_requests_answered(&world->files, 3, message.value));
}

static void denied_file_is_not_announced_again(void **state)
{
	struct world *world = *state;

	announce(world, 3, 0, 1000);
	answer_next(world, TM_NO_FILE_DENIED, 1000);
	file_requests_retry(&world->files, 1000000);
	assert_int_equal(world->forgotten, UINT32_MAX);
}

static void without_credit_nothing_is_opened(void **state)
{
	struct world *world = *state;

	world->link.credit = 0;
	announce(world, 1, 0, 1000);
	expect_no_request(world);
	assert_false(file_requests_idle(&world->files));
	world->link.credit = 1;
	file_requests_advance(&world->files, 1001);
	assert_int_equal(request(world, 1001).own_tid, 77);
}

static void queue_is_bounded_and_out_of_range_numbers_ignored(void **state)
{
	struct world *world = *state;

	world->link.credit = 0;
	for (uint32_t number = 0; number < FILE_QUEUE_SHARE + 100; number++)
		announce(world, number, 0, 1000);
	assert_int_equal(world->files.queue.count, FILE_QUEUE_SHARE);
	assert_int_equal(world->files.entries[FILE_QUEUE_SHARE + 1].state, FILE_REQUESTS_UNSEEN);
	announce(world, FILE_REQUESTS_MAX, 0, 1000);
	announce(world, UINT32_MAX, 0, 1000);
	assert_int_equal(world->files.queue.count, FILE_QUEUE_SHARE);
}

static void new_symbolizer_gets_what_the_old_one_had(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 7, 0, 1000);
	hand_over_next(world, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	file_requests_reset_all(&world->files);
	announce(world, 7, 0, 1001);
	hand_over_next(world, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_int_equal(message.number, 7);
}

static void dropped_number_counts_as_new(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 7, 0, 1000);
	assert_true(file_requests_pending(&world->files, 7));
	assert_false(file_requests_pending(&world->files, 8));
	answer_next(world, TM_NO_FILE_GONE, 1000);
	assert_int_equal(delivered(world, &message), TM_WIRE_NO_FILE);
	assert_false(file_requests_pending(&world->files, 7));
	assert_int_equal(world->files.retrying, 1);
	file_requests_drop(&world->files, 7);
	assert_int_equal(world->files.retrying, 0);
	announce(world, 7, 0, 1001); /* another file: the failure of the first does not delay it */
	hand_over_next(world, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
}

static void pending_file_is_sent_to_the_new_symbolizer_once(void **state)
{
	struct world *world = *state;
	struct tm_wire message;

	announce(world, 7, 0, 1000);
	(void)request(world, 1000);
	file_requests_reset_all(&world->files);
	announce(world, 7, 0, 1001); /* waits for the answer to the first */
	hand_over(world, 1001);
	assert_int_equal(delivered(world, &message), TM_WIRE_FILE);
	assert_true(file_requests_idle(&world->files));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(checked_file_is_sent_once),
		CASE(wrong_file_is_refused_and_the_next_candidate_tried),
		CASE(file_that_a_process_serves_is_refused_under_its_own_reason),
		CASE(hung_opener_and_dead_opener_are_different_reasons),
		CASE(file_that_the_kernel_cannot_check_is_not_sent),
		CASE(unusable_paths_are_never_requested),
		CASE(failed_file_waits_longer_each_time),
		CASE(file_that_could_not_be_parsed_is_sent_again_after_growing_pauses),
		CASE(answered_file_is_opened_again_when_it_is_wanted_again),
		CASE(file_that_cannot_be_opened_again_keeps_its_answer),
		CASE(file_that_is_wanted_again_by_a_symbolizer_that_died_is_sent_to_the_next),
		CASE(file_whose_record_is_not_kept_is_announced_again),
		CASE(denied_file_is_not_announced_again),
		CASE(without_credit_nothing_is_opened),
		CASE(queue_is_bounded_and_out_of_range_numbers_ignored),
		CASE(new_symbolizer_gets_what_the_old_one_had),
		CASE(dropped_number_counts_as_new),
		CASE(pending_file_is_sent_to_the_new_symbolizer_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
