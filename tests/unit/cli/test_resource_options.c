/* SPDX-License-Identifier: Apache-2.0 */
/* test_resource_options - labels and service names, of options and of the environment */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/problem.h"
#include "cli/resource_options.h"

static struct resource_options options;
static char problem[PROBLEM_BYTES];

static int begin(void **state)
{
	unsetenv("OTEL_SERVICE_NAME");
	unsetenv("OTEL_RESOURCE_ATTRIBUTES");
	options = (struct resource_options){.label_count = 0};
	return 0;
}

static int label(const char *text)
{
	return resource_options_set(&options, RESOURCE_OPTION_LABEL, text, problem);
}

/* Takes these resource attributes of the environment alone. Return: whether they make sense. */
static bool take(const char *attributes)
{
	options = (struct resource_options){.label_count = 0};
	setenv("OTEL_RESOURCE_ATTRIBUTES", attributes, 1);
	resource_options_take_environment(&options);
	return !options.refused;
}

static void labels_are_kept_in_their_order(void **state)
{
	assert_int_equal(label("zone=a"), 0);
	assert_int_equal(label("empty="), 0);
	assert_int_equal(label("url=x=y"), 0);
	assert_int_equal(options.label_count, 3);
	assert_string_equal(options.labels[2], "url=x=y");
	assert_true(resource_options_have(&options, "empty"));
	assert_false(resource_options_have(&options, "zon"));
	assert_false(resource_options_have(&options, "zone="));
}

static void labels_of_another_form_are_refused(void **state)
{
	static const char *const wrong[] = {"",      "=",         "=x",     "word",
					    "a\n=b", "a=\x1b[0m", "a=\xff", "a=\xc0\x80"};
	char text[RESOURCE_LABEL_BYTES + 1];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(label(wrong[i]), PROBLEM_E_USAGE);
		assert_non_null(strstr(problem, "KEY=VALUE of less than 1024 bytes"));
	}
	memset(text, 'x', sizeof(text));
	text[1] = '=';
	text[RESOURCE_LABEL_BYTES] = '\0';
	assert_int_equal(label(text), PROBLEM_E_USAGE);
	text[RESOURCE_LABEL_BYTES - 1] = '\0';
	assert_int_equal(label(text), 0);
}

static void keys_that_tidemark_finds_out_are_refused(void **state)
{
	static const char *const ours[] = {"service.name=x",      "container.id=x", "k8s.pod.uid=x",
					   "process.pid=1",       "thread.name=x",  "tidemark.x=1",
					   "profile.frame.type=x"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		assert_int_equal(label(ours[i]), PROBLEM_E_USAGE);
		assert_non_null(strstr(problem, "tidemark itself says"));
	}
	assert_int_equal(label("service.namespace=x"), 0);
	assert_int_equal(label("host.name=x"), 0);
	assert_int_equal(label("host.name=y"), PROBLEM_E_USAGE);
}

static void labels_have_a_limit(void **state)
{
	static char texts[RESOURCE_LABELS_MAX][8];

	for (unsigned i = 0; i < RESOURCE_LABELS_MAX; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]), "k%u=v", i);
		assert_int_equal(label(texts[i]), 0);
	}
	assert_int_equal(label("one=more"), PROBLEM_E_USAGE);
	assert_non_null(strstr(problem, "more than 64 times"));
}

static void names_and_groupings_are_checked(void **state)
{
	static const enum resource_option service = RESOURCE_OPTION_SERVICE;
	static const enum resource_option grouping = RESOURCE_OPTION_GROUPING;

	assert_int_equal(resource_options_set(&options, service, "", problem), PROBLEM_E_USAGE);
	assert_int_equal(resource_options_set(&options, service, "a\tb", problem), PROBLEM_E_USAGE);
	assert_int_equal(resource_options_set(&options, service, "shop", problem), 0);
	assert_string_equal(options.service_name, "shop");
	assert_int_equal(resource_options_set(&options, grouping, "pod", problem), PROBLEM_E_USAGE);
	assert_int_equal(resource_options_set(&options, grouping, "service", problem), 0);
	assert_string_equal(options.grouping, "service");
}

static void attributes_of_the_environment_are_decoded(void **state)
{
	assert_true(take(" zone = eu%2Cwest%3d1 ,, tier=%20x%20, tier=second,url=a=b, "));
	assert_int_equal(options.label_count, 3);
	assert_string_equal(options.labels[0], "zone=eu,west=1");
	assert_string_equal(options.labels[1], "tier= x ");
	assert_string_equal(options.labels[2], "url=a=b");
	assert_true(take(""));
	assert_true(take("process.pid=4,container.id=x,zone=a"));
	assert_int_equal(options.label_count, 1);
}

static void attributes_that_make_no_sense_are_left_out_as_a_whole(void **state)
{
	static const char *const wrong[] = {"word",
					    "a=b,word",
					    "a=%",
					    "a=%4",
					    "a=%4g",
					    "a=%00",
					    "a=%ff",
					    "=b",
					    "%3d=b",
					    "a=%0a",
					    "a=b;c,service.name="};
	static char text[RESOURCE_TEXT_BYTES + 2];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(take(wrong[i]));
		assert_string_equal(options.refused, "OTEL_RESOURCE_ATTRIBUTES");
		assert_int_equal(options.label_count, 0);
		assert_null(options.service_name);
	}
	memset(text, ',', sizeof(text) - 1);
	assert_false(take(text));
	text[RESOURCE_TEXT_BYTES - 1] = '\0';
	assert_true(take(text));
}

static void services_are_named_in_order(void **state)
{
	assert_true(take("service.name=third,zone=a"));
	assert_string_equal(options.service_name, "third");
	setenv("OTEL_SERVICE_NAME", "second", 1);
	assert_true(take("service.name=third"));
	assert_string_equal(options.service_name, "second");
	options.service_name = "first";
	resource_options_take_environment(&options);
	assert_string_equal(options.service_name, "first");
	setenv("OTEL_SERVICE_NAME", "a\nb", 1);
	assert_false(take("zone=a"));
	assert_string_equal(options.refused, "OTEL_SERVICE_NAME");
	assert_null(options.service_name);
	assert_int_equal(options.label_count, 1);
}

static void options_come_before_the_environment(void **state)
{
	assert_int_equal(label("zone=option"), 0);
	setenv("OTEL_RESOURCE_ATTRIBUTES", "zone=environment,tier=db", 1);
	resource_options_take_environment(&options);
	assert_null(options.refused);
	assert_int_equal(options.label_count, 2);
	assert_string_equal(options.labels[0], "zone=option");
	assert_string_equal(options.labels[1], "tier=db");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(labels_are_kept_in_their_order, begin),
		cmocka_unit_test_setup(labels_of_another_form_are_refused, begin),
		cmocka_unit_test_setup(keys_that_tidemark_finds_out_are_refused, begin),
		cmocka_unit_test_setup(labels_have_a_limit, begin),
		cmocka_unit_test_setup(names_and_groupings_are_checked, begin),
		cmocka_unit_test_setup(attributes_of_the_environment_are_decoded, begin),
		cmocka_unit_test_setup(attributes_that_make_no_sense_are_left_out_as_a_whole,
				       begin),
		cmocka_unit_test_setup(services_are_named_in_order, begin),
		cmocka_unit_test_setup(options_come_before_the_environment, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
