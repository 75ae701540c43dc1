/* SPDX-License-Identifier: Apache-2.0 */
/* test_terminal - hostile text in its own place */

#include "tests/unit/cli/check.h"

#include <string.h>

#include "cli/terminal.h"

static void plain_text_stays(void **state)
{
	char text[32] = "a <b> \xc3\xa4 \xe2\x82\xac";
	char same[32];

	memcpy(same, text, sizeof(text));
	terminal_clean(text, sizeof(text));
	assert_string_equal(text, same);
}

static void escapes_and_newlines_go(void **state)
{
	char text[32] = "a\033[2Jb\nc\rd\x7f\xc2\x9b";

	terminal_clean(text, sizeof(text));
	assert_string_equal(text, "a_[2Jb_c_d__");
}

static void unterminated_text_is_terminated_within_its_room(void **state)
{
	char text[9];

	memset(text, 'x', sizeof(text));
	text[8] = '!';
	terminal_clean(text, 8);
	assert_int_equal(strlen(text), 7);
	assert_int_equal(text[8], '!');
}

static void room_is_kept_where_replacements_grow(void **state)
{
	char text[16];

	memset(text, 0xff, sizeof(text));
	text[12] = '!';
	terminal_clean(text, 12);
	assert_true(strlen(text) < 12);
	assert_int_equal(text[12], '!');
}

static void no_room_is_no_write(void **state)
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
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(escapes_and_newlines_go),
		cmocka_unit_test(unterminated_text_is_terminated_within_its_room),
		cmocka_unit_test(room_is_kept_where_replacements_grow),
		cmocka_unit_test(no_room_is_no_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
