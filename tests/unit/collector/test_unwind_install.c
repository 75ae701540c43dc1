/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_install - a table is installed whole or not at all, and its units are reused after W
 */

#include "tests/unit/collector/unwind_install_fixture.h"

static const struct tm_unwind_table_page *page_of(struct world *world, uint32_t number,
						  uint32_t index)
{
	uint64_t reference = world->references[number];
	uint32_t starts = TM_UNWIND_MAP_STARTS(reference);

	return unwind_alloc_at(&world->tables.alloc,
			       TM_UNWIND_MAP_FIRST(reference) + (starts > 1) + starts +
				       TM_UNWIND_MAP_RULES(reference) + index);
}

static void table_is_complete_before_its_reference_is_set(void **state)
{
	struct world *world = *state;

	hand_over(world, 5, 0);
	answer_by(world, 5, KTIME, seal_rows(3, 70));
	assert_int_equal(world->tables.counts.installed, 1);
	assert_int_equal(world->tables.count, 1);
	assert_int_equal(world->tables.alloc.taken, (1 + 2 + 3));
	assert_int_equal(world->chunks, 1);
	assert_int_equal(TM_UNWIND_MAP_STARTS(world->references[5]), 1);
	assert_int_equal(TM_UNWIND_MAP_RULES(world->references[5]), 2);
	assert_int_equal(page_of(world, 5, 2)->rules[0], 2);
	assert_int_equal(world->files.entries[5].state, FILE_REQUESTS_ANSWERED);
}

static void table_without_rows_needs_no_unit(void **state)
{
	struct world *world = *state;

	hand_over(world, 5, 0);
	answer(world, 5, 0);
	assert_true(world->references[5] == TM_UNWIND_MAP_EMPTY);
	assert_int_equal(world->tables.counts.installed, 1);
	assert_int_equal(world->tables.alloc.taken, 0);
	assert_int_equal(world->chunks, 0);
}

static void only_an_expected_table_is_accepted(void **state)
{
	struct world *world = *state;

	answer(world, 5, 1); /* before any FILE */
	hand_over(world, 5, 0);
	answer_by(world, 5, KTIME + (1 << 10), seal_rows(1, 1)); /* to another FILE */
	assert_int_equal(world->references[5], 0);
	answer(world, 5, 1);
	answer(world, 5, 2);
	answer(world, 4, 1);
	assert_int_equal(world->tables.counts.installed, 1);
	assert_int_equal(world->tables.counts.refused, 4);
	assert_int_equal(world->tables.alloc.taken, 3);
}

static void answer_failed(struct world *world, uint32_t number, uint64_t value, uint64_t now_ms)
{
	const struct tm_wire message = {
		.kind = TM_WIRE_UNWIND_FAILED, .number = number, .value = value};

	unwind_install_failed(&world->tables, &message, now_ms);
}

static void file_that_could_not_be_parsed_has_no_table_yet(void **state)
{
	struct world *world = *state;

	hand_over(world, 5, 0);
	answer_failed(world, 5, KTIME, 1000);
	assert_int_equal(world->references[5], 0); /* not the empty table, which would be final */
	assert_int_equal(world->tables.counts.failed, 1);
	assert_int_equal(world->tables.counts.installed, 0);
	assert_int_equal(world->files.entries[5].state, FILE_REQUESTS_RETRY);
	answer(world, 5, 1); /* too late: it has already reported a failure */
	assert_int_equal(world->tables.counts.refused, 1);
	hand_over(world, 5, 0);
	answer(world, 5, 1);
	assert_int_equal(world->tables.counts.installed, 1);
}

static void only_an_expected_failure_is_accepted(void **state)
{
	struct world *world = *state;

	answer_failed(world, 5, KTIME, 1000); /* before any FILE */
	hand_over(world, 5, 0);
	answer_failed(world, 5, KTIME + (1 << 10), 1000); /* to another FILE */
	assert_int_equal(world->files.entries[5].state, FILE_REQUESTS_SENT);
	answer(world, 5, 1);
	answer_failed(world, 5, KTIME, 1000);
	assert_int_equal(world->files.entries[5].state, FILE_REQUESTS_ANSWERED);
	assert_int_equal(world->tables.counts.failed, 0);
	assert_int_equal(world->tables.counts.refused, 3);
	assert_int_equal(world->files.retrying, 0);
}

static void each_symbolizer_sends_the_vdso_table_once(void **state)
{
	struct world *world = *state;

	answer(world, TM_UNWIND_MAP_VDSO, 2);
	answer(world, TM_UNWIND_MAP_VDSO, 3);
	assert_int_equal(world->tables.counts.installed, 1);
	assert_int_equal(world->tables.alloc.taken, 4);
	assert_int_not_equal(world->references[UNWIND_INSTALL_VDSO], 0);
	world->tables.vdso_answered = false;
	answer(world, TM_UNWIND_MAP_VDSO, 3);
	pass(world);
	assert_int_equal(world->tables.alloc.taken, 5);
}

