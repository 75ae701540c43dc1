/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_alloc - runs never overlap, chunks come and go one at a time */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/unwind_alloc.h"

#define LIMIT (3 * TM_UNITS_CHUNK)

static uint8_t memory[3][4];
static unsigned made[3];
static unsigned fail; /* the make that fails, counted down */

static int make_chunk(void *context, uint32_t index, void **ret_memory)
{
	if (fail && --fail == 0)
		return -ENOMEM;
	assert_int_equal(made[index], 0);
	made[index] = 1;
	*ret_memory = memory[index];
	return 0;
}

static void drop_chunk(void *context, uint32_t index, void *chunk)
{
	assert_ptr_equal(chunk, memory[index]);
	assert_int_equal(made[index], 1);
	made[index] = 0;
}

static int make(void **state)
{
	static struct tm_units units;
	const struct tm_units_kernel kernel = {NULL, make_chunk, drop_chunk};

	*state = &units;
	fail = 0;
	return tm_units_init(&units, LIMIT, kernel);
}

static int unmake(void **state)
{
	tm_units_deinit(*state);
	assert_int_equal(made[0] + made[1] + made[2], 0);
	return 0;
}

static uint32_t take(struct tm_units *units, uint32_t count)
{
	uint32_t first = UINT32_MAX;
	int r;

	while ((r = tm_units_take(units, count, &first)) == TM_UNITS_E_CHUNK)
		assert_int_equal(tm_units_grow(units), 0);
	assert_int_equal(r, 0);
	return first;
}

static void run_may_cross_chunks(void **state)
{
	struct tm_units *units = *state;

	assert_int_equal(take(units, TM_UNITS_CHUNK - 1), 0);
	assert_int_equal(made[0] + made[1], 1);
	assert_int_equal(take(units, 2), TM_UNITS_CHUNK - 1);
	assert_int_equal(made[1], 1);
	assert_ptr_equal(tm_units_at(units, TM_UNITS_CHUNK), memory[1]);
	tm_units_free(units, 0, TM_UNITS_CHUNK - 1);
	tm_units_shrink(units);
	assert_int_equal(made[0] + made[1], 2); /* each has a unit of the second run */
	tm_units_free(units, TM_UNITS_CHUNK - 1, 2);
	assert_int_equal(units->taken, 0);
	assert_int_equal(made[0] + made[1], 2);
	tm_units_shrink(units);
	assert_int_equal(made[0] + made[1], 1); /* one at a time */
	tm_units_shrink(units);
	assert_int_equal(made[0] + made[1], 0);
	tm_units_shrink(units);
}

static void first_gap_that_fits_is_taken(void **state)
{
	struct tm_units *units = *state;

	(void)take(units, 10);
	assert_int_equal(take(units, 5), 10);
	(void)take(units, 10);
	tm_units_free(units, 10, 5);
	assert_int_equal(take(units, 6), 25);
	assert_int_equal(take(units, 5), 10);
}

static void leaving_units_are_taken_until_they_are_free(void **state)
{
	struct tm_units *units = *state;
	uint32_t first;

	(void)take(units, LIMIT);
	assert_int_equal(tm_units_take(units, 1, &first), TM_UNITS_E_FULL);
	assert_false(tm_units_will_fit(units, 1));
	tm_units_leave(units, 7, 3);
	assert_int_equal(tm_units_take(units, 1, &first), TM_UNITS_E_FULL);
	assert_true(tm_units_will_fit(units, 3));
	assert_false(tm_units_will_fit(units, 4));
	assert_int_equal(units->taken, LIMIT);
	tm_units_free(units, 7, 3);
	assert_int_equal(take(units, 3), 7);
}

static void more_than_there_are_never_fit(void **state)
{
	struct tm_units *units = *state;
	uint32_t first;

	assert_int_equal(tm_units_take(units, LIMIT + 1, &first), TM_UNITS_E_FULL);
	assert_int_equal(tm_units_take(units, UINT32_MAX, &first), TM_UNITS_E_FULL);
	assert_int_equal(take(units, LIMIT), 0);
}

static void run_is_not_taken_while_a_chunk_of_it_is_missing(void **state)
{
	struct tm_units *units = *state;
	uint32_t first;

	for (unsigned have = 0; have < 3; have++) {
		assert_int_equal(tm_units_take(units, LIMIT, &first), TM_UNITS_E_CHUNK);
		assert_int_equal(units->taken, 0);
		fail = 1;
		assert_int_equal(tm_units_grow(units), -ENOMEM);
		assert_int_equal(made[0] + made[1] + made[2], have);
		assert_int_equal(tm_units_grow(units), 0);
	}
	assert_int_equal(take(units, LIMIT), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(run_may_cross_chunks),
		CASE(first_gap_that_fits_is_taken),
		CASE(leaving_units_are_taken_until_they_are_free),
		CASE(more_than_there_are_never_fit),
		CASE(run_is_not_taken_while_a_chunk_of_it_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
