/* SPDX-License-Identifier: Apache-2.0 */
/* test_utf8 - any bytes become valid UTF-8 text without control characters that fits its buffer */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/utf8.h"

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void becomes(const char *bytes, size_t count, const char *expected)
{
	char clean[256];

	assert_int_equal(tm_utf8_clean(bytes, count, clean, sizeof(clean)), strlen(expected));
	assert_string_equal(clean, expected);
}

#define BECOMES(literal, expected) becomes(literal, sizeof(literal) - 1, expected)

static void valid_text_is_unchanged(void **state)
{
	BECOMES("", "");
	BECOMES("std::vector<int>::push_back(int&&) [clone .cold]",
		"std::vector<int>::push_back(int&&) [clone .cold]");
	BECOMES("\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\x8a", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\x8a");
	BECOMES("\x7e\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		"\x7e\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

static void control_characters_become_underscores(void **state)
{
	BECOMES("a\0b\nc\td\x1b[31m\x7f", "a_b_c_d_[31m_");
	BECOMES("\xc2\x80\xc2\x9f", "__");         /* C1 */
	BECOMES("\xe2\x80\xa8\xe2\x80\xa9", "__"); /* line and paragraph separators */
	BECOMES("\xe2\x80\xaegnp.exe\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
		"_gnp.exe___"); /* bidirectional controls */
}

static void each_invalid_byte_becomes_one_replacement_character(void **state)
{
	BECOMES("\x80", BAD);
	BECOMES("\xff\xfe", BAD BAD);
	BECOMES("\xc0\x80", BAD BAD);                 /* overlong encoding */
	BECOMES("\xe0\x9f\xbf", BAD BAD BAD);         /* overlong encoding */
	BECOMES("\xf0\x8f\xbf\xbf", BAD BAD BAD BAD); /* overlong encoding */
	BECOMES("\xed\xa0\x80", BAD BAD BAD);         /* a surrogate */
	BECOMES("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* beyond the last plane */
	BECOMES("\xf5\x80\x80\x80", BAD BAD BAD BAD);
	BECOMES("a\xe2\x82", "a" BAD BAD); /* cut by the end */
	BECOMES("\xe2\x82(", BAD BAD "("); /* cut by another character */
	BECOMES("\xc3\xc3\xa4", BAD "\xc3\xa4");
}

static void text_that_does_not_fit_is_cut_between_characters(void **state)
{
	char clean[8];

	assert_int_equal(tm_utf8_clean("abcdefghij", 10, clean, sizeof(clean)), 7);
	assert_string_equal(clean, "abcdefg");
	assert_int_equal(tm_utf8_clean("abcde\xe2\x82\xac", 8, clean, sizeof(clean)), 5);
	assert_string_equal(clean, "abcde");
	assert_int_equal(tm_utf8_clean("abcd\xe2\x82\xac", 7, clean, sizeof(clean)), 7);
	assert_string_equal(clean, "abcd\xe2\x82\xac");
	assert_int_equal(tm_utf8_clean("\xff\xff\xff", 3, clean, sizeof(clean)), 6);
	assert_int_equal(tm_utf8_clean("abc", 3, clean, 1), 0);
	assert_string_equal(clean, "");
}

/* The documented worst case holds, and cleaning twice changes nothing. */
static void any_three_bytes_fit_and_are_valid_afterwards(void **state)
{
	char clean[TM_UTF8_CLEAN_BYTES(3)], again[TM_UTF8_CLEAN_BYTES(sizeof(clean))];
	uint32_t i;

	for (i = 0; i < 1u << 24; i += 7) {
		const char bytes[3] = {(char)(i >> 16), (char)(i >> 8), (char)i};
		size_t length = tm_utf8_clean(bytes, 3, clean, sizeof(clean));

		assert_true(length >= 1 && length < sizeof(clean));
		assert_int_equal(tm_utf8_clean(clean, length, again, sizeof(again)), length);
		assert_memory_equal(clean, again, length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_text_is_unchanged),
		cmocka_unit_test(control_characters_become_underscores),
		cmocka_unit_test(each_invalid_byte_becomes_one_replacement_character),
		cmocka_unit_test(text_that_does_not_fit_is_cut_between_characters),
		cmocka_unit_test(any_three_bytes_fit_and_are_valid_afterwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
