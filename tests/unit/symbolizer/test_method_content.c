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

#include "shared/runtime.h"
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

/* Return: the method's name, with its signature. */
static const char *read_java(const char *class, const char *name, const char *signature)
{
	make_java_method(&record, 1, class, name, signature);
	assert_true(method_content_fits(&record.method));
	method_content_read(&record.method, &content, texts);
	assert_int_equal(content.file, strlen(texts) + 1);
	assert_int_equal(content.bytes, content.file + 1);
	assert_string_equal(texts + content.signature, strlen(name) ? signature : "");
	return texts;
}

static void java_method_has_class_and_signature(void **state)
{
	assert_string_equal(read_java("java/lang/String", "charAt", "(I)C"),
			    "java/lang/String.charAt(I)C");
	assert_string_equal(read_java("", "charAt", "(I)C"), "charAt(I)C");
	assert_string_equal(read_java("java/lang/String", "charAt", ""), "java/lang/String.charAt");
	assert_string_equal(read_java("java/lang/String", "", "(I)C"), "");
}

static void java_texts_are_modified_utf8(void **state)
{
	/* U+0000, U+00E9, U+1F40D as two surrogates. */
	assert_string_equal(read_java("a\xc0\x80", "caf\xc3\xa9\xed\xa0\xbd\xed\xb0\x8d", ""),
			    "a_.caf\u00e9\U0001f40d");
	/* A surrogate alone, one of the wrong half, one that is cut. */
	assert_string_equal(read_java("", "\xed\xa0\xbd-\xed\xb0\x8d\xed\xa0\xbd\xed\xa0", ""),
			    "\ufffd-\ufffd\ufffd\ufffd\ufffd");
	assert_string_equal(read_java("\x1b[", "\xff\xc0\xe2\x80\xae", ""), "_[.\ufffd\ufffd_");
}

static void hidden_class_has_no_address(void **state)
{
	assert_string_equal(read_java("a/B$$Lambda$14+0x0000000800c03000", "run", "()V"),
			    "a/B$$Lambda$14.run()V");
	assert_string_equal(read_java("a/LambdaForm$MH/0x00ab", "invoke", ""),
			    "a/LambdaForm$MH.invoke");
	assert_string_equal(read_java("a/B+0x", "run", ""), "a/B+0x.run");
	assert_string_equal(read_java("a/B0x12", "run", ""), "a/B0x12.run");
	assert_string_equal(read_java("0x12", "run", ""), "0x12.run");
	assert_string_equal(read_java("12", "run", ""), "12.run");
}

static void cut_java_texts_say_so(void **state)
{
	make_java_method(&record, 1, "a/B+0x12", "run", "(I");
	record.method.flags = TM_METHOD_CLASS_CUT | TM_METHOD_NAME_CUT | TM_METHOD_SIGNATURE_CUT;
	method_content_read(&record.method, &content, texts);
	assert_string_equal(texts, "a/B+0x12....run...(I...");
	assert_string_equal(texts + content.signature, "(I...");
}

/* A record of Java whose texts have these sizes, of this byte each. */
static void fill(uint16_t class, uint16_t name, uint16_t signature, uint16_t file, int byte)
{
	make_java_method(&record, 1, "", "", "");
	record.method.class_bytes = class;
	record.method.name_bytes = name;
	record.method.signature_bytes = signature;
	record.method.file_bytes = file;
	record.method.flags = TM_METHOD_FLAGS & ~TM_METHOD_STUB;
	memset(record.method.text, byte, (size_t) class + name + signature + file);
}

/* What is no character would become three bytes. */
static void longest_java_texts_fit(void **state)
{
	static const char bytes[] = {'a', '\xff', '\0'};

	for (unsigned i = 0; i < sizeof(bytes); i++) {
		fill(TM_METHOD_CLASS_MAX, TM_METHOD_NAME_MAX, TM_METHOD_SIGNATURE_MAX,
		     TM_METHOD_FILE_MAX, bytes[i]);
		assert_true(method_content_fits(&record.method));
		memset(texts, 'x', sizeof(texts));
		method_content_read(&record.method, &content, texts);
		assert_int_equal(content.file, strlen(texts) + 1);
		assert_int_equal(content.lines, content.file + strlen(texts + content.file) + 1);
		assert_in_range(content.bytes, TM_METHOD_CLASS_MAX + TM_METHOD_NAME_MAX,
				METHOD_CONTENT_BYTES);
		/* As a record of CPython, whose class and signature are not read. */
		record.method.runtime = TM_RUNTIME_PYTHON;
		method_content_read(&record.method, &content, texts);
		assert_in_range(strlen(texts), TM_METHOD_NAME_MAX, 2 * TM_METHOD_NAME_MAX + 3);
	}
}

static void longer_texts_do_not_fit(void **state)
{
	fill(TM_METHOD_CLASS_MAX + 1, 1, 1, 1, 'a');
	assert_false(method_content_fits(&record.method));
	fill(1, TM_METHOD_NAME_MAX + 1, 1, 1, 'a');
	assert_false(method_content_fits(&record.method));
	fill(1, 1, TM_METHOD_SIGNATURE_MAX + 1, 1, 'a');
	assert_false(method_content_fits(&record.method));
	fill(1, 1, 1, TM_METHOD_FILE_MAX + 1, 'a');
	assert_false(method_content_fits(&record.method));
	fill(1, 1, 1, 1, 'a');
	record.method.lines_bytes = TM_METHOD_LINES_MAX + 1;
	assert_false(method_content_fits(&record.method));
}

static void further_part_of_a_line_table_has_no_other_text(void **state)
{
	uint16_t *const others[] = {&record.method.class_bytes, &record.method.name_bytes,
				    &record.method.signature_bytes, &record.method.file_bytes};

	make_method(&record, 1, "", "", "", 0);
	record.method.lines_part = TM_METHOD_PARTS;
	assert_false(method_content_fits(&record.method));
	record.method.lines_part--;
	assert_true(method_content_fits(&record.method));
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		*others[i] = 1;
		assert_false(method_content_fits(&record.method));
		*others[i] = 0;
	}
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
		cmocka_unit_test(further_part_of_a_line_table_has_no_other_text),
		cmocka_unit_test(longest_texts_fit),
		cmocka_unit_test(java_method_has_class_and_signature),
		cmocka_unit_test(java_texts_are_modified_utf8),
		cmocka_unit_test(hidden_class_has_no_address),
		cmocka_unit_test(cut_java_texts_say_so),
		cmocka_unit_test(longest_java_texts_fit),
		cmocka_unit_test(longer_texts_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
