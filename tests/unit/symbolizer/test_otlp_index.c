/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_otlp_index - equal keys have one number, whatever bytes they are of
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/output/otlp_index.h"

#define KEYS 5000u

static struct budget budget;
static struct arena arena;
static struct otlp_index numbers;
static int error;

static int begin(void **state)
{
	budget = (struct budget){.limit = UINT64_MAX};
	arena = (struct arena){.budget = &budget};
	error = 0;
	return 0;
}

static int end(void **state)
{
	arena_deinit(&arena);
	return budget.used != 0;
}

static void make(enum otlp_index_kind kind, uint64_t most)
{
	assert_int_equal(otlp_index_init(&numbers, &arena, kind, most, &error), 0);
}

static void numbers_are_given_in_the_order_of_first_keys(void **state)
{
	bool is_new;

	make(OTLP_INDEX_COPIES, 3);
	assert_int_equal(otlp_index_add(&numbers, "ab", 2, &is_new), 0);
	assert_true(is_new);
	assert_int_equal(otlp_index_add(&numbers, "a", 1, &is_new), 1);
	assert_true(is_new);
	assert_int_equal(otlp_index_add(&numbers, "ab", 2, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(otlp_index_add(&numbers, "ab\0", 3, NULL), 2);
	assert_int_equal(numbers.count, 3);
}

static void as_many_keys_fit_as_were_foreseen(void **state)
{
	make(OTLP_INDEX_COPIES, KEYS);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < KEYS; i++) {
			const uint32_t key[] = {i / 70, i % 70};
			bool is_new;

			assert_int_equal(otlp_index_add(&numbers, key, sizeof(key), &is_new), i);
			assert_int_equal(is_new, round == 0);
		}
}

static void copied_keys_outlive_the_callers(void **state)
{
	char key[] = "first";

	make(OTLP_INDEX_COPIES, 2);
	assert_int_equal(otlp_index_add(&numbers, key, 5, NULL), 0);
	memcpy(key, "other", 5);
	assert_int_equal(otlp_index_add(&numbers, key, 5, NULL), 1);
	assert_int_equal(otlp_index_add(&numbers, "first", 5, NULL), 0);
	assert_memory_equal(numbers.keys[0].bytes, "first", 5);
}

static void borrowed_keys_are_the_callers(void **state)
{
	static const char key[] = "list";

	make(OTLP_INDEX_BORROWS, 1);
	assert_int_equal(otlp_index_add(&numbers, key, 4, NULL), 0);
	assert_ptr_equal(numbers.keys[0].bytes, key);
}

static void texts_are_compared_by_their_characters(void **state)
{
	char copy[] = "text";

	make(OTLP_INDEX_TEXTS, 2);
	assert_int_equal(otlp_index_add_text(&numbers, "text"), 0);
	assert_int_equal(otlp_index_add_text(&numbers, copy), 0);
	assert_int_equal(otlp_index_add_text(&numbers, ""), 1);
	assert_string_equal(numbers.texts[0], "text");
}

static void key_that_cannot_be_copied_is_an_error(void **state)
{
	static char key[2 * ARENA_CHUNK_BYTES];
	bool is_new = true;

	make(OTLP_INDEX_COPIES, 4);
	budget.limit = budget.used;
	assert_int_equal(otlp_index_add(&numbers, key, sizeof(key), &is_new), 0);
	assert_false(is_new);
	assert_int_equal(error, -ENOMEM);
	assert_int_equal(numbers.count, 0);
	assert_int_equal(otlp_index_init(&numbers, &arena, OTLP_INDEX_COPIES, 1u << 20, &error),
			 -ENOMEM);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(numbers_are_given_in_the_order_of_first_keys),
		claim(as_many_keys_fit_as_were_foreseen),
		claim(copied_keys_outlive_the_callers),
		claim(borrowed_keys_are_the_callers),
		claim(texts_are_compared_by_their_characters),
		claim(key_that_cannot_be_copied_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
