/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_strings - strings are stored once, cleaned and within the budget; their hash index
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/base/strings.h"
#include "tests/unit/symbolizer/recording.h"

static void equal_strings_are_one(void **state)
{
	static struct recording recording;
	uint32_t a, b, c;

	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(strings_add(&recording.strings, "main", 4, &a), 0);
	assert_int_equal(strings_add(&recording.strings, "main\0behind", 11, &b), 0);
	assert_int_equal(strings_add(&recording.strings, "mainly", 6, &c), 0);
	assert_int_equal(a, b);
	assert_int_not_equal(a, c);
	assert_string_equal(recording_text(&recording, 0), "");
	assert_string_equal(recording_text(&recording, a), "main");
	assert_int_equal(recording_end(&recording), 0);
}

static void hostile_bytes_are_cleaned(void **state)
{
	static struct recording recording;
	uint32_t string;

	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(strings_add(&recording.strings, "a\nb\x7f\xff\xc2\x85z", 9, &string), 0);
	assert_string_equal(recording_text(&recording, string), "a_b_\xef\xbf\xbd_z");
	assert_int_equal(recording_end(&recording), 0);
}

static void too_long_a_string_is_cut(void **state)
{
	static char text[3 * STRINGS_MAX_BYTES];
	static struct recording recording;
	uint32_t string;

	memset(text, 0xff, sizeof(text));
	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(strings_add(&recording.strings, text, sizeof(text), &string), 0);
	assert_int_equal(strlen(recording_text(&recording, string)), 3 * STRINGS_MAX_BYTES);
	assert_int_equal(recording_end(&recording), 0);
}

static void thousands_are_found_again(void **state)
{
	static struct recording recording;
	static uint32_t first[3000];
	uint32_t again;

	assert_int_equal(recording_make(&recording), 0);
	for (uint32_t i = 0; i < 3000; i++)
		assert_int_equal(strings_format(&recording.strings, &first[i], "name %u", i), 0);
	for (uint32_t i = 0; i < 3000; i++) {
		assert_int_equal(strings_format(&recording.strings, &again, "name %u", i), 0);
		assert_int_equal(again, first[i]);
	}
	assert_int_equal(recording.strings.count, 3001);
	assert_int_equal(recording_end(&recording), 0);
}

static void exhausted_budget_refuses_new_strings_but_finds_old_ones(void **state)
{
	static struct recording recording;
	uint32_t old, string, added = 0;

	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(strings_add(&recording.strings, "old", 3, &old), 0);
	recording.budget.limit = recording.budget.used + (256u << 10);
	while (!strings_format(&recording.strings, &string, "a fairly long name %u", added))
		added++;
	assert_true(added > 100);
	assert_int_equal(strings_add(&recording.strings, "old", 3, &string), 0);
	assert_int_equal(string, old);
	assert_true(recording.budget.used <= recording.budget.limit);
	assert_int_equal(recording_end(&recording), 0);
}

static void hash_depends_on_seed_length_and_bytes(void **state)
{
	struct hash_seed a = {{1, 2}}, b = {{1, 3}};

	assert_int_equal(hash_bytes(&a, "abc", 3), hash_bytes(&a, "abc", 3));
	assert_int_not_equal(hash_bytes(&a, "abc", 3), hash_bytes(&b, "abc", 3));
	assert_int_not_equal(hash_bytes(&a, "abc", 3), hash_bytes(&a, "abd", 3));
	assert_int_not_equal(hash_bytes(&a, "abc\0", 4), hash_bytes(&a, "abc", 3));
	assert_int_not_equal(hash_bytes(&a, "12345678", 8), hash_bytes(&a, "12345678\0", 9));
}

static void colliding_hashes_give_every_index(void **state)
{
	struct budget budget = {.limit = 1 << 20};
	struct hash_index lookup = {.budget = &budget};
	struct hash_index_walk walk = hash_index_start(7);
	uint64_t seen = 0;
	uint32_t index;

	for (uint32_t i = 0; i < 60; i++)
		assert_int_equal(hash_index_add(&lookup, i % 2 ? 7 : 71, i), 0);
	while ((index = hash_index_next(&lookup, &walk)) != HASH_INDEX_NONE)
		seen |= 1ull << index;
	assert_int_equal(seen, 0xaaaaaaaaaaaaaaaull);
	hash_index_deinit(&lookup);
	assert_int_equal(budget.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_are_one),
		cmocka_unit_test(hostile_bytes_are_cleaned),
		cmocka_unit_test(too_long_a_string_is_cut),
		cmocka_unit_test(thousands_are_found_again),
		cmocka_unit_test(exhausted_budget_refuses_new_strings_but_finds_old_ones),
		cmocka_unit_test(hash_depends_on_seed_length_and_bytes),
		cmocka_unit_test(colliding_hashes_give_every_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
