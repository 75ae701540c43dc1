/* SPDX-License-Identifier: Apache-2.0 */
/* test_percpu - the size of a CPU's ring, the hits that its event owes, and which events are
 * accepted */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "collector/percpu.h"

#define PERIOD 1000000

struct world { /* one CPU; its event is a pipe that holds a counter's values */
	struct percpu percpu;
	struct percpu_event event;
	int counter;
};

static int make(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	int ends[2];

	if (!world || pipe(ends) < 0)
		return -1;
	world->counter = ends[1];
	world->event = (struct percpu_event){
		.cpu = 3, .fd = ends[0], .first_ns = PERIOD, .period_ns = PERIOD};
	world->percpu = (struct percpu){
		.maps = {.possible = 8}, .count = 1, .events = &world->event, .period_ns = PERIOD};
	*state = world;
	return 0;
}

static int unmake(void **state)
{
	struct world *world = *state;

	(void)close(world->event.fd);
	(void)close(world->counter);
	free(world);
	return 0;
}

static uint64_t owed_at(struct world *world, uint64_t ns)
{
	assert_int_equal(write(world->counter, &ns, sizeof(ns)), sizeof(ns));
	return percpu_owed(&world->percpu);
}

static void owed_hits_are_the_periods_for_which_the_event_was_enabled(void **state)
{
	assert_int_equal(owed_at(*state, 0), 0);
	assert_int_equal(owed_at(*state, 5 * PERIOD - 1), 4);
	assert_int_equal(owed_at(*state, 5 * PERIOD), 5);
}

static void owed_hits_never_decrease(void **state)
{
	struct world *world = *state;

	assert_int_equal(owed_at(world, 5 * PERIOD), 5);
	assert_int_equal(owed_at(world, 2 * PERIOD), 5);
	assert_int_equal(write(world->counter, "four", 4), 4);
	assert_int_equal(percpu_owed(&world->percpu), 5);
	world->percpu.owed_before = 7;
	assert_int_equal(owed_at(world, 6 * PERIOD), 13);
}

static void event_that_accepts_no_program_changes_nothing(void **state)
{
	struct world *world = *state;
	int fd = dup(STDIN_FILENO);

	assert_true(percpu_add_cpu(&world->percpu, 3, fd, -1, true) < 0);
	assert_true(percpu_add_cpu(&world->percpu, 4, fd, -1, true) < 0);
	assert_int_equal(world->percpu.count, 1);
	assert_int_not_equal(world->event.fd, fd);
	assert_int_equal(close(fd), 0); /* the descriptor is still the caller's */
}

static void impossible_cpu_is_refused(void **state)
{
	struct world *world = *state;

	assert_int_equal(percpu_add_cpu(&world->percpu, 8, 0, -1, true), -ERANGE);
	assert_int_equal(percpu_add_cpu(&world->percpu, UINT64_MAX, 0, -1, true), -ERANGE);
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

static void rings_of_many_cpus_share_a_limit(void **state)
{
	static struct options options = {.hz = 99};

	for (options.perf_count = 1; options.perf_count <= OPTIONS_CPUS_MAX;
	     options.perf_count *= 2) {
		uint64_t bytes = percpu_ring_bytes(&options);

		assert_true(bytes * options.perf_count <= PERCPU_RINGS_BYTES ||
			    bytes == OPTIONS_RING_KIB_MIN << 10);
		assert_true(bytes <= 512 << 10);
		if (options.perf_count <= 16)
			assert_int_equal(bytes, 512 << 10);
		if (options.perf_count == 128)
			assert_int_equal(bytes, 64 << 10);
	}
}

static void ring_of_a_given_size_is_at_least_that_large(void **state)
{
	static struct options options = {.hz = 99, .ring_kib = 1};

	assert_int_equal(percpu_ring_bytes(&options), OPTIONS_RING_KIB_MIN << 10);
	options.ring_kib = 100;
	assert_int_equal(percpu_ring_bytes(&options), 128 << 10);
	options.ring_kib = OPTIONS_RING_KIB_MAX;
	assert_int_equal(percpu_ring_bytes(&options), (uint64_t)OPTIONS_RING_KIB_MAX << 10);
}

static void what_is_in_the_rings_is_left_to_the_next_collector(void **state)
{
	struct tm_counts counts = {
		.taken = 100,
		.pushed = 60,
		.drops = {[TM_DROP_NESTED] = 3, [TM_DROP_RING_FULL] = 7},
		.off_cpu = {.taken = 50,
			    .taken_ns = 5000,
			    .pushed = 20,
			    .pushed_ns = 3000,
			    .drops = {[TM_DROP_NO_RING] = 10},
			    .drops_ns = {[TM_DROP_NO_RING] = 1000}},
	};

	assert_int_equal(percpu_in_flight(&counts), 30 + 20);
	percpu_leave_in_flight(&counts);
	assert_int_equal(percpu_in_flight(&counts), 0);
	assert_int_equal(counts.taken, 70);
	assert_int_equal(counts.pushed, 60);
	assert_int_equal(counts.off_cpu.taken, 30);
	assert_int_equal(counts.off_cpu.taken_ns, 4000);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(owed_hits_are_the_periods_for_which_the_event_was_enabled),
		CASE(owed_hits_never_decrease),
		CASE(event_that_accepts_no_program_changes_nothing),
		CASE(impossible_cpu_is_refused),
		cmocka_unit_test(what_is_in_the_rings_is_left_to_the_next_collector),
		cmocka_unit_test(ring_is_a_power_of_two_within_its_limits),
		cmocka_unit_test(rings_of_many_cpus_share_a_limit),
		cmocka_unit_test(ring_of_a_given_size_is_at_least_that_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
