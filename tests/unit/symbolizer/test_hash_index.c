/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hash_index - added entries are found and removed ones are not, whatever their neighbours
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/base/hash_index.h"

#define THINGS 300u

static int is_found(const struct hash_index *lookup, uint32_t hash, uint32_t wanted)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(lookup, &walk)) != HASH_INDEX_NONE)
		if (index == wanted)
			return 1;
	return 0;
}

/* Few hashes, at the end of the table and its beginning, so that runs are long and wrap. */
static uint32_t hash_of(uint32_t thing)
{
	return 0xfffffff0u + thing % 29;
}

static void removal_keeps_all_other_entries(void **state)
{
	struct budget budget = {.limit = 1 << 20};
	struct hash_index lookup = {.budget = &budget};
	uint8_t there[THINGS] = {0};
	uint64_t random = 88172645463325252ull;
	uint32_t count = 0;

	for (int step = 0; step < 5000; step++) {
		uint32_t thing;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		thing = (uint32_t)(random >> 20) % THINGS;
		if (there[thing])
			hash_index_remove(&lookup, hash_of(thing), thing);
		else
			assert_int_equal(hash_index_add(&lookup, hash_of(thing), thing), 0);
		there[thing] = !there[thing];
		count += there[thing] ? 1 : UINT32_MAX;
		assert_int_equal(lookup.used, count);
		if (step % 50 == 0)
			for (uint32_t i = 0; i < THINGS; i++)
				assert_int_equal(is_found(&lookup, hash_of(i), i), there[i]);
	}
	hash_index_deinit(&lookup);
	assert_int_equal(budget.used, 0);
}

static void removal_of_a_missing_entry_changes_nothing(void **state)
{
	struct budget budget = {.limit = 1 << 20};
	struct hash_index lookup = {.budget = &budget};

	hash_index_remove(&lookup, 5, 1);
	assert_int_equal(hash_index_add(&lookup, 5, 1), 0);
	hash_index_remove(&lookup, 5, 2);
	hash_index_remove(&lookup, 6, 1);
	assert_true(is_found(&lookup, 5, 1));
	assert_int_equal(lookup.used, 1);
	hash_index_deinit(&lookup);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removal_keeps_all_other_entries),
		cmocka_unit_test(removal_of_a_missing_entry_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
