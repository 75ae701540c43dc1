/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_search - binary search finds what a linear search finds, in lists of every small length
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shared/search.h"

#define LENGTH_MAX 17u
#define STEP       3u /* between two keys of a list, each of which stands there twice */

static uint64_t list[LENGTH_MAX];

static bool is_at_or_behind(const void *keys, uint32_t index, uint64_t key)
{
	return ((const uint64_t *)keys)[index] >= key;
}

static bool is_behind(const void *keys, uint32_t index, uint64_t key)
{
	return ((const uint64_t *)keys)[index] > key;
}

static int setup(void **state)
{
	for (uint32_t i = 0; i < LENGTH_MAX; i++)
		list[i] = 1 + (uint64_t)STEP * (i / 2);
	return 0;
}

static void first_is_that_of_a_linear_search(void **state)
{
	for (uint32_t count = 0; count <= LENGTH_MAX; count++)
		for (uint64_t key = 0; key < (uint64_t)STEP * LENGTH_MAX; key++) {
			uint32_t expected = 0;

			while (expected < count && list[expected] < key)
				expected++;
			assert_int_equal(search_first(list, count, key, is_at_or_behind), expected);
		}
}

static void last_is_that_of_a_linear_search(void **state)
{
	for (uint32_t count = 0; count <= LENGTH_MAX; count++)
		for (uint64_t key = 0; key < (uint64_t)STEP * LENGTH_MAX; key++) {
			uint32_t expected = 0;

			for (uint32_t i = 0; i < count; i++)
				if (list[i] <= key)
					expected = i;
			assert_int_equal(search_last(list, count, key, is_behind), expected);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_is_that_of_a_linear_search),
		cmocka_unit_test(last_is_that_of_a_linear_search),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
