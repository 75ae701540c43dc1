/* SPDX-License-Identifier: Apache-2.0 */
/* test_reload_message - a reload is taken only if each of its fields is one that a start takes */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "symbolizer/reload_message.h"
#include "symbolizer/report_settings.h"
#include "tests/unit/symbolizer/make_reload.h"

/* --- the message ------------------------------------------------------------------------------ */

static void message_of_this_version_is_taken(void **state)
{
	struct tm_reload message = make_reload();

	assert_int_equal(reload_message_check(&message), 0);
	message.magic++;
	assert_int_equal(reload_message_check(&message), -EBADMSG);
	message = make_reload();
	message.version++;
	assert_int_equal(reload_message_check(&message), -EBADMSG);
	message = make_reload();
	message.bytes--;
	assert_int_equal(reload_message_check(&message), -EBADMSG);
}

/* At @offset of a message, which has @bytes there. */
static int check_with(size_t offset, size_t bytes, uint64_t value)
{
	struct tm_reload message = make_reload();

	memcpy((char *)&message + offset, &value, bytes);
	return reload_message_check(&message);
}

#define FIELD(name) offsetof(struct tm_reload, name), sizeof(((struct tm_reload *)0)->name)

static void numbers_have_the_limits_of_the_options(void **state)
{
	static const struct {
		size_t offset, bytes;
		uint64_t least, most;
	} fields[] = {
		{FIELD(interval_ms), 100, 86400000},
		{FIELD(hz), 1, 10000},
		{FIELD(memory_bytes), 1 << 20, 2ull << 30},
		{FIELD(cpu_max_ppm), 0, 1000000},
		{FIELD(off_cpu), 0, 1},
		{FIELD(sends), 0, 1},
		{FIELD(keeps), 0, 1},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const size_t offset = fields[i].offset, bytes = fields[i].bytes;

		assert_int_equal(check_with(offset, bytes, fields[i].least), 0);
		assert_int_equal(check_with(offset, bytes, fields[i].most), 0);
		assert_int_equal(check_with(offset, bytes, fields[i].most + 1), -EBADMSG);
		assert_int_equal(check_with(offset, bytes, UINT64_MAX), -EBADMSG);
		if (fields[i].least > 0)
			assert_int_equal(check_with(offset, bytes, fields[i].least - 1), -EBADMSG);
	}
}

static void text_ends_in_its_field(void **state)
{
	struct tm_reload message = make_reload();

	memset(message.service_name, 'a', sizeof(message.service_name));
	assert_int_equal(reload_message_check(&message), -EBADMSG);
	message = make_reload();
	memset(message.labels, 'a', sizeof(message.labels));
	assert_int_equal(reload_message_check(&message), -EBADMSG);
	message = make_reload();
	memset(message.grouping, 'a', sizeof(message.grouping));
	assert_int_equal(reload_message_check(&message), -EBADMSG);
	message = make_reload();
	memset(message.labels, 'a', sizeof(message.labels) - 1);
	assert_int_equal(reload_message_check(&message), 0);
}

/* --- its texts -------------------------------------------------------------------------------- */

static struct report_settings *before;

static int make_before(void **state)
{
	static char host[] = "--resource=host.name=h", id[] = "--resource=host.id=i",
		    labels[] = "--labels=team=a,tier=1", name[] = "--service-name=shop";
	static struct resource_options options = {.resource.service_name = ""};

	if (resource_options_parse(&options, host) || resource_options_parse(&options, id) ||
	    resource_options_parse(&options, labels) || resource_options_parse(&options, name))
		return -1;
	return report_settings_new(&options, &before);
}

static int free_before(void **state)
{
	before = report_settings_unref(before);
	return 0;
}

static struct tm_reload message_of(const char *name, const char *labels, const char *grouping)
{
	struct tm_reload message = make_reload();

	(void)snprintf(message.service_name, sizeof(message.service_name), "%s", name);
	(void)snprintf(message.labels, sizeof(message.labels), "%s", labels);
	(void)snprintf(message.grouping, sizeof(message.grouping), "%s", grouping);
	return message;
}

/* Return: what is different then. */
static uint32_t change_to(const char *name, const char *labels, const char *grouping)
{
	const struct tm_reload message = message_of(name, labels, grouping);
	_cleanup_(report_settings_unrefp) struct report_settings *after = NULL;

	assert_int_equal(report_settings_change(before, &message, &after), 0);
	assert_int_equal(after->users, 1);
	return report_settings_compare(before, after);
}

