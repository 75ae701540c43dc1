/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_queue - whoever brings many files waits for his own, and others do not wait for him */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/file_queue.h"

static struct file_queue queue;

static int empty(void **state)
{
	while (queue.count)
		free(queue.files[--queue.count]);
	queue = (struct file_queue){.count = 0};
	return 0;
}

static bool add(uint16_t owner, uint32_t number)
{
	const struct tm_file file = {.event.bytes = sizeof(file), .owner = owner, .number = number};

	return file_queue_add(&queue, &file);
}

/* Return: the next file, which is to be given to done. */
static struct tm_file *take(uint32_t number)
{
	struct tm_file *file = file_queue_take(&queue, 1000);

	assert_non_null(file);
	assert_int_equal(file->number, number);
	return file;
}

static void done(struct tm_file *file)
{
	file_queue_done(&queue, file);
	free(file);
}

static void expect(uint32_t number)
{
	done(take(number));
}

static void files_of_one_owner_come_in_their_order(void **state)
{
	for (uint32_t number = 0; number < 5; number++)
		assert_true(add(7, number));
	for (uint32_t number = 0; number < 5; number++)
		expect(number);
	assert_null(file_queue_take(&queue, 1000));
}

static void owners_take_turns(void **state)
{
	for (uint32_t number = 0; number < 100; number++)
		assert_true(add(1, number));
	expect(0);
	assert_true(add(2, 1000));
	assert_true(add(2, 1001));
	assert_true(add(3, 2000));
	expect(1000); /* of owners that had no turn yet, who came first */
	expect(2000);
	expect(1);
	expect(1001);
	expect(2);
	expect(3);
}

static void one_owner_leaves_space_for_others(void **state)
{
	for (uint32_t number = 0; number < FILE_QUEUE_SHARE; number++)
		assert_true(add(1, number));
	assert_false(add(1, 5000));
	assert_true(add(2, 1000));
	expect(0);
	assert_true(add(1, 5000));
	assert_false(add(1, 5001));
	expect(1000);
}

static void full_queue_takes_nothing_and_loses_nothing(void **state)
{
	uint32_t number;

	for (number = 0; number < FILE_QUEUE_MAX; number++)
		assert_true(add((uint16_t)number, number));
	assert_false(add(9, number));
	for (number = 0; number < FILE_QUEUE_MAX; number++)
		expect(number);
	assert_null(file_queue_take(&queue, 1000));
}

static void hung(uint16_t owner, uint32_t device, uint64_t now_ms)
{
	const struct tm_file file = {.owner = owner, .identity.dev = device};

	file_queue_hung(&queue, &file, now_ms);
}

static bool pauses(uint16_t owner, uint32_t device, uint64_t now_ms)
{
	const struct tm_file file = {.owner = owner, .identity.dev = device};

	return file_queue_pauses(&queue, &file, now_ms);
}

static void device_that_hung_pauses_for_its_owner_alone(void **state)
{
	assert_false(pauses(1, 8, 1000));
	hung(1, 8, 1000);
	assert_true(pauses(1, 8, 1000));
	assert_true(pauses(1, 8, 999 + FILE_QUEUE_HANG_MS));
	assert_false(pauses(1, 8, 1000 + FILE_QUEUE_HANG_MS));
	assert_false(pauses(1, 9, 1000));
	assert_false(pauses(2, 8, 1000));
}

static void second_device_pauses_all_of_them(void **state)
{
	hung(1, 8, 1000);
	hung(1, 9, 2000);
	assert_true(pauses(1, 8, 3000) && pauses(1, 9, 3000) && pauses(1, 10, 3000));
	assert_false(pauses(2, 8, 3000));
}

/* In several lanes. */
static void hang_on_the_same_device_meanwhile_is_the_same_one(void **state)
{
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		hung(1, 8, 1000 + i);
	assert_true(pauses(1, 8, 999 + FILE_QUEUE_HANG_MS));
	assert_false(pauses(1, 8, 1000 + FILE_QUEUE_HANG_MS));
	assert_false(pauses(1, 9, 1010));
}

