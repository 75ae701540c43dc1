/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_install_failures - if a step of an installation fails, everything is as it was before
 */

#include "tests/unit/collector/unwind_install_fixture.h"

static unsigned allocations; /* counts down to the one that fails; 0: none fails */

static bool allocation_fails(void)
{
	return allocations && --allocations == 0;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
	return allocation_fails() ? NULL : __real_malloc(bytes);
}

void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
	return allocation_fails() ? NULL : __real_reallocarray(memory, count, bytes);
}

struct baseline {
	uint64_t taken, chunks, count, reference, installed, evicted, queued;
};

static struct baseline take_baseline(const struct world *world)
{
	return (struct baseline){world->tables.alloc.taken,
				 world->chunks,
				 world->tables.count,
				 world->references[5],
				 world->tables.counts.installed,
				 world->tables.counts.evicted,
				 world->queue.count};
}

/* Sends a table that needs two chunks more, while the n-th step fails. Return: whether one did. */
static bool one_step_fails(struct world *world, unsigned call, unsigned allocation)
{
	const struct tm_wire message = {.kind = TM_WIRE_UNWIND_TABLE, .number = 5, .value = KTIME};
	const struct baseline before = take_baseline(world);
	uint64_t refused = world->tables.counts.refused;
	int fd = seal_rows(1100, 1);
	struct baseline after;

	hand_over(world, 5, 0);
	world->calls = 0;
	world->fails = call;
	allocations = allocation;
	(void)unwind_install_take(&world->tables, &message, fd);
	grow(world);
	allocations = 0;
	world->fails = 0;
	(void)close(fd);
	assert_null(world->tables.pending);
	if (world->tables.counts.refused != refused)
		rest(world);
	after = take_baseline(world);
	if (world->tables.counts.refused == refused)
		return false;
	assert_memory_equal(&after, &before, sizeof(after));
	return true;
}

/* Lets one step after the other fail, then none. */
static void every_step_fails(struct world *world, unsigned of_memory, unsigned calls)
{
	for (unsigned i = 1; i <= of_memory; i++)
		assert_true(one_step_fails(world, 0, i));
	for (unsigned i = 1; i <= calls; i++)
		assert_true(one_step_fails(world, i, 0));
	assert_false(one_step_fails(world, calls + 1, 0));
	assert_int_equal(world->calls, calls);
}

static void first_table_that_fails_at_any_step_leaves_no_orphan(void **state)
{
	struct world *world = *state;

	every_step_fails(world, 2, 3); /* copy, queue; two chunks, reference */
	assert_int_equal(world->tables.count, 1);
	unwind_install_forget(&world->tables, 5);
	assert_int_equal(world->tables.alloc.taken, 0);
	rest(world);
	assert_int_equal(world->chunks, 0);
}

static void replacement_that_fails_at_any_step_leaves_the_old_table(void **state)
{
	struct world *world = *state;

	hand_over(world, 5, 0);
	answer(world, 5, 900);
	every_step_fails(world, 1, 2); /* copy; one chunk more, reference */
	assert_int_equal(world->tables.count, 1);
	pass(world);
	assert_int_equal(world->tables.alloc.taken, 1100 + 1 + 5 + 1);
}

static void eviction_that_fails_evicts_nothing_and_refuses_the_new_table(void **state)
{
	struct world *world = *state;

	hand_over(world, 1, 2000);
	hand_over(world, 2, 1000);
	answer(world, 1, UNITS / 2 - 10);
	answer(world, 2, UNITS / 2 - 10);
	assert_true(one_step_fails(world, 1, 0));
	assert_int_equal(world->tables.count, 2);
	assert_int_equal(world->files.entries[1].state, FILE_REQUESTS_ANSWERED);
	hand_over(world, 5, 0);
	answer(world, 5, 1100);
	assert_non_null(world->tables.pending);
	pass(world);
	assert_int_not_equal(world->references[5], 0);
	assert_int_equal(world->tables.counts.evicted, 1);
}

static void reference_that_fails_after_w_has_risen_frees_the_new_table_alone(void **state)
{
	struct world *world = *state;

	hand_over(world, 1, 2000);
	hand_over(world, 2, 1000);
	hand_over(world, 5, 0);
	answer(world, 1, UNITS / 2 - 10);
	answer(world, 2, UNITS / 2 - 10);
	answer(world, 5, 1100);
	assert_non_null(world->tables.pending);
	world->calls = 0;
	world->fails = 1; /* the chunks of the evicted table are still there */
	pass(world);
	assert_null(world->tables.pending);
	assert_int_equal(world->tables.counts.refused, 1);
	assert_int_equal(world->references[5], 0);
	assert_int_equal(world->tables.alloc.taken, UNITS / 2);
	rest(world);
	assert_int_equal(world->chunks, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(first_table_that_fails_at_any_step_leaves_no_orphan),
		CASE(replacement_that_fails_at_any_step_leaves_the_old_table),
		CASE(eviction_that_fails_evicts_nothing_and_refuses_the_new_table),
		CASE(reference_that_fails_after_w_has_risen_frees_the_new_table_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