static void each_text_is_compared(void **state)
{
	assert_int_equal(change_to("shop", "team=a,tier=1", "process"), 0);
	assert_int_equal(change_to("", "team=a,tier=1", "process"), TM_RELOAD_SERVICE_NAME);
	assert_int_equal(change_to("shop", "team=a,tier=2", "process"), TM_RELOAD_LABELS);
	assert_int_equal(change_to("shop", "team=a,tie=1", "process"), TM_RELOAD_LABELS);
	assert_int_equal(change_to("shop", "team=a", "process"), TM_RELOAD_LABELS);
	assert_int_equal(change_to("shop", "", "process"), TM_RELOAD_LABELS);
	assert_int_equal(change_to("shop", "team=a,tier=1", "service"), TM_RELOAD_GROUPING);
	assert_int_equal(change_to("x", "a=b", "container"),
			 TM_RELOAD_SERVICE_NAME | TM_RELOAD_LABELS | TM_RELOAD_GROUPING);
}

static void labels_are_replaced_and_the_host_stays(void **state)
{
	struct tm_reload message = message_of("", "zone=x=y", "service");
	_cleanup_(report_settings_unrefp) struct report_settings *after = NULL;
	_cleanup_(report_settings_unrefp) struct report_settings *last = NULL;
	const struct report_resource *resource;

	assert_int_equal(report_settings_change(before, &message, &after), 0);
	message = message_of("", "a=1,b=2", "service");
	assert_int_equal(report_settings_change(after, &message, &last), 0);
	memset(&message, 'x', sizeof(message)); /* strings are not the message's */
	resource = &after->resource.resource;
	assert_int_equal(resource->attribute_count, 3);
	assert_ptr_equal(resource->attributes, after->resource.attributes);
	assert_string_equal(resource->attributes[0].value, "h");
	assert_string_equal(resource->attributes[1].value, "i");
	assert_string_equal(resource->attributes[2].key, "zone");
	assert_string_equal(resource->attributes[2].value, "x=y");
	assert_string_equal(resource->service_name, "");
	assert_int_equal(resource->grouping, REPORT_BY_SERVICE);
	after = report_settings_unref(after);
	assert_int_equal(last->resource.resource.attribute_count, 4);
	assert_string_equal(last->resource.attributes[2].key, "a");
	assert_int_equal(before->resource.resource.attribute_count, 4);
	assert_string_equal(before->resource.attributes[3].key, "tier");
}

static void texts_that_a_start_refuses_are_refused(void **state)
{
	static const char *const wrong[][3] = {
		{"a\tb", "", "process"}, {"\xff", "", "process"},      {"", "a", "process"},
		{"", "=a", "process"},   {"", "a=b,a=c", "process"},   {"", "a=b,,c=d", "process"},
		{"", "a=\n", "process"}, {"", "host.id=x", "process"}, {"", "a=b", "pod"},
		{"", "a=b", ""},         {"", "a=\x80", "process"},
	};
	struct report_settings *after = NULL;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tm_reload message = message_of(wrong[i][0], wrong[i][1], wrong[i][2]);

		if (report_settings_change(before, &message, &after) != -EBADMSG || after)
			fail_msg("taken: \"%s\", \"%s\", \"%s\"", wrong[i][0], wrong[i][1],
				 wrong[i][2]);
	}
}

static void settings_live_until_their_last_user_has_gone(void **state)
{
	const struct tm_reload message = message_of("", "a=b", "process");
	struct report_settings *after = NULL, *again;

	assert_int_equal(report_settings_change(before, &message, &after), 0);
	again = report_settings_ref(after);
	assert_null(report_settings_unref(after));
	assert_string_equal(again->resource.attributes[2].key, "a");
	assert_null(report_settings_unref(again));
	assert_null(report_settings_unref(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_of_this_version_is_taken),
		cmocka_unit_test(numbers_have_the_limits_of_the_options),
		cmocka_unit_test(text_ends_in_its_field),
		cmocka_unit_test(each_text_is_compared),
		cmocka_unit_test(labels_are_replaced_and_the_host_stays),
		cmocka_unit_test(texts_that_a_start_refuses_are_refused),
		cmocka_unit_test(settings_live_until_their_last_user_has_gone),
	};

	return cmocka_run_group_tests(tests, make_before, free_before);
}
