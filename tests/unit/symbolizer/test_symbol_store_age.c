/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_store_age - what no report has used for long is forgotten, and nothing else is
 */

#include "tests/unit/symbolizer/symbol_store_fixture.h"

#define MANY 70u /* more than are forgotten at once, twice */

/* A symbol_store_stays_fn: file 3 has a number. */
static bool has_number(void *context, const struct tm_identity *identity)
{
	assert_ptr_equal(context, &store);
	return identity->ino == 3;
}

static void end_reports(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		symbol_store_end_report(&store, has_number, &store);
}

/* As if the entries of now had last been used so long ago. */
static void wait_idle(int64_t milliseconds)
{
	for (uint32_t i = 0; i < store.count; i++)
		store.entries[i].used_ms -= milliseconds;
}

static bool is_there(uint64_t ino)
{
	const struct tm_identity identity = identity_of(ino);

	return symbol_entries_find(&store, &identity) != SYMBOL_STORE_NO_ENTRY;
}

static void what_nobody_has_used_for_long_is_forgotten(void **state)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO, refused = identity_of(4);
	struct symbol_store_pin pinned;

	assert_int_equal(symbol_store_begin(&store, &vdso, 0), 0);
	symbol_store_refuse(&store, &vdso, TM_UNNAMED_NOT_ELF);
	for (uint64_t ino = 1; ino <= 5; ino++)
		assert_int_equal(ask(ino, 0), 0);
	for (uint64_t ino = 1; ino <= 3; ino++)
		put(ino, "main", 0);
	symbol_store_refuse(&store, &refused, TM_UNNAMED_NOT_ELF);
	pinned = pin(2);
	end_reports(SYMBOL_STORE_IDLE_REPORTS + 1);
	wait_idle(SYMBOL_STORE_IDLE_MS);
	end_reports(1);
	assert_false(is_there(1));
	assert_true(is_there(2)); /* pinned */
	assert_true(is_there(3)); /* has a number */
	assert_false(is_there(4));
	assert_true(is_there(5)); /* asked for */
	assert_int_equal(symbol_store_begin(&store, &vdso, 0), SYMBOL_STORE_E_SETTLED);
	symbol_store_unpin(&store, &pinned);
	end_reports(1);
	assert_false(is_there(2));
	named(3, "main");
	assert_int_equal(symbol_store_take_counts(&store).evicted, 0);
	assert_int_equal(ask(1, 0), 0); /* as one that was never seen */
	put(1, "more", 0);
	named(1, "more");
}

static void many_are_forgotten_with_one_report(void **state)
{
	for (uint64_t ino = 1; ino <= MANY; ino++) {
		assert_int_equal(ask(ino, 0), 0);
		put(ino, "main", 0);
	}
	end_reports(SYMBOL_STORE_IDLE_REPORTS);
	wait_idle(SYMBOL_STORE_IDLE_MS);
	end_reports(1);
	for (uint64_t ino = 1; ino <= MANY; ino++)
		assert_int_equal(is_there(ino), ino == 3);
}

static void what_is_used_or_announced_again_stays(void **state)
{
	assert_int_equal(ask(1, 0), 0);
	put(1, "main", 0);
	assert_int_equal(ask(2, 0), 0);
	put(2, "next", 0);
	end_reports(SYMBOL_STORE_IDLE_REPORTS + 1);
	wait_idle(SYMBOL_STORE_IDLE_MS);
	named(1, "main");
	assert_int_equal(ask(2, 0), SYMBOL_STORE_E_SETTLED);
	end_reports(SYMBOL_STORE_IDLE_REPORTS + 1);
	assert_true(is_there(1) && is_there(2));
	wait_idle(SYMBOL_STORE_IDLE_MS - 1000);
	end_reports(1);
	assert_true(is_there(1) && is_there(2));
}

/* However long an interval is, what belongs to it is there when it is reported. */
static void time_alone_forgets_nothing(void **state)
{
	assert_int_equal(ask(1, 0), 0);
	put(1, "main", 0);
	wait_idle(100 * (int64_t)SYMBOL_STORE_IDLE_MS);
	end_reports(SYMBOL_STORE_IDLE_REPORTS);
	assert_true(is_there(1));
	end_reports(1);
	assert_false(is_there(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(what_nobody_has_used_for_long_is_forgotten),
		of_its_own(many_are_forgotten_with_one_report),
		of_its_own(what_is_used_or_announced_again_stays),
		of_its_own(time_alone_forgets_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
