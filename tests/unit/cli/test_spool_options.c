/* SPDX-License-Identifier: Apache-2.0 */
/* test_spool_options - the options about keeping reports on this host, valid and invalid */

#include "tests/unit/cli/check.h"

#include <string.h>

#include "cli/options.h"

static struct options options;
static char problem[PROBLEM_BYTES];

static int parse(const char *first, const char *second, const char *third)
{
	char *words[] = {(char[]){"record"}, (char *)(size_t)first, (char *)(size_t)second,
			 (char *)(size_t)third, NULL};
	int count = 1;

	while (words[count])
		count++;
	problem[0] = '\0';
	return options_parse(&options, count, words, problem);
}

static void spool_has_a_day_and_256_mib_and_replaces_the_page(void **state)
{
	assert_int_equal(parse("--spool=/var/s", NULL, NULL), 0);
	assert_string_equal(options.spool.folder, "/var/s");
	assert_int_equal(options.spool.max_bytes, 256 << 20);
	assert_int_equal(options.spool.max_age_s, 86400);
	assert_int_equal(options.output_count, 0);
	assert_int_equal(parse("--spool=s", "-ox.html", NULL), 0);
	assert_int_equal(options.output_count, 1);
	assert_int_equal(parse(NULL, NULL, NULL), 0);
	assert_null(options.spool.folder);
	assert_int_equal(options.output_count, 1);
}

static void sizes_and_ages_have_units(void **state)
{
	assert_int_equal(parse("--spool=s", "--spool-max=2G", "--spool-age=90m"), 0);
	assert_int_equal(options.spool.max_bytes, 2ull << 30);
	assert_int_equal(options.spool.max_age_s, 5400);
	assert_int_equal(parse("--spool=s", "--spool-max=1M", "--spool-age=1"), 0);
	assert_int_equal(options.spool.max_age_s, 1);
}

static void expect_problem(const char *text, const char *first, const char *second)
{
	assert_int_equal(parse(first, second, NULL), OPTIONS_E_USAGE);
	if (!strstr(problem, text))
		fail_msg("%s", problem);
}

static void problem_names_the_option(void **state)
{
	expect_problem("--spool is given twice", "--spool=a", "--spool=b");
	expect_problem("--spool needs", "--spool=", NULL);
	expect_problem("--spool-max 1023K: a size", "--spool=a", "--spool-max=1023K");
	expect_problem("--spool-max -1", "--spool=a", "--spool-max=-1");
	expect_problem("--spool-age 0: a duration", "--spool=a", "--spool-age=0");
	expect_problem("--spool-age 8785h", "--spool=a", "--spool-age=8785h");
	expect_problem("--spool-age has no meaning without --spool", "--spool-age=2", NULL);
	expect_problem("--spool-max has no meaning without --spool", "--spool-max=2M", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spool_has_a_day_and_256_mib_and_replaces_the_page),
		cmocka_unit_test(sizes_and_ages_have_units),
		cmocka_unit_test(problem_names_the_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
