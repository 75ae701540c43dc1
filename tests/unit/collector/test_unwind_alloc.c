/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_alloc - runs never overlap; chunks are made and dropped one at a time */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/unwind_alloc.h"

#define LIMIT (3 * TM_UNWIND_UNITS_CHUNK)

static uint8_t memory[3][4];
static unsigned made[3];
static unsigned fail; /* counts down to the call of make_chunk that fails */

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
	static struct unwind_alloc alloc;
	const struct unwind_alloc_kernel kernel = {NULL, make_chunk, drop_chunk};

	*state = &alloc;
	fail = 0;
	return unwind_alloc_init(&alloc, LIMIT, kernel);
}

static int unmake(void **state)
{
	unwind_alloc_deinit(*state);
	assert_int_equal(made[0] + made[1] + made[2], 0);
	return 0;
}

static uint32_t take(struct unwind_alloc *alloc, uint32_t count)
{
	uint32_t first = UINT32_MAX;
	int r;

	while ((r = unwind_alloc_take(alloc, count, &first)) == UNWIND_ALLOC_E_CHUNK)
		assert_int_equal(unwind_alloc_grow(alloc), 0);
	assert_int_equal(r, 0);
	return first;
}

static void run_may_cross_chunks(void **state)
{
	struct unwind_alloc *alloc = *state;

	assert_int_equal(take(alloc, TM_UNWIND_UNITS_CHUNK - 1), 0);
	assert_int_equal(made[0] + made[1], 1);
	assert_int_equal(take(alloc, 2), TM_UNWIND_UNITS_CHUNK - 1);
	assert_int_equal(made[1], 1);
	assert_ptr_equal(unwind_alloc_at(alloc, TM_UNWIND_UNITS_CHUNK), memory[1]);
	unwind_alloc_free(alloc, 0, TM_UNWIND_UNITS_CHUNK - 1);
	unwind_alloc_shrink(alloc);
	assert_int_equal(made[0] + made[1], 2); /* each has a unit of the second run */
	unwind_alloc_free(alloc, TM_UNWIND_UNITS_CHUNK - 1, 2);
	assert_int_equal(alloc->taken, 0);
	assert_int_equal(made[0] + made[1], 2);
	unwind_alloc_shrink(alloc);
	assert_int_equal(made[0] + made[1], 1); /* one at a time */
	unwind_alloc_shrink(alloc);
	assert_int_equal(made[0] + made[1], 0);
	unwind_alloc_shrink(alloc);
}

static void first_gap_that_fits_is_taken(void **state)
{
	struct unwind_alloc *alloc = *state;

	(void)take(alloc, 10);
	assert_int_equal(take(alloc, 5), 10);
	(void)take(alloc, 10);
	unwind_alloc_free(alloc, 10, 5);
	assert_int_equal(take(alloc, 6), 25);
	assert_int_equal(take(alloc, 5), 10);
}

static void retired_units_count_as_taken_until_they_are_freed(void **state)
{
	struct unwind_alloc *alloc = *state;
	uint32_t first;

	(void)take(alloc, LIMIT);
	assert_int_equal(unwind_alloc_take(alloc, 1, &first), UNWIND_ALLOC_E_FULL);
	assert_false(unwind_alloc_will_fit(alloc, 1));
	unwind_alloc_leave(alloc, 7, 3);
	assert_int_equal(unwind_alloc_take(alloc, 1, &first), UNWIND_ALLOC_E_FULL);
	assert_true(unwind_alloc_will_fit(alloc, 3));
	assert_false(unwind_alloc_will_fit(alloc, 4));
	assert_int_equal(alloc->taken, LIMIT);
	unwind_alloc_free(alloc, 7, 3);
	assert_int_equal(take(alloc, 3), 7);
}

static void run_beyond_the_limit_never_fits(void **state)
{
	struct unwind_alloc *alloc = *state;
	uint32_t first;

	assert_int_equal(unwind_alloc_take(alloc, LIMIT + 1, &first), UNWIND_ALLOC_E_FULL);
	assert_int_equal(unwind_alloc_take(alloc, UINT32_MAX, &first), UNWIND_ALLOC_E_FULL);
	assert_int_equal(take(alloc, LIMIT), 0);
}

static void run_is_not_taken_while_a_chunk_of_it_is_missing(void **state)
{
	struct unwind_alloc *alloc = *state;
	uint32_t first;

	for (unsigned have = 0; have < 3; have++) {
		assert_int_equal(unwind_alloc_take(alloc, LIMIT, &first), UNWIND_ALLOC_E_CHUNK);
		assert_int_equal(alloc->taken, 0);
		fail = 1;
		assert_int_equal(unwind_alloc_grow(alloc), -ENOMEM);
		assert_int_equal(made[0] + made[1] + made[2], have);
		assert_int_equal(unwind_alloc_grow(alloc), 0);
	}
	assert_int_equal(take(alloc, LIMIT), 0);
}

static unsigned adopted;

static int adopt_chunk(void *context, uint32_t index, void **ret_memory)
{
	if (index == 2)
		return -ENOENT;
	adopted++;
	return make_chunk(context, index, ret_memory);
}

static void adopted_runs_are_taken_with_their_chunks(void **state)
{
	struct unwind_alloc *alloc = *state;
	uint32_t first = TM_UNWIND_UNITS_CHUNK - 2;

	adopted = 0;
	assert_int_equal(unwind_alloc_adopt(alloc, first, 4, adopt_chunk), 0);
	assert_int_equal(adopted, 2);
	assert_int_equal(alloc->taken, 4);
	assert_int_equal(unwind_alloc_adopt(alloc, first + 4, 3, adopt_chunk), 0);
	assert_int_equal(adopted, 2);
	assert_int_equal(take(alloc, first), 0);
	assert_int_equal(take(alloc, 1), first + 7);
	unwind_alloc_free(alloc, first, 4);
	assert_int_equal(take(alloc, 4), first);
}

static void invalid_runs_are_not_adopted(void **state)
{
	struct unwind_alloc *alloc = *state;

	assert_int_equal(unwind_alloc_adopt(alloc, 5, 5, adopt_chunk), 0);
	assert_int_equal(unwind_alloc_adopt(alloc, 9, 2, adopt_chunk), -EINVAL);
	assert_int_equal(unwind_alloc_adopt(alloc, 0, 0, adopt_chunk), -EINVAL);
	assert_int_equal(unwind_alloc_adopt(alloc, LIMIT - 1, 2, adopt_chunk), -EINVAL);
	assert_int_equal(unwind_alloc_adopt(alloc, UINT32_MAX, 2, adopt_chunk), -EINVAL);
	assert_int_equal(unwind_alloc_adopt(alloc, LIMIT - 1, 1, adopt_chunk), -ENOENT);
	assert_int_equal(alloc->taken, 5);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(run_may_cross_chunks),
		CASE(first_gap_that_fits_is_taken),
		CASE(retired_units_count_as_taken_until_they_are_freed),
		CASE(run_beyond_the_limit_never_fits),
		CASE(run_is_not_taken_while_a_chunk_of_it_is_missing),
		CASE(adopted_runs_are_taken_with_their_chunks),
		CASE(invalid_runs_are_not_adopted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
