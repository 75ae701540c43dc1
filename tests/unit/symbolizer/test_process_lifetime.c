/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_process_lifetime - when a generation is retired, and what is left of it
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/world.h"

#define MS 1000000ull

static union make_record record;

static void begin_life(struct world *world, uint64_t ktime)
{
	assert_int_equal(world_make(world), 0);
	make_process(&record, 9, "leader", 1, "prog\0bin\0usr\0", 13, "unit\0slice\0", 11);
	record.event.ktime = ktime;
	assert_int_equal(process_announce(&world->processes, &record.process), 0);
}

static uint32_t sample_at(struct world *world, uint64_t ktime)
{
	uint32_t process;

	make_sample(&record, ktime, 9, "worker", NULL, 0, 0);
	assert_int_equal(process_of_sample(&world->processes, &record.event, 0, &process), 0);
	return process;
}

static void exit_at(struct world *world, uint64_t ktime)
{
	make_exit(&record, ktime, 9);
	process_exit(&world->processes, &record.event);
}

static void exited_generation_goes_within_two_epochs(void **state)
{
	static struct world world;
	const uint64_t born = 1000 * MS, died = born + 5 * MS;

	begin_life(&world, born);
	exit_at(&world, died);
	(void)tm_retire_run(&world.queue, died + TM_EPOCH_NS);
	assert_int_equal(world.processes.live, 1);
	(void)tm_retire_run(&world.queue, died + 2 * TM_EPOCH_NS + 1);
	assert_int_equal(world.processes.live, 0);
	assert_int_equal(world.processes.retired, 1);
	assert_int_equal(world.queue.count, 0);
	assert_int_equal(world_end(&world), 0);
}

static void exited_generation_never_goes_before_its_last_sample(void **state)
{
	static struct world world;
	const uint64_t born = 1000 * MS, died = born + TM_EPOCH_NS;
	uint32_t process;

	begin_life(&world, born);
	(void)sample_at(&world, died - MS);
	exit_at(&world, died);
	assert_int_equal(world_forget(&world), 0); /* nothing pins it any more */
	(void)tm_retire_run(&world.queue, died + 5 * MS);
	process = sample_at(&world, died + 6 * MS);
	assert_string_equal(world_text(&world, world.processes.items[process].comm), "leader");
	assert_int_equal(world.processes.items[process].exit_ktime, died);
	assert_int_equal(world_forget(&world), 0);
	(void)tm_retire_run(&world.queue, died + 6 * MS + TM_EPOCH_NS);
	assert_int_equal(world.processes.live, 1);
	(void)tm_retire_run(&world.queue, died + 2 * TM_EPOCH_NS + 1);
	assert_int_equal(world.processes.live, 0);
	assert_int_equal(world_end(&world), 0);
}

static void generation_whose_exit_was_lost_goes_after_two_silent_epochs(void **state)
{
	static struct world world;
	const uint64_t born = 1000 * MS;
	uint64_t last = born;

	begin_life(&world, born);
	for (int i = 0; i < 10; i++) {
		last += 2 * TM_EPOCH_NS;
		(void)tm_retire_run(&world.queue, last);
		assert_int_equal(world.processes.live, 1);
		(void)sample_at(&world, last);
	}
	(void)tm_retire_run(&world.queue, last + 2 * TM_EPOCH_NS);
	assert_int_equal(world.processes.live, 1);
	(void)tm_retire_run(&world.queue, last + 2 * TM_EPOCH_NS + 1);
	assert_int_equal(world.processes.live, 0);
	assert_int_equal(world_end(&world), 0);
}

static void unreported_sample_pins_what_it_refers_to(void **state)
{
	static struct world world;
	const uint64_t born = 1000 * MS;
	uint32_t process;

	begin_life(&world, born);
	process = sample_at(&world, born + MS);
	exit_at(&world, born + 2 * MS);
	(void)tm_retire_run(&world.queue, born + 9 * TM_EPOCH_NS);
	assert_int_equal(world.processes.retired, 1);
	assert_string_equal(world_text(&world, world.processes.items[process].exe),
			    "/usr/bin/prog");
	assert_int_equal(world.processes.items[process].state, PROCESS_RETIRED);
	assert_int_equal(world_forget(&world), 0);
	assert_int_equal(world.processes.items[process].state, PROCESS_FREE);
	assert_int_equal(world_end(&world), 0);
}

/* The key never names another generation, so joining it again cannot be wrong. */
static void silent_generation_that_is_sampled_again_is_still_one(void **state)
{
	static struct world world;
	const uint64_t born = 1000 * MS;
	uint32_t before, after;

	begin_life(&world, born);
	before = sample_at(&world, born + MS);
	(void)tm_retire_run(&world.queue, born + 9 * TM_EPOCH_NS);
	assert_int_equal(world.processes.live, 0);
	after = sample_at(&world, born + 10 * TM_EPOCH_NS);
	assert_int_equal(before, after);
	assert_int_equal(world.processes.live, 1);
	(void)tm_retire_run(&world.queue, born + 20 * TM_EPOCH_NS);
	assert_int_equal(world.processes.retired, 2);
	assert_int_equal(world_end(&world), 0);
}

