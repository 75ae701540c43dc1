/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_python_loops - where the first loop has not begun, each function goes to the loop behind the
 * one that it was given to
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/runtime.h"
#include "symbolizer/profile/python_loops.h"
#include "tests/unit/symbolizer/make.h"

#define LATE                 METHOD_WORD(0, TM_RUNTIME_PLACE_LATE)
#define LOOP(n)              FILE_WORD(1, 0x100 + (n))
#define NATIVE(n)            FILE_WORD(2, n)
#define FUNCTION(n)          METHOD_WORD(2 * (n), n)
#define KERNEL               1 /* frames */

#define COUNT(words)         (sizeof(words) / sizeof(*(words)))
#define expect(given, right) expect_words(given, COUNT(given), right, COUNT(right))

static void expect_words(const uint64_t *given, size_t given_count, const uint64_t *right,
			 size_t right_count)
{
	uint64_t words[16] = {LATE}; /* of the kernel, where it means nothing */
	static union make_record record;

	memcpy(words + KERNEL, given, given_count * sizeof(*given));
	make_sample(&record, 1, 42, "c", words, KERNEL, (uint16_t)given_count);
	python_loops_settle(&record.sample);
	assert_int_equal(record.sample.user_frames, right_count);
	assert_int_equal(record.event.bytes, sizeof(record.sample) + 8 * (KERNEL + right_count));
	assert_true(record.sample.frames[0] == LATE);
	assert_memory_equal(record.sample.frames + KERNEL, right, right_count * sizeof(*right));
}

static void functions_go_to_the_loops_that_run_them(void **state)
{
	const uint64_t given[] = {NATIVE(1), FUNCTION(1), LOOP(1), NATIVE(2), FUNCTION(2),
				  LOOP(2),   NATIVE(3),   LATE,    LOOP(3),   NATIVE(4)};
	const uint64_t right[] = {NATIVE(1), LOOP(1),     NATIVE(2), FUNCTION(1), LOOP(2),
				  NATIVE(3), FUNCTION(2), LOOP(3),   NATIVE(4)};

	expect(given, right);
}

static void function_without_number_goes_too(void **state)
{
	const uint64_t given[] = {METHOD_WORD(0, 7), LOOP(1), LATE, LOOP(2)};
	const uint64_t right[] = {LOOP(1), METHOD_WORD(0, 7), LOOP(2)};

	expect(given, right);
}

static void functions_of_java_stay(void **state)
{
	const uint64_t given[] = {METHOD_WORD(3, 0), FUNCTION(1), LOOP(1), LATE, LOOP(2)};
	const uint64_t right[] = {METHOD_WORD(3, 0), LOOP(1), FUNCTION(1), LOOP(2)};

	expect(given, right);
}

static void other_stacks_stay(void **state)
{
	const uint64_t whole[] = {FUNCTION(1), LOOP(1), FUNCTION(2), LOOP(2)};
	const uint64_t unknown[] = {FUNCTION(1), LOOP(1), METHOD_WORD(0, TM_FRAME_PLACE_MAX),
				    LOOP(2)};
	const uint64_t twice[] = {FUNCTION(1), LOOP(1), LATE, LOOP(2), LATE, LOOP(3)};
	const uint64_t alone[] = {NATIVE(1), LATE, LOOP(1)};

	expect(whole, whole);
	expect(unknown, unknown);
	expect(twice, twice);
	expect(alone, alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_go_to_the_loops_that_run_them),
		cmocka_unit_test(function_without_number_goes_too),
		cmocka_unit_test(functions_of_java_stay),
		cmocka_unit_test(other_stacks_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
