/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_percent - two hexadecimal digits are a byte, and nothing else is
 */

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shared/percent.h"

static void each_byte_is_two_digits_of_either_case(void **state)
{
	char digits[3];

	for (int byte = 0; byte < 256; byte++) {
		(void)snprintf(digits, sizeof(digits), "%02x", (unsigned)byte);
		assert_int_equal(tm_percent_byte(digits), byte);
		(void)snprintf(digits, sizeof(digits), "%02X", (unsigned)byte);
		assert_int_equal(tm_percent_byte(digits), byte);
	}
}

/* Other characters whose bits differ from a digit's by those of a letter's case, too. */
static void other_characters_are_no_digits(void **state)
{
	for (int c = 0; c < 256; c++) {
		const char first[] = {(char)c, '1'}, second[] = {'1', (char)c};

		if (isxdigit(c))
			continue;
		assert_int_equal(tm_percent_byte(first), -1);
		assert_int_equal(tm_percent_byte(second), -1);
	}
}

/* A sanitizer sees a byte read beyond the text. */
static void nothing_is_read_behind_a_text_s_end(void **state)
{
	char *end = calloc(1, 1);

	assert_non_null(end);
	assert_int_equal(tm_percent_byte(end), -1);
	free(end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_is_two_digits_of_either_case),
		cmocka_unit_test(other_characters_are_no_digits),
		cmocka_unit_test(nothing_is_read_behind_a_text_s_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
