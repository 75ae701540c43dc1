/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_attribute_list - what is added to a list is read back, and nothing else is
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "symbolizer/base/attribute_list.h"

#define MANY "0123456789012345678901234567890123456789012345678901234567890123456789"

/* --- adding ----------------------------------------------------------------------------------- */

/* Of exactly this size, so that a sanitizer sees a write beyond it. */
static struct attribute_list begin(size_t bytes)
{
	struct attribute_list list = {.text = malloc(bytes), .bytes = bytes};

	assert_non_null(list.text);
	list.text[0] = '\0';
	return list;
}

static bool add(struct attribute_list *list, const char *key, const char *value)
{
	return attribute_list_add(list, key, value, strlen(value));
}

static void end(struct attribute_list *list, const char *wanted)
{
	assert_string_equal(list->text, wanted);
	assert_int_equal(list->used, strlen(wanted));
	free(list->text);
}

static void attributes_stand_in_the_order_in_which_they_were_added(void **state)
{
	struct attribute_list list = begin(100);

	assert_true(add(&list, "service.name", "shop"));
	assert_true(add(&list, "b/c_d-E9", "two words"));
	assert_true(add(&list, "a", "x"));
	end(&list, "service.name=shop,b/c_d-E9=two words,a=x");
}

static void bytes_with_a_meaning_are_escaped(void **state)
{
	struct attribute_list list = begin(100);

	assert_true(add(&list, "a", ",=%"));
	assert_true(attribute_list_add(&list, "b", "\0\n\x7f\xff", 4));
	assert_true(add(&list, "c", "\"+;\xc3\xa9"));
	end(&list, "a=%2C%3D%25,b=%00%0A%7F%FF,c=%22%2B%3B%C3%A9");
}

