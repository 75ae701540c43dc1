/* SPDX-License-Identifier: Apache-2.0 */
/* test_view_options - the command lines of `tidemark view` and `tidemark diff` */

#include "tests/unit/cli/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/view_options.h"

#define S   1000000000ull
#define NOW (1795401000ull * S) /* 2026-11-23T02:30:00Z */

static struct view_options options;
static char problem[PROBLEM_BYTES];

static int parse(const char *const *words)
{
	char *argv[32];
	int argc = 0;

	while (words[argc]) {
		argv[argc] = (char *)(uintptr_t)words[argc];
		argc++;
	}
	argv[argc] = NULL;
	problem[0] = '\0';
	return view_options_parse(&options, argc, argv, NOW, problem);
}
#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

#define REFUSE(sentence, ...)                                               \
	do {                                                                \
		assert_int_equal(PARSE(__VA_ARGS__), OPTIONS_E_USAGE);      \
		if (!strstr(problem, sentence))                             \
			fail_msg("%s does not say: %s", problem, sentence); \
	} while (0)

static void since_ends_now(void **state)
{
	assert_int_equal(PARSE("view", "--since", "10m", "-o", "x.html"), 0);
	assert_true(options.sides[0].is_window);
	assert_int_equal(options.sides[0].from_unix_ns, NOW - 600 * S);
	assert_int_equal(options.sides[0].to_unix_ns, NOW);
	assert_string_equal(options.spool, VIEW_OPTIONS_SPOOL);
	assert_int_equal(options.outputs.output_count, 1);
	assert_string_equal(options.outputs.outputs[0].path, "x.html");
}

static void what_the_spool_shows_is_private_unless_asked_otherwise(void **state)
{
	assert_int_equal(PARSE("view", "--since", "10m"), 0);
	assert_int_equal(options.outputs.output_mode, 0600);
	assert_int_equal(PARSE("view", "--since", "10m", "--mode", "644"), 0);
	assert_int_equal(options.outputs.output_mode, 0644);
	assert_int_equal(PARSE("view", "x.otlp"), 0);
	assert_int_equal(options.outputs.output_mode, 0);
	assert_int_equal(PARSE("diff", "x.otlp", "01:50..02:10"), 0);
	assert_int_equal(options.outputs.output_mode, 0600);
	REFUSE("--mode 9", "view", "--since", "10m", "--mode", "9");
}

static void from_goes_on_until_to_or_now(void **state)
{
	assert_int_equal(PARSE("view", "--from", "01:50", "--to", "02:10", "--spool", "/s"), 0);
	assert_int_equal(options.sides[0].from_unix_ns, NOW - 40 * 60 * S);
	assert_int_equal(options.sides[0].to_unix_ns, NOW - 20 * 60 * S);
	assert_string_equal(options.spool, "/s");
	assert_string_equal(options.outputs.outputs[0].path, OPTIONS_OUTPUT_DEFAULT);
	assert_int_equal(PARSE("view", "--from", "01:50"), 0);
	assert_int_equal(options.sides[0].to_unix_ns, NOW);
	assert_int_equal(PARSE("view", "--from", "23:50", "--to", "00:10"), 0); /* over midnight */
	assert_int_equal(options.sides[0].to_unix_ns - options.sides[0].from_unix_ns, 1200 * S);
}

static void files_are_shown_as_a_whole_wherever_they_stand(void **state)
{
	assert_int_equal(PARSE("view", "a.otlp", "-o", "x.folded", "b.otlp", "--comm", "x"), 0);
	assert_false(options.sides[0].is_window);
	assert_int_equal(options.sides[0].file_count, 2);
	assert_string_equal(options.sides[0].files[1], "b.otlp");
}