static void units_of_a_replaced_table_are_freed_once_w_has_passed(void **state)
{
	struct world *world = *state;
	uint32_t first;

	hand_over(world, 5, 0);
	answer(world, 5, 1);
	first = TM_UNWIND_MAP_FIRST(world->references[5]);
	hand_over(world, 5, 0);
	answer(world, 5, 2);
	assert_int_not_equal(TM_UNWIND_MAP_FIRST(world->references[5]), first);
	(void)tm_retire_run(&world->queue, tm_clock_ns() - 1000000000ull);
	assert_int_equal(world->tables.alloc.taken, 7);
	assert_int_equal(world->tables.count, 1);
	pass(world);
	assert_int_equal(world->tables.alloc.taken, 4);
}

/* As a new symbolizer sends it, and one whose cache had it before the first sample. */
static void equal_table_stays_where_it_is(void **state)
{
	struct world *world = *state;
	uint64_t reference;

	hand_over(world, 5, 0);
	answer_by(world, 5, KTIME, seal_rows(3, 70));
	reference = world->references[5];
	hand_over(world, 5, 0);
	answer_by(world, 5, KTIME, seal_rows(3, 70));
	assert_true(world->references[5] == reference);
	assert_int_equal(world->tables.counts.installed, 2);
	assert_int_equal(world->tables.alloc.taken, (1 + 2 + 3));
	hand_over(world, 5, 0);
	answer_by(world, 5, KTIME, seal_rows(3, 69)); /* in as many units */
	assert_true(world->references[5] != reference);
	assert_int_equal(world->tables.alloc.taken, 2 * (1 + 2 + 3));
}

static void full_budget_evicts_the_least_recently_announced_file_and_waits_for_w(void **state)
{
	struct world *world = *state;
	uint32_t half = UNITS / 2 - 10; /* pages; with 8 units of starts, top and rules */

	hand_over(world, 1, 3000);
	hand_over(world, 2, 9000);
	hand_over(world, 3, 0);
	answer(world, 1, half);
	answer(world, 2, half);
	answer(world, 3, half);
	assert_non_null(world->tables.pending);
	assert_int_equal(world->references[2], 0);
	assert_int_not_equal(world->references[1], 0);
	assert_int_equal(world->references[3], 0);
	assert_int_equal(world->tables.counts.evicted, 1);
	assert_int_equal(world->files.entries[2].state, FILE_REQUESTS_UNSEEN);
	assert_int_not_equal(world->files.entries[2].seen_ms, 0);
	unwind_install_advance(&world->tables); /* W has not risen */
	assert_non_null(world->tables.pending);
	pass(world);
	assert_null(world->tables.pending);
	assert_int_not_equal(world->references[3], 0);
	assert_int_equal(world->tables.counts.installed, 3);
	assert_int_equal(world->tables.counts.refused, 0);
}

static void many_small_tables_are_evicted_a_few_at_a_time(void **state)
{
	struct world *world = *state;
	unsigned rounds = 0;

	for (uint32_t i = 0; i < UNITS / 3; i++) {
		hand_over(world, i, 1000 + 1000 * i);
		answer(world, i, 1);
	}
	hand_over(world, 5000, 0);
	answer(world, 5000, 1000);
	for (; world->tables.pending; rounds++) {
		assert_in_range(world->tables.counts.evicted, 1,
				(rounds + 1) * 2 * UNWIND_INSTALL_EVICT_AT_ONCE);
		pass(world);
	}
	assert_int_not_equal(world->references[5000], 0);
	assert_in_range(world->tables.counts.evicted, 1000 / 3, 1000 / 3 + 4);
	assert_int_not_equal(world->references[0], 0); /* the one announced last */
}

static void table_beyond_half_of_the_budget_is_refused(void **state)
{
	struct world *world = *state;

	hand_over(world, 1, 0);
	answer(world, 1, UNITS / 2);
	assert_int_equal(world->tables.counts.refused, 1);
	hand_over(world, 1, 0);
	answer(world, 1, UNITS / 2 - 9); /* the bytes fit, the units do not */
	assert_int_equal(world->tables.counts.refused, 2);
	hand_over(world, 2, 0);
	answer(world, 2, UNITS / 2 - 10);
	assert_int_not_equal(world->references[2], 0);
}

static void chunks_are_made_one_at_a_time_and_only_after_a_round(void **state)
{
	const struct tm_wire message = {.kind = TM_WIRE_UNWIND_TABLE, .number = 5, .value = KTIME};
	struct world *world = *state;
	int fd = seal_rows(1100, 1);

	hand_over(world, 5, 0);
	(void)unwind_install_take(&world->tables, &message, fd);
	(void)close(fd);
	assert_int_equal(world->chunks, 0);
	unwind_install_advance(&world->tables);
	assert_int_equal(world->chunks, 1);
	assert_non_null(world->tables.pending);
	unwind_install_advance(&world->tables);
	assert_int_equal(world->chunks, 2);
	assert_null(world->tables.pending);
	unwind_install_forget(&world->tables, 5);
	unwind_install_advance(&world->tables);
	assert_int_equal(world->chunks, 1);
}

