/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_numbers - an entry for each number in use, and none for long behind its RETIRE */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/profile/file_numbers.h"

#define SECOND 1000000000ull

static struct budget budget;
static struct file_numbers numbers;

static int begin(void **state)
{
	budget = (struct budget){.limit = 1 << 20};
	file_numbers_init(&numbers, &budget);
	return 0;
}

static int end(void **state)
{
	file_numbers_deinit(&numbers);
	assert_int_equal(budget.used, 0);
	return 0;
}

static void retire(uint32_t number, uint64_t ktime)
{
	file_numbers_find(&numbers, number)->retired_ktime = ktime;
	numbers.retired_ktime = ktime;
}

static void each_number_has_its_own_entry(void **state)
{
	for (uint32_t number = 0; number < 5000; number++) {
		uint32_t scattered = number * 7919 % 524288;

		assert_null(file_numbers_find(&numbers, scattered));
		assert_non_null(file_numbers_get(&numbers, scattered));
	}
	for (uint32_t number = 0; number < 5000; number++) {
		uint32_t scattered = number * 7919 % 524288;

		assert_int_equal(file_numbers_find(&numbers, scattered)->number, scattered);
		assert_ptr_equal(file_numbers_get(&numbers, scattered),
				 file_numbers_find(&numbers, scattered));
	}
	assert_int_equal(numbers.count, 5000);
}

static void number_that_was_retired_long_ago_is_forgotten(void **state)
{
	assert_non_null(file_numbers_get(&numbers, 1));
	assert_non_null(file_numbers_get(&numbers, 2));
	retire(1, SECOND);
	retire(2, SECOND + FILE_NUMBERS_KEPT_NS);
	file_numbers_forget(&numbers);
	assert_int_equal(file_numbers_find(&numbers, 1)->retired_ktime, SECOND);
	retire(2, 2 * SECOND + FILE_NUMBERS_KEPT_NS);
	file_numbers_forget(&numbers);
	assert_null(file_numbers_find(&numbers, 1));
	assert_non_null(file_numbers_find(&numbers, 2));
}

static void number_that_stands_for_something_is_kept(void **state)
{
	for (uint32_t number = 1; number <= 4; number++) {
		assert_non_null(file_numbers_get(&numbers, number));
		retire(number, SECOND);
	}
	file_numbers_find(&numbers, 1)->file = 1;
	file_numbers_find(&numbers, 2)->early = 1;
	file_numbers_find(&numbers, 3)->table_wanted = true;
	retire(4, 2 * SECOND + FILE_NUMBERS_KEPT_NS);
	file_numbers_forget(&numbers);
	for (uint32_t number = 1; number <= 4; number++)
		assert_non_null(file_numbers_find(&numbers, number));
}

static void numbers_that_come_and_go_need_no_more_memory(void **state)
{
	uint64_t used = 0;

	for (uint32_t number = 0; number < 100000; number++) {
		assert_non_null(file_numbers_get(&numbers, number));
		retire(number, number * SECOND);
		file_numbers_forget(&numbers);
		if (number == 1000)
			used = budget.used;
	}
	assert_int_equal(budget.used, used);
	assert_in_range(numbers.count, 300, 310);
}

static void number_without_memory_has_no_entry(void **state)
{
	uint32_t count = 0;

	while (file_numbers_get(&numbers, count))
		count++;
	assert_in_range(count, 5000, 100000);
	assert_null(file_numbers_find(&numbers, count));
	assert_null(file_numbers_get(&numbers, count));
	assert_int_equal(file_numbers_find(&numbers, count - 1)->number, count - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_number_has_its_own_entry),
		TEST(number_that_was_retired_long_ago_is_forgotten),
		TEST(number_that_stands_for_something_is_kept),
		TEST(numbers_that_come_and_go_need_no_more_memory),
		TEST(number_without_memory_has_no_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
