/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_store - what is asked for and when, what is evicted, and what a report finds
 */

#include <pthread.h>
#include <sched.h>

#include "tests/unit/symbolizer/symbol_store_fixture.h"

static void file_is_asked_for_once(void **state)
{
	assert_int_equal(reason(1), TM_UNNAMED_PENDING);
	assert_int_equal(ask(1, 0), 0);
	assert_int_equal(ask(1, 0), SYMBOL_STORE_E_LATER);
	assert_int_equal(reason(1), TM_UNNAMED_PENDING);
	put(1, "main", 0);
	assert_int_equal(ask(1, 1ll << 40), SYMBOL_STORE_E_SETTLED);
	named(1, "main");
	put(1, "evil", 0); /* nobody asked */
	named(1, "main");
}

static void identities_do_not_mix(void **state)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	struct tm_identity other = identity_of(1);

	other.mtime_nsec = 1;
	assert_int_equal(ask(1, 0), 0);
	assert_int_equal(symbol_store_begin(&store, &other, 0), 0);
	assert_int_equal(symbol_store_begin(&store, &vdso, 0), 0);
	put(1, "main", 0);
	symbol_store_refuse(&store, &other, TM_UNNAMED_NOT_ELF);
	named(1, "main");
	assert_int_equal(symbol_store_begin(&store, &vdso, 0), SYMBOL_STORE_E_LATER);
}

static void file_without_a_table_for_good_is_never_asked_for_again(void **state)
{
	const struct tm_identity identity = identity_of(1);

	assert_int_equal(ask(1, 0), 0);
	symbol_store_refuse(&store, &identity, TM_UNNAMED_TOO_LARGE);
	assert_int_equal(ask(1, 1ll << 40), SYMBOL_STORE_E_SETTLED);
	assert_int_equal(reason(1), TM_UNNAMED_TOO_LARGE);
	assert_int_equal(symbol_store_take_counts(&store).none, 1);
	assert_int_equal(symbol_store_take_counts(&store).none, 0);
}

static void table_that_lies_counts_as_none(void **state)
{
	const struct tm_identity identity = identity_of(1);
	struct symbols symbols = make_symbols();

	symbols.symbols[0].name = 99;
	assert_int_equal(ask(1, 0), 0);
	symbol_store_put(&store, &identity,
			 tm_region_seal_blob("symbols", &symbols, sizeof(symbols)), 0);
	assert_int_equal(reason(1), TM_UNNAMED_MALFORMED);
}

static void pauses_between_failures_double_up_to_a_limit(void **state)
{
	const struct tm_identity identity = identity_of(1);
	int64_t now_ms = 5, pause = SYMBOL_STORE_PAUSE_MS;

	for (int i = 0; i < 300; i++) {
		assert_int_equal(ask(1, now_ms), 0);
		symbol_store_fail(&store, &identity, TM_UNNAMED_NOT_PARSED, now_ms);
		assert_int_equal(reason(1), TM_UNNAMED_NOT_PARSED);
		assert_int_equal(ask(1, now_ms + pause - 1), SYMBOL_STORE_E_LATER);
		now_ms += pause;
		if (pause < SYMBOL_STORE_PAUSE_MAX)
			pause *= 2;
	}
	assert_int_equal(pause, SYMBOL_STORE_PAUSE_MAX);
	assert_int_equal(ask(1, now_ms), 0);
	put(1, "main", 0);
	named(1, "main");
}

static void least_recently_used_table_goes_first_and_a_pinned_one_stays(void **state)
{
	struct symbol_store_pin first;

	for (uint64_t ino = 1; ino <= 4; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "main", BUDGET / 4 - 32768);
	}
	first = pin(1);
	named(2, "main");
	assert_int_equal(ask(5, 0), 0);
	put(5, "last", BUDGET / 4);
	assert_int_equal(reason(3), TM_UNNAMED_EVICTED);
	named(2, "main");
	named(4, "main");
	named(5, "last");
	assert_string_equal(first.table.names + 1, "main");
	symbol_store_unpin(&store, &first);
	assert_int_equal(symbol_store_take_counts(&store).evicted, 1);
	assert_true(store.budget.used <= BUDGET);
}

static void huge_table_takes_the_place_of_a_large_one_and_not_of_many_small_ones(void **state)
{
	for (uint64_t ino = 1; ino <= 4; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "tiny", 4096);
	}
	for (uint64_t ino = 5; ino <= 8; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "huge", BUDGET / 2 - 65536);
		named(ino, "huge");
	}
	for (uint64_t ino = 1; ino <= 4; ino++)
		named(ino, "tiny");
	assert_int_equal(reason(5), TM_UNNAMED_EVICTED);
	assert_true(store.budget.used <= BUDGET);
}

static void evicted_table_is_wanted_again_once_a_report_missed_it(void **state)
{
	struct tm_identity again;

	assert_int_equal(symbol_store_next_again(&store, &again), SYMBOL_STORE_E_NONE);
	for (uint64_t ino = 1; ino <= 3; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "main", BUDGET / 2 - 65536);
	}
	assert_int_equal(symbol_store_next_again(&store, &again), SYMBOL_STORE_E_NONE);
	assert_int_equal(reason(1), TM_UNNAMED_EVICTED);
	assert_int_equal(reason(1), TM_UNNAMED_EVICTED);
	assert_int_equal(symbol_store_next_again(&store, &again), 0);
	assert_int_equal(again.ino, 1);
	assert_int_equal(symbol_store_next_again(&store, &again), SYMBOL_STORE_E_NONE);
	assert_int_equal(ask(1, 0), 0);
	put(1, "more", 0);
	named(1, "more");
}

