/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_process_context_limits - how much of it is read, and what is no message
 */

#include "tests/unit/symbolizer/process_context_fixture.h"

/* --- limits ----------------------------------------------------------------------------------- */

static unsigned count_attributes(void)
{
	const char *at = text;
	struct attribute read;
	unsigned count = 0;

	while (attribute_list_next(&at, &read))
		count++;
	return count;
}

/* What is left out takes nobody's place. */
static void there_is_a_limit_of_attributes(void **state)
{
	char key[16];

	for (unsigned i = 0; i < PROCESS_CONTEXT_ATTRIBUTES - 4; i++) {
		(void)snprintf(key, sizeof(key), "r%u", i);
		put_text(key, "1");
		put_text(key, "2");
	}
	for (unsigned i = 0; i < 10; i++) {
		(void)snprintf(key, sizeof(key), "e%u", i);
		make_text(&process, MAKE_EXTRA, key, "1");
	}
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	read_message(process.bytes, process.count);
	assert_int_equal(count_attributes(), PROCESS_CONTEXT_ATTRIBUTES);
	assert_non_null(strstr(text, ",r59=1,e0=1,e1=1,e2=1,e3=1"));
	assert_null(strstr(text, "e4"));
	expect_missing(PROCESS_CONTEXT_CUT);
}

static void a_resource_may_use_up_the_limit_of_attributes(void **state)
{
	char key[16];

	for (unsigned i = 0; i < 2 * PROCESS_CONTEXT_ATTRIBUTES; i++) {
		(void)snprintf(key, sizeof(key), "r%u", i);
		put_text(key, "1");
	}
	make_text(&process, MAKE_EXTRA, "extra", "1");
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	read_message(process.bytes, process.count);
	assert_int_equal(count_attributes(), PROCESS_CONTEXT_ATTRIBUTES);
	assert_string_equal(text + strlen(text) - 4, "63=1");
	expect_missing(PROCESS_CONTEXT_CUT);
}

static void there_is_a_limit_of_text(void **state)
{
	char bytes[ATTRIBUTE_VALUE_MAX + 1], key[16];
	const size_t each = strlen("k00=") + 200 + 1, most = PROCESS_CONTEXT_BYTES / each;

	memset(bytes, 'v', sizeof(bytes));
	bytes[200] = '\0';
	for (unsigned i = 0; i < most + 5; i++) {
		(void)snprintf(key, sizeof(key), "k%02u", i);
		put_text(key, bytes);
	}
	put_text("small", "1");
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	read_message(process.bytes, process.count);
	assert_int_equal(count_attributes(), most + 1);
	assert_string_equal(text + strlen(text) - 8, ",small=1");
	expect_missing(PROCESS_CONTEXT_CUT);
}

/* One byte less, the list's NUL, than the text has. */
static void the_text_may_be_used_to_its_last_byte(void **state)
{
	char bytes[ATTRIBUTE_VALUE_MAX + 1];
	const size_t whole = strlen("k0=,") + 250;
	const size_t rest = PROCESS_CONTEXT_BYTES - 1 - 8 * whole - strlen("last=");
	char key[] = "k0";

	memset(bytes, 'v', sizeof(bytes));
	bytes[250] = '\0';
	for (; key[1] < '8'; key[1]++)
		put_text(key, bytes);
	bytes[rest + 1] = '\0';
	put_text("more", bytes);
	bytes[rest] = '\0';
	put_text("last", bytes);
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	read_message(process.bytes, process.count);
	assert_int_equal(strlen(text), PROCESS_CONTEXT_BYTES - 1);
	assert_int_equal(count_attributes(), 9);
	assert_null(strstr(text, "more"));
	expect_missing(PROCESS_CONTEXT_CUT);
}

/* --- messages --------------------------------------------------------------------------------- */

static void an_empty_message_says_nothing(void **state)
{
	expect("");
	make_bytes(&process, MAKE_RESOURCE, NULL, 0);
	expect("");
	expect_missing(PROCESS_CONTEXT_WHOLE);
}

/* The record's text is not there, which must not be read. */
static void records_without_text_say_why(void **state)
{
	static const struct {
		uint32_t text_bytes;
		enum process_context_missing missing;
	} cases[] = {
		{0, PROCESS_CONTEXT_WHOLE},
		{1, PROCESS_CONTEXT_UNREADABLE},
		{TM_CONTEXT_MAX, PROCESS_CONTEXT_UNREADABLE},
		{TM_CONTEXT_MAX + 1, PROCESS_CONTEXT_TOO_LONG},
		{UINT32_MAX, PROCESS_CONTEXT_TOO_LONG},
	};
	struct tm_context *record = calloc(1, sizeof(*record));

	assert_non_null(record);
	record->event.bytes = sizeof(*record);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record->text_bytes = cases[i].text_bytes;
		process_context_read(record, context);
		expect_missing(cases[i].missing);
		assert_int_equal(context->bytes, 0);
		assert_string_equal(text, "");
	}
	free(record);
}

static void a_message_that_is_cut_says_nothing(void **state)
{
	put_text("service.name", "shop");
	put_number("number", MAKE_INT, 300);
	expect("service.name=shop,number=300");
	for (size_t count = 0; count < process.count; count++) {
		read_message(process.bytes, count);
		assert_string_equal(text, "");
		expect_missing(count ? PROCESS_CONTEXT_MALFORMED : PROCESS_CONTEXT_WHOLE);
	}
}

static void garbage_says_nothing(void **state)
{
	static const char *const garbage[] = {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
					      "\x0a\xff\xff\xff\xff\x0f",
					      "\x0a\x05zzz",
					      "{\"service.name\":\"shop\"}",
					      "\x0b\x0c\x0d",
					      "\x0a\x04\x0a\x02\x0a\x7f"};

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		read_message((const uint8_t *)garbage[i], strlen(garbage[i]));
		assert_string_equal(text, "");
		expect_missing(PROCESS_CONTEXT_MALFORMED);
	}
}

static void unknown_fields_are_passed_over(void **state)
{
	make_bytes(&resource, (enum make_field)3, "entity", 6);
	put_text("a", "1");
	make_number(&resource, (enum make_field)2, 7); /* attributes that were dropped */
	make_bytes(&process, (enum make_field)9, "later", 5);
	expect("a=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(there_is_a_limit_of_attributes),
		claim(a_resource_may_use_up_the_limit_of_attributes),
		claim(there_is_a_limit_of_text),
		claim(the_text_may_be_used_to_its_last_byte),
		claim(an_empty_message_says_nothing),
		claim(records_without_text_say_why),
		claim(a_message_that_is_cut_says_nothing),
		claim(garbage_says_nothing),
		claim(unknown_fields_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