static void keys_that_are_not_valid_are_refused(void **state)
{
	static const char *const keys[] = {"",         " ",     "a b", "a=",   "a,b",
					   "%41",      "a%",    "a\n", "a\"b", "\x7f",
					   "\xc3\xa9", "a\xff", "a:b", "a@b"};
	struct attribute_list list = begin(200);
	char longest[] = MANY;

	assert_true(add(&list, "k", "v"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_false(add(&list, keys[i], "v"));
	longest[ATTRIBUTE_KEY_MAX + 1] = '\0';
	assert_false(add(&list, longest, "v"));
	assert_string_equal(list.text, "k=v");
	longest[ATTRIBUTE_KEY_MAX] = '\0';
	assert_true(add(&list, longest, "v"));
	assert_int_equal(list.used, 3 + 1 + ATTRIBUTE_KEY_MAX + 2);
	free(list.text);
}

static void a_key_is_there_once(void **state)
{
	struct attribute_list list = begin(100);

	assert_true(add(&list, "ab", "1"));
	assert_false(add(&list, "ab", "1"));
	assert_false(add(&list, "ab", "2"));
	assert_true(add(&list, "a", "1"));
	assert_true(add(&list, "abc", "1"));
	assert_true(add(&list, "AB", "ab=2"));
	assert_false(add(&list, "abc", "2"));
	end(&list, "ab=1,a=1,abc=1,AB=ab%3D2");
}

static void values_have_a_byte_at_least_and_a_limit(void **state)
{
	struct attribute_list list = begin(4 * ATTRIBUTE_VALUE_MAX);
	char value[ATTRIBUTE_VALUE_MAX + 1];
	struct attribute read;
	const char *at;

	memset(value, 0xff, sizeof(value));
	assert_false(attribute_list_add(&list, "k", NULL, 0));
	assert_false(attribute_list_add(&list, "k", value, sizeof(value)));
	assert_string_equal(list.text, "");
	assert_true(attribute_list_add(&list, "k", value, ATTRIBUTE_VALUE_MAX));
	at = list.text;
	assert_true(attribute_list_next(&at, &read));
	/* Each of these bytes becomes three. */
	assert_int_equal(strlen(read.value), ATTRIBUTE_VALUE_MAX);
	assert_string_equal(read.value + ATTRIBUTE_VALUE_MAX - 3, "\xef\xbf\xbd");
	free(list.text);
}

/* Of each size, with escapes at the end or not: either all of it is there, or nothing. */
static void without_space_the_list_stays_as_it_was(void **state)
{
	static const char *const values[][2] = {{"xy", "xy"}, {"x,", "x%2C"}, {",,", "%2C%2C"}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const size_t first = strlen("a=1"), second = strlen(",key=") + strlen(values[i][1]);

		for (size_t bytes = 1; bytes < 30; bytes++) {
			struct attribute_list list = begin(bytes);
			const bool has_first = bytes > first, fits = bytes > first + second;

			assert_int_equal(add(&list, "a", "1"), has_first);
			assert_string_equal(list.text, has_first ? "a=1" : "");
			if (has_first) {
				assert_int_equal(add(&list, "key", values[i][0]), fits);
				assert_int_equal(list.used, fits ? first + second : first);
				assert_int_equal(strlen(list.text), list.used);
			}
			free(list.text);
		}
	}
}

static void what_does_not_fit_leaves_the_space_to_what_does(void **state)
{
	struct attribute_list list = begin(sizeof("a=1,b=2"));

	assert_true(add(&list, "a", "1"));
	assert_false(add(&list, "long", "text"));
	assert_false(add(&list, "b", ","));
	assert_true(add(&list, "b", "2"));
	assert_false(add(&list, "c", "3"));
	end(&list, "a=1,b=2");
}

/* --- reading ---------------------------------------------------------------------------------- */

/* What is read of a list, as "key:value;" each. The list lies in memory of exactly its size. */
static void expect(const char *text, const char *wanted)
{
	_cleanup_(tm_freep) char *copy = strdup(text);
	const char *at = copy;
	struct attribute read;
	char found[1024] = "";
	size_t used = 0;

	assert_non_null(copy);
	while (attribute_list_next(&at, &read)) {
		used += (size_t)snprintf(found + used, sizeof(found) - used, "%s:%s;", read.key,
					 read.value);
		assert_true(used < sizeof(found));
	}
	assert_string_equal(found, wanted);
	assert_ptr_equal(at, copy + strlen(text));
}

static void empty_lists_have_nothing(void **state)
{
	expect("", "");
	expect(",", "");
	expect(",,,", "");
}

static void what_is_malformed_is_passed_over(void **state)
{
	expect("a=1,,b=2,", "a:1;b:2;");
	expect("a,b=2", "b:2;");
	expect("=1,b=2", "b:2;");
	expect("a=,b=2", "b:2;");
	expect("=", "");
	expect("a", "");
	expect("a b=1, c=1,\xff=1,d=2", "d:2;");
	expect("a%41=1,d=2", "d:2;");
	expect("a=b=c,d==", "a:b=c;d:=;");
}

static void escapes_are_two_digits_in_upper_case(void **state)
{
	expect("a=%2C,b=%41x%3d,c=%4A", "a:,;b:Ax=;c:J;");
	expect("a=%,b=1", "b:1;");
	expect("a=%4,b=1", "b:1;");
	expect("a=%4", "");
	expect("a=%", "");
	expect("a=x%2,4=b", "4:b;");
	expect("a=%G0,b=%0G,c=%-1,d=% 1,e=%%20,f=1", "f:1;");
}

static void keys_and_values_beyond_their_limits_are_passed_over(void **state)
{
	char text[2 * ATTRIBUTE_VALUE_MAX] = MANY, wanted[2 * ATTRIBUTE_VALUE_MAX] = "";

	memcpy(text + ATTRIBUTE_KEY_MAX + 1, "=1,b=2", 7);
	expect(text, "b:2;");
	memcpy(text + ATTRIBUTE_KEY_MAX, "=1", 3);
	memcpy(wanted, text, strlen(text));
	memcpy(wanted + ATTRIBUTE_KEY_MAX, ":1;", 4);
	expect(text, wanted);
	memset(text, 'v', sizeof(text));
	memset(wanted, 'v', sizeof(wanted));
	memcpy(text, "k=", 2);
	memcpy(wanted, "k:", 2);
	memcpy(text + 2 + ATTRIBUTE_VALUE_MAX, ",b=2", 5);
	memcpy(wanted + 2 + ATTRIBUTE_VALUE_MAX, ";b:2;", 6);
	expect(text, wanted);
	memcpy(text + 2 + ATTRIBUTE_VALUE_MAX, "v,b=2", 6);
	expect(text, "b:2;");
	memcpy(text + 2 + ATTRIBUTE_VALUE_MAX, "%20,b=2", 8);
	expect(text, "b:2;");
}

static void values_become_clean(void **state)
{
	expect("a=x%00%0A%1Bz", "a:x___z;");
	expect("a=%C3%A9,b=%C3,c=%A9", "a:\xc3\xa9;b:\xef\xbf\xbd;c:\xef\xbf\xbd;");
	expect("a=%E2%80%AE,b=%ED%A0%80", "a:_;b:\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd;");
	expect("a=\x01\xff", "a:_\xef\xbf\xbd;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_stand_in_the_order_in_which_they_were_added),
		cmocka_unit_test(bytes_with_a_meaning_are_escaped),
		cmocka_unit_test(keys_that_are_not_valid_are_refused),
		cmocka_unit_test(a_key_is_there_once),
		cmocka_unit_test(values_have_a_byte_at_least_and_a_limit),
		cmocka_unit_test(without_space_the_list_stays_as_it_was),
		cmocka_unit_test(what_does_not_fit_leaves_the_space_to_what_does),
		cmocka_unit_test(empty_lists_have_nothing),
		cmocka_unit_test(what_is_malformed_is_passed_over),
		cmocka_unit_test(escapes_are_two_digits_in_upper_case),
		cmocka_unit_test(keys_and_values_beyond_their_limits_are_passed_over),
		cmocka_unit_test(values_become_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