static void evicted_table_is_made_again_for_the_report_that_waits(void **state)
{
	const struct tm_identity wanted[2] = {identity_of(1), identity_of(2)};
	struct tm_identity again;

	for (uint64_t ino = 1; ino <= 4; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "main", BUDGET / 2 - 65536);
	}
	assert_false(symbol_store_wait(&store, wanted, 2, 0));
	while (symbol_store_next_again(&store, &again) == 0) {
		assert_int_equal(ask(again.ino, 0), 0);
		put(again.ino, "more", BUDGET / 2 - 65536);
	}
	assert_true(symbol_store_wait(&store, wanted, 2, 0));
	named(1, "more");
	named(2, "more");
}

static void *give_up_what_is_wanted(void *context)
{
	struct tm_identity again;

	while (symbol_store_next_again(&store, &again) != 0)
		(void)sched_yield();
	symbol_store_give_up(&store, &again);
	return context;
}

static void no_report_waits_for_what_cannot_be_asked_for_again(void **state)
{
	const struct tm_identity wanted = identity_of(1);
	pthread_t thread;

	for (uint64_t ino = 1; ino <= 3; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "main", BUDGET / 2 - 65536);
	}
	assert_int_equal(pthread_create(&thread, NULL, give_up_what_is_wanted, NULL), 0);
	assert_true(symbol_store_wait(&store, &wanted, 1, 60000));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(reason(1), TM_UNNAMED_EVICTED);
}

static void table_without_room_fails_and_one_beyond_the_budget_is_refused(void **state)
{
	struct symbol_store_pin pins[2];

	for (uint64_t ino = 1; ino <= 2; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "main", BUDGET / 2 - 32768);
		pins[ino - 1] = pin(ino);
	}
	assert_int_equal(ask(3, 0), 0);
	put(3, "more", BUDGET / 2 - 32768);
	assert_int_equal(reason(3), TM_UNNAMED_MEMORY);
	symbol_store_unpin(&store, &pins[0]);
	symbol_store_unpin(&store, &pins[1]);
	assert_int_equal(ask(3, SYMBOL_STORE_PAUSE_MS), 0);
	put(3, "more", BUDGET / 2 - 32768);
	named(3, "more");
	assert_int_equal(ask(4, 0), 0);
	put(4, "much", BUDGET / 2 + 1);
	assert_int_equal(reason(4), TM_UNNAMED_MEMORY);
	assert_int_equal(ask(4, 1ll << 40), SYMBOL_STORE_E_SETTLED);
}

static void entries_are_bounded_by_the_budget(void **state)
{
	for (uint64_t ino = 1; ino <= 100000; ino++) {
		const struct tm_identity identity = identity_of(ino);

		assert_int_equal(ask(ino, 0), 0);
		symbol_store_refuse(&store, &identity, TM_UNNAMED_NOT_ELF);
		assert_true(store.budget.used <= BUDGET);
	}
	assert_int_equal(reason(100000), TM_UNNAMED_NOT_ELF);
	assert_int_equal(reason(1), TM_UNNAMED_PENDING);
}

static void *answer_late(void *context)
{
	put(2, "late", 0);
	return context;
}

static void wait_ends_with_the_last_answer_or_at_its_time(void **state)
{
	const struct tm_identity wanted[2] = {identity_of(1), identity_of(2)};
	pthread_t thread;

	assert_int_equal(ask(1, 0), 0);
	assert_int_equal(ask(2, 0), 0);
	put(1, "main", 0);
	assert_false(symbol_store_wait(&store, wanted, 2, 1));
	assert_int_equal(pthread_create(&thread, NULL, answer_late, NULL), 0);
	assert_true(symbol_store_wait(&store, wanted, 2, 60000));
	assert_int_equal(pthread_join(thread, NULL), 0);
	named(2, "late");
	assert_true(symbol_store_wait(&store, wanted, 0, 0));
}

/* As a reporter pins while the reader's answers evict: no table goes under a pin. */
static void *report_all_the_time(void *context)
{
	for (int i = 0; i < 20000; i++) {
		struct symbol_store_pin found = pin(1 + (uint64_t)i % 8);

		if (found.entry != SYMBOL_STORE_NO_ENTRY)
			assert_string_equal(found.table.names + 1, "main");
		symbol_store_unpin(&store, &found);
	}
	return context;
}

static void threads_share_it(void **state)
{
	struct tm_identity again;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, report_all_the_time, NULL), 0);
	for (int i = 0; i < 2000; i++) {
		uint64_t ino = 1 + (uint64_t)i % 8;

		if (ask(ino, 0) == 0)
			put(ino, "main", BUDGET / 4);
		(void)symbol_store_next_again(&store, &again);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(symbol_store_take_counts(&store).evicted > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(file_is_asked_for_once),
		of_its_own(identities_do_not_mix),
		of_its_own(evicted_table_is_made_again_for_the_report_that_waits),
		of_its_own(no_report_waits_for_what_cannot_be_asked_for_again),
		of_its_own(file_without_a_table_for_good_is_never_asked_for_again),
		of_its_own(table_that_lies_counts_as_none),
		of_its_own(pauses_between_failures_double_up_to_a_limit),
		of_its_own(least_recently_used_table_goes_first_and_a_pinned_one_stays),
		of_its_own(huge_table_takes_the_place_of_a_large_one_and_not_of_many_small_ones),
		of_its_own(evicted_table_is_wanted_again_once_a_report_missed_it),
		of_its_own(table_without_room_fails_and_one_beyond_the_budget_is_refused),
		of_its_own(entries_are_bounded_by_the_budget),
		of_its_own(wait_ends_with_the_last_answer_or_at_its_time),
		of_its_own(threads_share_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