static void freed_number_frees_its_table_and_its_pending_one(void **state)
{
	struct world *world = *state;

	hand_over(world, 1, 1000);
	hand_over(world, 2, 2000);
	hand_over(world, 3, 0);
	answer(world, 1, 2000);
	answer(world, 2, 2000);
	answer(world, 3, 2000);
	assert_non_null(world->tables.pending);
	unwind_install_forget(&world->tables, 3);
	assert_null(world->tables.pending);
	unwind_install_forget(&world->tables, 1);
	assert_int_equal(world->tables.count, 0);
	pass(world);
	assert_int_equal(world->tables.alloc.taken, 0);
	rest(world);
	assert_int_equal(world->chunks, 0);
	assert_int_equal(world->tables.counts.refused, 0);
}

static void one_hundred_thousand_files_leak_nothing(void **state)
{
	struct world *world = *state;
	int small = seal_rows(1, 1), large = seal_rows(20, 100);

	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t number = i * 40503u % FILE_REQUESTS_MAX,
			 old = (i - 500) * 40503u % FILE_REQUESTS_MAX;

		hand_over(world, number, 0);
		answer_by(world, number, KTIME, dup(i % 7 ? small : large));
		assert_null(world->tables.pending);
		if (i >= 500) {
			unwind_install_forget(&world->tables, old);
			file_requests_drop(&world->files, old);
		}
	}
	assert_int_equal(world->tables.counts.installed, 100000);
	assert_int_equal(world->tables.count, 500);
	for (uint32_t i = 100000 - 500; i < 100000; i++)
		unwind_install_forget(&world->tables, i * 40503u % FILE_REQUESTS_MAX);
	assert_int_equal(world->tables.count, 0);
	assert_int_equal(world->tables.alloc.taken, 0);
	rest(world);
	assert_int_equal(world->chunks, 0);
	(void)close(small);
	(void)close(large);
}

/* Only the first chunk is in the store. */
static int adopt_first(void *context, uint32_t index, void **ret_memory)
{
	return index == 0 ? make_chunk(context, index, ret_memory) : -ENOENT;
}

static void tables_of_the_last_collector_keep_their_units(void **state)
{
	struct world *world = *state;
	uint32_t end;

	world->references[5] = TM_UNWIND_MAP_REFERENCE(7, 2, 1, 4);
	world->references[6] = TM_UNWIND_MAP_EMPTY;
	end = TM_UNWIND_MAP_FIRST(world->references[5]) + TM_UNWIND_MAP_UNITS(world->references[5]);
	for (uint32_t number = 4; number <= 6; number++)
		unwind_install_adopt(&world->tables, number, world->references[number],
				     adopt_first);
	assert_int_equal(world->tables.count, 1);
	assert_int_equal(world->tables.alloc.taken, end - 7);
	assert_int_equal(world->chunks, 1);
	assert_true(world->references[5] != 0 && world->references[6] == TM_UNWIND_MAP_EMPTY);
	for (uint32_t number = 8; number < 11; number++) { /* others get other units */
		hand_over(world, number, 0);
		answer(world, number, 1);
		assert_true(TM_UNWIND_MAP_FIRST(world->references[number]) >= end ||
			    TM_UNWIND_MAP_FIRST(world->references[number]) +
					    TM_UNWIND_MAP_UNITS(world->references[number]) <=
				    7);
	}
	assert_int_equal(world->tables.count, 4);
}

static void table_whose_chunk_is_missing_is_given_up(void **state)
{
	struct world *world = *state;
	const uint64_t reference = TM_UNWIND_MAP_REFERENCE(TM_UNWIND_UNITS_CHUNK + 1, 2, 1, 4);

	world->references[5] = reference;
	unwind_install_adopt(&world->tables, 5, reference, adopt_first);
	assert_int_equal(world->references[5], 0);
	assert_int_equal(world->tables.count, 0);
	assert_int_equal(world->tables.alloc.taken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(table_is_complete_before_its_reference_is_set),
		CASE(table_without_rows_needs_no_unit),
		CASE(only_an_expected_table_is_accepted),
		CASE(file_that_could_not_be_parsed_has_no_table_yet),
		CASE(only_an_expected_failure_is_accepted),
		CASE(each_symbolizer_sends_the_vdso_table_once),
		CASE(units_of_a_replaced_table_are_freed_once_w_has_passed),
		CASE(equal_table_stays_where_it_is),
		CASE(full_budget_evicts_the_least_recently_announced_file_and_waits_for_w),
		CASE(many_small_tables_are_evicted_a_few_at_a_time),
		CASE(table_beyond_half_of_the_budget_is_refused),
		CASE(chunks_are_made_one_at_a_time_and_only_after_a_round),
		CASE(freed_number_frees_its_table_and_its_pending_one),
		CASE(tables_of_the_last_collector_keep_their_units),
		CASE(table_whose_chunk_is_missing_is_given_up),
		CASE(one_hundred_thousand_files_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
