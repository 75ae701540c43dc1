/* SPDX-License-Identifier: Apache-2.0 */
/* test_top_options - the command line of `tidemark top` */

#include "tests/unit/cli/check.h"

#include <string.h>

#include "cli/top_options.h"
#include "cli/view_options.h"

#define S 1000000000ull

static struct top_options options;
static char problem[PROBLEM_BYTES];

static int parse(const char *const *words)
{
	char *argv[16];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	problem[0] = '\0';
	return top_options_parse(&options, argc, argv, problem);
}
#define PARSE(...) parse((const char *const[]){"top", ##__VA_ARGS__, NULL})

#define REFUSE(sentence, ...)                                               \
	do {                                                                \
		assert_int_equal(PARSE(__VA_ARGS__), OPTIONS_E_USAGE);      \
		if (!strstr(problem, sentence))                             \
			fail_msg("%s does not say: %s", problem, sentence); \
	} while (0)

static void without_options_it_is_functions_on_cpu_of_the_services(void **state)
{
	assert_int_equal(PARSE(), 0);
	assert_string_equal(options.spool, VIEW_OPTIONS_SPOOL);
	assert_int_equal(options.interval_ns, 2 * S);
	assert_int_equal(options.window_ns, 10 * S);
	assert_int_equal(options.by, TOP_BY_FUNCTION);
	assert_int_equal(options.kind, TOP_ON_CPU);
	assert_int_equal(options.sort, TOP_SELF);
	assert_false(options.once);
}

static void each_option_is_taken(void **state)
{
	assert_int_equal(PARSE("--spool", "/s", "--interval", "0.5", "--window", "60", "--by",
			       "container", "--sort", "total", "--off-cpu", "--once"),
			 0);
	assert_string_equal(options.spool, "/s");
	assert_int_equal(options.interval_ns, S / 2);
	assert_int_equal(options.window_ns, 60 * S);
	assert_int_equal(options.by, TOP_BY_CONTAINER);
	assert_int_equal(options.kind, TOP_OFF_CPU);
	assert_int_equal(options.sort, TOP_TOTAL);
	assert_true(options.once);
	assert_int_equal(PARSE("--by", "process"), 0);
	assert_int_equal(options.by, TOP_BY_PROCESS);
	assert_int_equal(PARSE("--help"), OPTIONS_E_HELP);
}

static void what_is_wrong_is_said(void **state)
{
	REFUSE("--by thread: function, process or container", "--by", "thread");
	REFUSE("--sort x: self or total", "--sort", "x");
	REFUSE("--interval 0: 0.1 to 3600 seconds", "--interval", "0");
	REFUSE("--window 3601: 0.1 to 3600 seconds", "--window", "3601");
	REFUSE("--spool needs a value", "--spool");
	REFUSE("--frequency is not an option of top", "--frequency");
	REFUSE("x: top takes no argument", "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_it_is_functions_on_cpu_of_the_services),
		cmocka_unit_test(each_option_is_taken),
		cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