static void each_filter_may_be_given_several_times(void **state)
{
	assert_int_equal(PARSE("view", "a.otlp", "--comm", "x", "--comm", "y", "--pid", "7",
			       "--container", "34dc", "--unit", "nginx"),
			 0);
	assert_int_equal(options.comms.count, 2);
	assert_string_equal(options.comms.items[1], "y");
	assert_string_equal(options.pids.items[0], "7");
	assert_string_equal(options.containers.items[0], "34dc");
	assert_string_equal(options.units.items[0], "nginx");
}

static void diff_compares_b_with_a(void **state)
{
	assert_int_equal(PARSE("diff", "a.otlp", "b.otlp", "-o", "x.html"), 0);
	assert_true(options.compare);
	assert_string_equal(options.sides[1].files[0], "a.otlp");
	assert_string_equal(options.sides[0].files[0], "b.otlp");
	assert_int_equal(PARSE("diff", "01:00..01:10", "02:00..", "-o", "x.folded"), 0);
	assert_true(options.sides[0].is_window && options.sides[1].is_window);
	assert_int_equal(options.sides[1].from_unix_ns, NOW - 90 * 60 * S);
	assert_int_equal(options.sides[1].to_unix_ns, NOW - 80 * 60 * S);
	assert_int_equal(options.sides[0].from_unix_ns, NOW - 30 * 60 * S);
	assert_int_equal(options.sides[0].to_unix_ns, NOW);
	assert_int_equal(PARSE("diff", "../a.otlp", "01:00..01:10"), 0); /* a path has a slash */
	assert_string_equal(options.sides[1].files[0], "../a.otlp");
}

static void what_contradicts_or_lacks_something_is_named(void **state)
{
	REFUSE("what is to be shown?", "view");
	REFUSE("--since and --from cannot be combined", "view", "--since", "1m", "--from", "01:00");
	REFUSE("--to needs --from", "view", "--to", "01:00");
	REFUSE("a.otlp: a file is shown as a whole", "view", "a.otlp", "--since", "1m");
	REFUSE("without --spool", "view", "a.otlp", "--spool", "/s");
	REFUSE("--since x: a length is needed", "view", "--since", "x");
	REFUSE("is not before", "view", "--from", "2026-11-23 01:00", "--to", "2026-11-23 01:00");
	REFUSE("is in the future", "view", "--from", "2026-11-24 01:00");
	REFUSE("--pid x: not a process number", "view", "a.otlp", "--pid", "x");
	REFUSE("--comm needs a value", "view", "a.otlp", "--comm", "");
	REFUSE("--spool is given twice", "view", "--spool", "/a", "--spool", "/b");
	REFUSE("--memory-max 1: a number of MiB", "view", "a.otlp", "--memory-max", "1");
	REFUSE("--what is not an option of view", "view", "--what");
	REFUSE("--pid needs a value", "view", "--pid");
	REFUSE("the name must end in", "view", "a.otlp", "-o", "x.png");
	REFUSE("diff needs two profiles", "diff", "a.otlp");
	REFUSE("diff needs two profiles", "diff", "a.otlp", "b.otlp", "c.otlp");
	REFUSE("each as FROM..TO", "diff", "a.otlp", "b.otlp", "--since", "1m");
	REFUSE("a difference is written to .html or .folded", "diff", "a.otlp", "b.otlp", "-o",
	       "x.pb.gz");
	REFUSE("from 99:00: a time is needed", "diff", "99:00..", "b.otlp");
	assert_int_equal(PARSE("view", "--help"), OPTIONS_E_HELP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(since_ends_now),
		cmocka_unit_test(what_the_spool_shows_is_private_unless_asked_otherwise),
		cmocka_unit_test(from_goes_on_until_to_or_now),
		cmocka_unit_test(files_are_shown_as_a_whole_wherever_they_stand),
		cmocka_unit_test(each_filter_may_be_given_several_times),
		cmocka_unit_test(diff_compares_b_with_a),
		cmocka_unit_test(what_contradicts_or_lacks_something_is_named),
	};

	if (setenv("TZ", "UTC", 1) < 0)
		return 1;
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
