/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_process_context - what processes say of themselves becomes an attribute list
 */

#include "tests/unit/symbolizer/process_context_fixture.h"

/* --- values ----------------------------------------------------------------------------------- */

static void texts_are_listed_in_their_order(void **state)
{
	put_text("service.name", "shop");
	put_text("service.version", "1.2-rc3");
	put_text("a", "two words");
	expect("service.name=shop,service.version=1.2-rc3,a=two words");
	expect_missing(PROCESS_CONTEXT_WHOLE);
}

static void numbers_and_truth_values_become_texts(void **state)
{
	put_number("zero", MAKE_INT, 0);
	put_number("most", MAKE_INT, INT64_MAX);
	put_number("minus", MAKE_INT, (uint64_t)-1);
	put_number("least", MAKE_INT, (uint64_t)INT64_MIN);
	put_number("yes", MAKE_BOOL, 1);
	put_number("no", MAKE_BOOL, 0);
	expect("zero=0,most=9223372036854775807,minus=-1,least=-9223372036854775808,yes=true,"
	       "no=false");
	expect_missing(PROCESS_CONTEXT_WHOLE);
}

static void other_values_are_left_out(void **state)
{
	static struct make_message array;

	array.count = 0;
	make_text(&array, MAKE_ATTRIBUTE, "inner", "text");
	put_text("a", "1");
	make_double(&value, 1.5);
	make_attribute(&resource, MAKE_ATTRIBUTE, "double", &value);
	for (enum make_field field = MAKE_ARRAY; field <= MAKE_BYTES; field++) {
		value.count = 0;
		make_bytes(&value, field, array.bytes, array.count);
		make_attribute(&resource, MAKE_ATTRIBUTE, "other", &value);
	}
	put_text("b", "2");
	expect("a=1,b=2");
	expect_missing(PROCESS_CONTEXT_CUT);
}

/* Values in values cannot make the reader nest: it does not read them. */
static void deeply_nested_values_are_left_out(void **state)
{
	static struct make_message outer;

	for (int depth = 0; depth < 1000; depth++) {
		outer.count = 0;
		make_bytes(&outer, MAKE_ARRAY, value.bytes, value.count);
		value.count = 0;
		make_bytes(&value, MAKE_ATTRIBUTE, outer.bytes, outer.count);
		if (outer.count > 3000)
			break;
	}
	make_attribute(&resource, MAKE_ATTRIBUTE, "deep", &value);
	put_text("b", "2");
	expect("b=2");
	expect_missing(PROCESS_CONTEXT_CUT);
}

static void attributes_without_key_or_value_are_left_out(void **state)
{
	static struct make_message attribute;

	put_text("", "without a key");
	put_text("empty", "");
	make_attribute(&resource, MAKE_ATTRIBUTE, "none", NULL);
	value.count = 0;
	make_attribute(&resource, MAKE_ATTRIBUTE, "nothing", &value);
	make_bytes(&resource, MAKE_ATTRIBUTE, NULL, 0);
	attribute.count = 0;
	make_bytes(&value, MAKE_STRING, "v", 1);
	make_bytes(&attribute, MAKE_VALUE, value.bytes, value.count);
	make_bytes(&resource, MAKE_ATTRIBUTE, attribute.bytes, attribute.count);
	expect("");
	expect_missing(PROCESS_CONTEXT_CUT);
}

static void hostile_bytes_are_escaped_and_read_back_clean(void **state)
{
	struct attribute read;
	const char *at;

	put_text("a", "1,b=2%20");
	put_text("c", "\x1b[31m\n\xff");
	expect("a=1%2Cb%3D2%2520,c=%1B%5B31m%0A%FF");
	expect_missing(PROCESS_CONTEXT_WHOLE);
	at = text;
	assert_true(attribute_list_next(&at, &read));
	assert_string_equal(read.value, "1,b=2%20");
	assert_true(attribute_list_next(&at, &read));
	assert_string_equal(read.value, "_[31m_\xef\xbf\xbd");
	assert_false(attribute_list_next(&at, &read));
}

/* --- keys ------------------------------------------------------------------------------------- */

static void keys_that_are_not_valid_are_left_out(void **state)
{
	static struct make_message attribute;
	char key[] = "k23456789012345678901234567890123456789012345678901234567890123x";

	put_text("a b", "1");
	put_text("a=b", "1");
	put_text("a,b", "1");
	put_text("\xc3\xa9", "1");
	attribute.count = 0;
	make_bytes(&attribute, MAKE_KEY, "nul\0nul", 7);
	make_bytes(&value, MAKE_STRING, "1", 1);
	make_bytes(&attribute, MAKE_VALUE, value.bytes, value.count);
	make_bytes(&resource, MAKE_ATTRIBUTE, attribute.bytes, attribute.count);
	assert_int_equal(strlen(key), ATTRIBUTE_KEY_MAX + 1);
	put_text(key, "too long");
	key[ATTRIBUTE_KEY_MAX] = '\0';
	put_text(key, "1");
	expect("k23456789012345678901234567890123456789012345678901234567890123=1");
	expect_missing(PROCESS_CONTEXT_CUT);
}

static void of_two_attributes_with_one_key_the_first_one_counts(void **state)
{
	put_text("a", "1");
	put_text("a", "2");
	value.count = 0;
	make_double(&value, 1.5);
	make_attribute(&resource, MAKE_ATTRIBUTE, "b", &value);
	put_text("b", "after what is left out");
	make_text(&process, MAKE_EXTRA, "a", "3");
	make_text(&process, MAKE_EXTRA, "c", "4");
	expect("a=1,b=after what is left out,c=4");
	expect_missing(PROCESS_CONTEXT_CUT);
}

static void extra_attributes_follow_those_of_the_resource(void **state)
{
	make_text(&process, MAKE_EXTRA, "thread.pool", "x");
	put_text("service.name", "shop");
	expect("service.name=shop,thread.pool=x");
	expect_missing(PROCESS_CONTEXT_WHOLE);
}

static void extra_attributes_need_no_resource(void **state)
{
	make_text(&process, MAKE_EXTRA, "a", "1");
	expect("a=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(texts_are_listed_in_their_order),
		claim(numbers_and_truth_values_become_texts),
		claim(other_values_are_left_out),
		claim(deeply_nested_values_are_left_out),
		claim(attributes_without_key_or_value_are_left_out),
		claim(hostile_bytes_are_escaped_and_read_back_clean),
		claim(keys_that_are_not_valid_are_left_out),
		claim(of_two_attributes_with_one_key_the_first_one_counts),
		claim(extra_attributes_follow_those_of_the_resource),
		claim(extra_attributes_need_no_resource),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