static void place_of_a_forgotten_generation_brings_nothing_along(void **state)
{
	static struct world world;
	const uint64_t born = 1000 * MS;
	uint32_t before, after;

	begin_life(&world, born);
	before = sample_at(&world, born + MS);
	exit_at(&world, born + 2 * MS);
	(void)tm_retire_run(&world.queue, born + 9 * TM_EPOCH_NS);
	assert_int_equal(world_forget(&world), 0);
	after = sample_at(&world, born + 10 * TM_EPOCH_NS);
	assert_int_equal(before, after); /* the place, not the generation */
	assert_string_equal(world_text(&world, world.processes.items[after].exe), "");
	assert_int_equal(world.processes.items[after].exit_ktime, 0);
	assert_false(world.processes.items[after].announced);
	assert_int_equal(world_end(&world), 0);
}

static void names_outlive_the_strings_of_a_report(void **state)
{
	static struct world world;
	const struct process *process;

	begin_life(&world, 1000 * MS);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(world_forget(&world), 0);
		process = &world.processes.items[sample_at(&world, 1001 * MS)];
		assert_string_equal(world_text(&world, process->comm), "leader");
		assert_string_equal(world_text(&world, process->exe), "/usr/bin/prog");
		assert_string_equal(world_text(&world, process->cgroup), "/slice/unit");
		assert_int_equal(process->ns_tgid, 7);
	}
	assert_int_equal(world_end(&world), 0);
}

static void names_without_room_come_back_with_the_next_announcement(void **state)
{
	static struct world world;
	uint64_t limit;

	begin_life(&world, 1000 * MS);
	limit = world.budget.limit;
	for (uint64_t spare = 0; spare < 100000; spare += 4096) {
		struct strings fresh;
		const struct process *process;

		world.budget.limit = limit;
		assert_int_equal(strings_init(&fresh, &world.budget, &world.seed), 0);
		world.budget.limit = world.budget.used + spare;
		process_forget(&world.processes, &fresh);
		strings_deinit(&world.strings);
		world.strings = fresh;
		world.budget.limit = limit;
		process = &world.processes.items[0];
		assert_string_equal(world_text(&world, process->exe),
				    process->announced ? "/usr/bin/prog" : "");
		make_process(&record, 9, "leader", 1, "prog\0bin\0usr\0", 13, "unit\0slice\0", 11);
		assert_int_equal(process_announce(&world.processes, &record.process), 0);
		assert_string_equal(world_text(&world, world.processes.items[0].exe),
				    "/usr/bin/prog");
	}
	assert_int_equal(world_end(&world), 0);
}

static void many_lives_leave_no_place_and_no_byte_behind(void **state)
{
	static struct world world;
	uint64_t used = 0;

	begin_life(&world, 1000 * MS);
	/* A thousand a second, a report every 10 s: about 30,000 are kept at a time, at most. */
	for (uint64_t i = 1; i <= 200000; i++) {
		uint64_t now = 1000 * MS + i * MS;
		uint32_t process;

		make_process(&record, (uint32_t)i, "short", 1, "prog\0bin\0", 9, "unit\0", 5);
		record.event.ktime = now;
		assert_int_equal(process_announce(&world.processes, &record.process), 0);
		make_sample(&record, now, (uint32_t)i, "short", NULL, 0, 0);
		assert_int_equal(process_of_sample(&world.processes, &record.event, 0, &process),
				 0);
		make_exit(&record, now, (uint32_t)i);
		if (i % 10) /* the others are lost */
			process_exit(&world.processes, &record.event);
		(void)tm_retire_run(&world.queue, now);
		if (i % 10000 == 0)
			assert_int_equal(world_forget(&world), 0);
		if (i == 100000)
			used = world.budget.used;
		assert_true(world.processes.count < 45000);
	}
	assert_true(world.budget.used <= used);
	(void)tm_retire_run(&world.queue, 1000000 * MS);
	assert_int_equal(world_forget(&world), 0);
	assert_int_equal(world.processes.live, 0);
	assert_int_equal(world.processes.retired, 200000); /* one had lived before */
	assert_int_equal(world.processes.lookup.used, 0);
	assert_int_equal(world.queue.count, 0);
	assert_int_equal(world_end(&world), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exited_generation_goes_within_two_epochs),
		cmocka_unit_test(exited_generation_never_goes_before_its_last_sample),
		cmocka_unit_test(generation_whose_exit_was_lost_goes_after_two_silent_epochs),
		cmocka_unit_test(unreported_sample_pins_what_it_refers_to),
		cmocka_unit_test(silent_generation_that_is_sampled_again_is_still_one),
		cmocka_unit_test(place_of_a_forgotten_generation_brings_nothing_along),
		cmocka_unit_test(names_outlive_the_strings_of_a_report),
		cmocka_unit_test(names_without_room_come_back_with_the_next_announcement),
		cmocka_unit_test(many_lives_leave_no_place_and_no_byte_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