static void each_pause_is_twice_as_long_up_to_a_limit(void **state)
{
	uint64_t now_ms = 1000, length = FILE_QUEUE_HANG_MS;

	for (unsigned i = 0; i < 20; i++) {
		hung(1, 8, now_ms);
		assert_true(pauses(1, 8, now_ms + length - 1));
		now_ms += length;
		assert_false(pauses(1, 8, now_ms));
		if (i < FILE_QUEUE_HANGS_MAX)
			length *= 2;
	}
}

static void pause_is_short_again_after_a_calm_time(void **state)
{
	uint64_t now_ms = 1000;

	hung(1, 8, now_ms);
	now_ms += FILE_QUEUE_HANG_MS + FILE_QUEUE_CALM_MS + 1;
	hung(1, 8, now_ms);
	assert_false(pauses(1, 8, now_ms + FILE_QUEUE_HANG_MS));
}

static void turns_go_on_behind_the_largest_number(void **state)
{
	queue.turns = UINT32_MAX - 1;
	queue.turn[1] = UINT32_MAX - 3;
	queue.turn[2] = UINT32_MAX - 2;
	for (uint32_t number = 0; number < 3; number++)
		assert_true(add(1, number) && add(2, 1000 + number));
	for (uint32_t number = 0; number < 3; number++) {
		expect(number);
		expect(1000 + number);
	}
}

static void add_on(uint16_t owner, uint32_t number, uint64_t device)
{
	const struct tm_file file = {.event.bytes = sizeof(file),
				     .owner = owner,
				     .number = number,
				     .identity.dev = device};

	assert_true(file_queue_add(&queue, &file));
}

static void owner_without_a_lane_is_next(void **state)
{
	struct tm_file *taken[FILE_QUEUE_LANES];

	for (uint32_t number = 0; number < 8; number++)
		assert_true(add(1, number));
	taken[0] = take(0);
	taken[1] = take(1);
	taken[2] = take(2);
	assert_null(file_queue_take(&queue, 1000)); /* never all of them */
	assert_true(add(2, 1000) && add(2, 1001));
	taken[3] = take(1000);
	assert_null(file_queue_take(&queue, 1000));
	assert_true(add(3, 2000));
	done(taken[0]);
	done(taken[1]);
	taken[0] = take(2000);
	taken[1] = take(3); /* all of them have one: whose last turn was longest ago */
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		done(taken[i]);
}

static void devices_that_hung_have_one_lane_until_they_are_calm(void **state)
{
	struct tm_file *taken, *calm;

	for (uint16_t i = 0; i < 2; i++)
		hung(1, 8 + i, 1000);
	for (uint16_t i = 0; i < 3; i++)
		add_on(2 + i, i, 8 + i);
	taken = take(0);
	expect(2);
	assert_null(file_queue_take(&queue, 999 + FILE_QUEUE_CALM_MS));
	done(taken);
	taken = take(1);
	add_on(2, 3, 8);
	assert_null(file_queue_take(&queue, 999 + FILE_QUEUE_CALM_MS));
	calm = file_queue_take(&queue, 1000 + FILE_QUEUE_CALM_MS);
	assert_non_null(calm);
	done(taken);
	done(calm);
}

static void last_hangs_say_which_devices_are_slow(void **state)
{
	struct tm_file *taken;

	for (uint32_t i = 0; i < FILE_QUEUE_DEVICES + 1; i++)
		hung((uint16_t)(10 + i), 100 + i, 1000 + i);
	add_on(1, 1, 100 + FILE_QUEUE_DEVICES);
	taken = take(1);
	add_on(2, 2, 101);
	assert_null(file_queue_take(&queue, 2000));
	add_on(3, 3, 100);
	expect(3);
	done(taken);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, empty, empty)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_of_one_owner_come_in_their_order),
		CASE(owners_take_turns),
		CASE(one_owner_leaves_space_for_others),
		CASE(full_queue_takes_nothing_and_loses_nothing),
		CASE(device_that_hung_pauses_for_its_owner_alone),
		CASE(second_device_pauses_all_of_them),
		CASE(hang_on_the_same_device_meanwhile_is_the_same_one),
		CASE(each_pause_is_twice_as_long_up_to_a_limit),
		CASE(pause_is_short_again_after_a_calm_time),
		CASE(turns_go_on_behind_the_largest_number),
		CASE(owner_without_a_lane_is_next),
		CASE(devices_that_hung_have_one_lane_until_they_are_calm),
		CASE(last_hangs_say_which_devices_are_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
