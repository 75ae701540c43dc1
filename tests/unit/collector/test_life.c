/* SPDX-License-Identifier: Apache-2.0 */
/* test_life - who is forgotten when, and how large a ring is */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/life.h"
#include "collector/percpu.h"

#define MS    1000000ull
#define EPOCH (LIFE_EPOCH_MS * MS)

static void living_generation_is_kept_for_two_epochs(void **state)
{
	const struct tm_process_state seen = {.seen_ktime = 1000};

	assert_false(life_is_over(&seen, 1000 + EPOCH));
	assert_false(life_is_over(&seen, 1000 + 2 * EPOCH));
	assert_true(life_is_over(&seen, 1000 + 2 * EPOCH + 1));
}

static void tombstone_is_kept_for_one(void **state)
{
	const struct tm_process_state seen = {.seen_ktime = 1000, .exited = 1};

	assert_false(life_is_over(&seen, 1000 + EPOCH));
	assert_true(life_is_over(&seen, 1000 + EPOCH + 1));
}

static void crowd_takes_tombstones_early_and_nothing_else(void **state)
{
	const struct tm_process_state living = {.seen_ktime = 1000};
	const struct tm_process_state dead = {.seen_ktime = 1000, .exited = 1};

	assert_false(life_left_room(&dead, 1000 + LIFE_TOMBSTONE_MS * MS));
	assert_true(life_left_room(&dead, 1000 + LIFE_TOMBSTONE_MS * MS + 1));
	assert_false(life_left_room(&living, 1000 + EPOCH));
	assert_false(life_left_room(&dead, 500));
}

static void one_seen_after_our_clock_was_read_is_kept(void **state)
{
	const struct tm_process_state seen = {.seen_ktime = 5000, .exited = 1};

	assert_false(life_is_over(&seen, 4000));
}

static void lost_announcement_turns_the_epoch_once_and_not_too_often(void **state)
{
	uint32_t bumps = 0;
	struct life life = {.processes = -1, .epoch_bumps = &bumps};

	life_advance(&life, 0, 0, 10000);
	assert_int_equal(bumps, 0);
	life_advance(&life, 0, 1, 10001);
	assert_int_equal(bumps, 1);
	life_advance(&life, 0, 1, 20000);
	assert_int_equal(bumps, 1);
	life_advance(&life, 0, 5, 20001);
	assert_int_equal(bumps, 2);
	life_advance(&life, 0, 9, 20001 + LIFE_BUMP_MS - 1);
	assert_int_equal(bumps, 2);
	life_advance(&life, 0, 9, 20001 + LIFE_BUMP_MS);
	assert_int_equal(bumps, 3);
}

static void losses_that_go_on_turn_it_ever_more_rarely(void **state)
{
	uint32_t bumps = 0;
	struct life life = {.processes = -1, .epoch_bumps = &bumps};
	uint64_t lost = 0, now_ms = 100000;

	for (unsigned i = 0; i < 60000; i++)
		life_advance(&life, 0, ++lost, ++now_ms);
	assert_in_range(bumps, 5, 10);
	now_ms += 10 * LIFE_EPOCH_MS; /* all was well for a while */
	life_advance(&life, 0, ++lost, now_ms);
	life_advance(&life, 0, ++lost, now_ms + LIFE_BUMP_MS);
	assert_in_range(bumps, 7, 12);
}

static void ring_is_a_power_of_two_within_its_limits(void **state)
{
	static struct options options;

	for (options.hz = 1; options.hz <= OPTIONS_HZ_MAX; options.hz += 7) {
		uint64_t bytes = percpu_ring_bytes(&options);

		assert_true(bytes >= PERCPU_RING_MIN && bytes <= PERCPU_RING_MAX);
		assert_int_equal(bytes & (bytes - 1), 0);
	}
}

static void ring_of_a_said_size_is_at_least_that(void **state)
{
	static struct options options = {.hz = 99, .ring_kib = 1};

	assert_int_equal(percpu_ring_bytes(&options), OPTIONS_RING_KIB_MIN << 10);
	options.ring_kib = 100;
	assert_int_equal(percpu_ring_bytes(&options), 128 << 10);
	options.ring_kib = OPTIONS_RING_KIB_MAX;
	assert_int_equal(percpu_ring_bytes(&options), (uint64_t)OPTIONS_RING_KIB_MAX << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(living_generation_is_kept_for_two_epochs),
		cmocka_unit_test(tombstone_is_kept_for_one),
		cmocka_unit_test(crowd_takes_tombstones_early_and_nothing_else),
		cmocka_unit_test(one_seen_after_our_clock_was_read_is_kept),
		cmocka_unit_test(lost_announcement_turns_the_epoch_once_and_not_too_often),
		cmocka_unit_test(losses_that_go_on_turn_it_ever_more_rarely),
		cmocka_unit_test(ring_is_a_power_of_two_within_its_limits),
		cmocka_unit_test(ring_of_a_said_size_is_at_least_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
