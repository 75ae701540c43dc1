/* SPDX-License-Identifier: Apache-2.0 */
/* test_terminal - cleans hostile text in place, for a terminal */

#include "tests/unit/cli/check.h"

#include <string.h>

#include "cli/terminal.h"

static void plain_text_is_unchanged(void **state)
{
	char text[32] = "a <b> \xc3\xa4 \xe2\x82\xac";
	char same[32];

	memcpy(same, text, sizeof(text));
	terminal_clean(text, sizeof(text));
	assert_string_equal(text, same);
}

static void escapes_and_newlines_are_replaced(void **state)
{
	char text[32] = "a\033[2Jb\nc\rd\x7f\xc2\x9b";

	terminal_clean(text, sizeof(text));
	assert_string_equal(text, "a_[2Jb_c_d__");
}

static void unterminated_text_is_terminated_within_its_buffer(void **state)
{
	char text[9];

	memset(text, 'x', sizeof(text));
	text[8] = '!';
	terminal_clean(text, 8);
	assert_int_equal(strlen(text), 7);
	assert_int_equal(text[8], '!');
}

static void longer_replacements_stay_within_the_buffer(void **state)
{
	char text[16];

	memset(text, 0xff, sizeof(text));
	text[12] = '!';
	terminal_clean(text, 12);
	assert_true(strlen(text) < 12);
	assert_int_equal(text[12], '!');
}

static void empty_buffer_is_not_written(void **state)
{
	char text[2] = "x";

	terminal_clean(text, 0);
	assert_string_equal(text, "x");
	terminal_clean(text, 1);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_unchanged),
		cmocka_unit_test(escapes_and_newlines_are_replaced),
		cmocka_unit_test(unterminated_text_is_terminated_within_its_buffer),
		cmocka_unit_test(longer_replacements_stay_within_the_buffer),
		cmocka_unit_test(empty_buffer_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
