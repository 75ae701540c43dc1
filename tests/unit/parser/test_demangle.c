/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_demangle - names of C++, Rust and D, names that are none, and texts that are cut
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "symbolizer/parser/demangle.h"

static char text[DEMANGLE_TEXT_BYTES], other[DEMANGLE_TEXT_BYTES];

static void expect(const char *mangled, const char *wanted)
{
	assert_int_equal(demangle_name(mangled, text), strlen(wanted));
	if (*wanted)
		assert_string_equal(text, wanted);
}

static void names_of_cpp_are_as_cxxfilt_prints_them(void **state)
{
	expect("_ZN3foo3barEi", "foo::bar(int)");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back(int const&)");
	expect("_Z3addSs", "add(std::basic_string<char, std::char_traits<char>, "
			   "std::allocator<char> >)");
	expect("_Z3runv.constprop.0.cold", "run() [clone .constprop.0] [clone .cold]");
}

static void names_of_rust_have_no_hash(void **state)
{
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.1234",
	       "core::fmt::Formatter::pad");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvCs9ltgdHTiPiY_5hello4main", "hello::main");
}

static void names_of_d_are_demangled(void **state)
{
	expect("_D8demangle4testFiZv", "demangle.test(int)");
	expect("_Dmain", "D main");
}

static void version_and_stub_stay(void **state)
{
	expect("_ZN3foo3barEi@plt", "foo::bar(int)@plt");
	expect("_ZN3foo3barEi@@V_2", "foo::bar(int)@@V_2");
}

static void other_names_are_none(void **state)
{
	static const char *const names[] = {
		"",      "main", "_",      "_start",   "_Z",       "_ZN",      "_R",    "_D",  "@",
		"a@plt", "_ZZ",  "_ZN3fo", "RNvC1a1b", "foo::bar", "_DYNAMIC", "_RTLD", "_RC0"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], "");
}

/* pair<pair<...>, pair<...> >: each parameter is twice as long as the one before it. */
static size_t demangle_long(char last, char *ret_text)
{
	static const char digits[] = "123456789ABC";
	char name[256];
	int used = snprintf(name, sizeof(name), "_Z1f4pairI3abc3defE");

	for (const char *digit = digits; *digit; digit++)
		used += snprintf(name + used, sizeof(name) - (size_t)used, "S_IS%c_S%c_E", *digit,
				 *digit);
	(void)snprintf(name + used, sizeof(name) - (size_t)used, "%c", last);
	return demangle_name(name, ret_text);
}

static void long_texts_are_cut_and_stay_different(void **state)
{
	size_t length = demangle_long('l', text);

	assert_true(length <= PARSER_DISPLAY_MAX);
	assert_true(length > PARSER_DISPLAY_MAX - 32);
	assert_int_equal(demangle_long('i', other), length);
	assert_non_null(strstr(text, "\xe2\x80\xa6#"));
	assert_int_equal(strlen(text), length);
	assert_string_not_equal(text, other);
	assert_memory_equal(text, other, 4000);
}

static void text_is_valid_utf8_without_control_characters(void **state)
{
	expect("_Z3a\x01"
	       "bv",
	       "a_b()");
	expect("_Z3a\xff"
	       "bv",
	       "a\xef\xbf\xbd"
	       "b()");
	expect("_RNvC4main3b\xff"
	       "b",
	       "");
}

static void request_is_answered_name_by_name(void **state)
{
	static const char names[] = "_Z1fv\0main\0_Z1gi";
	const struct parser_demangled *header;
	struct result_blob result;
	const uint32_t *texts;

	assert_int_equal(demangle_names(&result, names, sizeof(names), 3), PARSER_OK);
	header = result.data;
	texts = (const uint32_t *)(header + 1);
	assert_int_equal(header->magic, PARSER_DEMANGLE_MAGIC);
	assert_int_equal(header->count, 3);
	assert_int_equal(result.bytes, sizeof(*header) + 12 + header->text_bytes);
	assert_string_equal((const char *)(texts + 3) + texts[0], "f()");
	assert_int_equal(texts[1], PARSER_NO_NAME);
	assert_string_equal((const char *)(texts + 3) + texts[2], "g(int)");
	result_blob_free(&result);
}

static void request_that_is_not_so_many_names_is_refused(void **state)
{
	struct result_blob result;

	assert_int_equal(demangle_names(&result, "a", 2, 2), PARSER_REFUSED);
	assert_int_equal(demangle_names(&result, "a\0b", 4, 1), PARSER_REFUSED);
	assert_int_equal(demangle_names(&result, "ab", 2, 1), PARSER_REFUSED);
	assert_int_equal(demangle_names(&result, "", 0, 0), PARSER_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_cpp_are_as_cxxfilt_prints_them),
		cmocka_unit_test(names_of_rust_have_no_hash),
		cmocka_unit_test(names_of_d_are_demangled),
		cmocka_unit_test(version_and_stub_stay),
		cmocka_unit_test(other_names_are_none),
		cmocka_unit_test(long_texts_are_cut_and_stay_different),
		cmocka_unit_test(text_is_valid_utf8_without_control_characters),
		cmocka_unit_test(request_is_answered_name_by_name),
		cmocka_unit_test(request_that_is_not_so_many_names_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
