/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_method_content - names of each width of characters become clean UTF-8
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/method_content.h"
#include "tests/unit/symbolizer/make.h"

static union make_record record;
static struct method_content content;
static char texts[METHOD_CONTENT_BYTES];

/* The name has these characters, the file's name is "f", the line table "\1\2". */
static void read_wide(const void *name, uint16_t bytes, uint8_t width, uint16_t flags)
{
	make_method(&record, 1, "", "", "", 0);
	record.method.name_bytes = bytes;
	record.method.name_width = width;
	record.method.file_bytes = 1;
	record.method.lines_bytes = 2;
	record.method.flags = flags;
	memcpy(record.method.text, name, bytes);
	memcpy(record.method.text + bytes, "f\1\2", 3);
	memset(texts, 'x', sizeof(texts));
	method_content_read(&record.method, &content, texts);
	assert_string_equal(texts + content.file, flags & TM_METHOD_FILE_CUT ? "f..." : "f");
	assert_memory_equal(texts + content.lines, "\1\2", 2);
	assert_int_equal(content.bytes, content.lines + 2);
	assert_int_equal(content.file, strlen(texts) + 1);
}

static void characters_of_each_width_become_utf8(void **state)
{
	static const char latin[] = "caf\xe9\xff";
	static const uint16_t halves[] = {'n', 0xe4, 0x3b1, 0x20ac};
	static const uint32_t wide[] = {'n', 0x3b1, 0x20ac, 0x1f40d};

	read_wide(latin, 5, 1, 0);
	assert_string_equal(texts, "caf\u00e9\u00ff");
	read_wide(halves, sizeof(halves), 2, 0);
	assert_string_equal(texts, "n\u00e4\u03b1\u20ac");
	read_wide(wide, sizeof(wide), 4, 0);
	assert_string_equal(texts, "n\u03b1\u20ac\U0001f40d");
}

static void what_is_no_character_is_replaced(void **state)
{
	static const uint16_t halves[] = {'a', 0xdc80, 0xd83d, 'b'};
	static const uint32_t wide[] = {'a', 0x110000, UINT32_MAX, 0xdfff, 'b'};

	read_wide(halves, sizeof(halves), 2, 0);
	assert_string_equal(texts, "a\ufffd\ufffdb");
	read_wide(wide, sizeof(wide), 4, 0);
	assert_string_equal(texts, "a\ufffd\ufffd\ufffdb");
	read_wide(halves, 5, 2, 0); /* half a character at the end */
	assert_string_equal(texts, "a\ufffd");
}

static void control_characters_do_not_pass(void **state)
{
	static const uint16_t halves[] = {'a', 0, 0x1b, 0x85, 0x202e, 'b'};

	read_wide("a\0\033[\177\x9b"
		  "b",
		  7, 1, 0);
	assert_string_equal(texts, "a__[__b");
	read_wide(halves, sizeof(halves), 2, 0);
	assert_string_equal(texts, "a____b");
}

static void cut_names_say_so(void **state)
{
	read_wide("long", 4, 1, TM_METHOD_NAME_CUT | TM_METHOD_FILE_CUT);
	assert_string_equal(texts, "long...");
	read_wide("", 0, 1, 0);
	assert_string_equal(texts, "");
}

static void longest_texts_fit(void **state)
{
	make_method(&record, 1, "", "", "", 0);
	record.method.name_bytes = TM_METHOD_NAME_MAX;
	record.method.file_bytes = TM_METHOD_FILE_MAX;
	record.method.lines_bytes = TM_METHOD_LINES_MAX;
	record.method.flags = TM_METHOD_NAME_CUT | TM_METHOD_FILE_CUT | TM_METHOD_LINES_CUT;
	memset(record.method.text, 0xff,
	       TM_METHOD_NAME_MAX + TM_METHOD_FILE_MAX + TM_METHOD_LINES_MAX);
	method_content_read(&record.method, &content, texts);
	assert_int_equal(strlen(texts), 2 * TM_METHOD_NAME_MAX + 3);
	assert_int_equal(strlen(texts + content.file), 2 * TM_METHOD_FILE_MAX + 3);
	assert_true(content.bytes <= METHOD_CONTENT_BYTES);
	assert_int_equal(content.bytes - content.lines, TM_METHOD_LINES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_of_each_width_become_utf8),
		cmocka_unit_test(what_is_no_character_is_replaced),
		cmocka_unit_test(control_characters_do_not_pass),
		cmocka_unit_test(cut_names_say_so),
		cmocka_unit_test(longest_texts_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
