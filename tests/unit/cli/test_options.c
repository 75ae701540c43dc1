/* SPDX-License-Identifier: Apache-2.0 */
/* test_options - valid and invalid command lines of `tidemark record` */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "shared/event.h"

#define WORDS_MAX 600

static struct options options;
static char problem[PROBLEM_BYTES];

/* Parses a line whose words are separated by single spaces. */
static int parse(const char *line)
{
	static char copy[WORDS_MAX * 12];
	static char *words[WORDS_MAX + 1];
	char *next = copy;
	int count = 0;

	assert_true(strlen(line) < sizeof(copy));
	memcpy(copy, line, strlen(line) + 1);
	while (next && count < WORDS_MAX)
		words[count++] = strsep(&next, " ");
	words[count] = NULL;
	problem[0] = '\0';
	return options_parse(&options, count, words, problem);
}

static void without_options_the_whole_host_is_recorded(void **state)
{
	assert_int_equal(parse("record"), 0);
	assert_int_equal(options.hz, 99);
	assert_int_equal(options.duration_ns, 0);
	assert_int_equal(options.pid_count, 0);
	assert_null(options.command);
	assert_int_equal(options.memory_mib, 512);
	assert_false(options.public_files);
	assert_null(options.cache);
	assert_false(options.no_cache);
	assert_false(options.no_demangle);
	assert_false(options.runtime_internals);
	assert_int_equal(options.debuginfod.count, 0);
	assert_int_equal(options.debug_root_count, 1);
	assert_string_equal(options.debug_roots[0], "/usr/lib/debug");
	assert_null(options.summary);
	assert_int_equal(options.output_count, 1);
	assert_string_equal(options.outputs[0].path, "tidemark.html");
	assert_int_equal(options.outputs[0].format, FORMAT_HTML);
}

static void mode_is_private_if_the_host_is_shown_and_nobody_asks_otherwise(void **state)
{
	assert_int_equal(parse("record"), 0);
	assert_int_equal(options.output_mode, 0600);
	assert_true(options.is_mode_ours);
	assert_int_equal(parse("record -p 7"), 0);
	assert_int_equal(options.output_mode, 0);
	assert_int_equal(parse("record -- true"), 0);
	assert_int_equal(options.output_mode, 0);
	assert_int_equal(parse("record --mode 0640"), 0);
	assert_int_equal(options.output_mode, 0640);
	assert_false(options.is_mode_ours);
	assert_int_equal(parse("record --mode 64"), OPTIONS_E_USAGE);
	assert_int_equal(parse("record --mode 00644"), OPTIONS_E_USAGE);
	assert_int_equal(parse("record --mode 648"), OPTIONS_E_USAGE);
	assert_int_equal(parse("record --mode 755"), OPTIONS_E_USAGE); /* nothing is a program */
	assert_int_equal(parse("record --mode 4644"), OPTIONS_E_USAGE);
	assert_int_equal(parse("record --mode 000"), OPTIONS_E_USAGE);
}

static void every_option_is_parsed(void **state)
{
	assert_int_equal(
		parse("record -d 2.5 -F 10000 -p 7 -p 8 -p 7 -o a.folded -o b/c.pb.gz "
		      "--summary s --ring-kib 64 --public-files -v --memory-max 16 --cache y "
		      "--cpu-max 0.5 --perf-map-max 512 --no-demangle "
		      "--runtime-internals --folded-lines all"),
		0);
	assert_int_equal(options.duration_ns, 2500000000ull);
	assert_int_equal(options.hz, 10000);
	assert_int_equal(options.pid_count, 2);
	assert_int_equal(options.pids[0], 7);
	assert_int_equal(options.pids[1], 8);
	assert_int_equal(options.output_count, 2);
	assert_int_equal(options.outputs[1].format, FORMAT_PPROF);
	assert_string_equal(options.summary, "s");
	assert_int_equal(options.ring_kib, 64);
	assert_int_equal(options.memory_mib, 16);
	assert_int_equal(options.cpu_max_ppm, 5000);
	assert_int_equal(options.perf_map_mib, 512);
	assert_string_equal(options.cache, "y");
	assert_true(options.verbose);
	assert_true(options.public_files);
	assert_true(options.no_demangle);
	assert_true(options.runtime_internals);
	assert_string_equal(options.folded_lines, "all");
}

static void debug_files_lie_below_the_folders_that_are_given(void **state)
{
	assert_int_equal(parse("record --debug-root /a --debug-root=/b/c"), 0);
	assert_int_equal(options.debug_root_count, 2);
	assert_string_equal(options.debug_roots[0], "/a");
	assert_string_equal(options.debug_roots[1], "/b/c");
	assert_int_equal(parse("record --no-debug-files"), 0);
	assert_int_equal(options.debug_root_count, 0);
	assert_int_equal(parse("record --debug-root a"), OPTIONS_E_USAGE);
	assert_non_null(strstr(problem, "--debug-root a: "));
	assert_int_equal(parse("record --debug-root //"), OPTIONS_E_USAGE);
	assert_int_equal(parse("record --no-debug-files --debug-root /a"), OPTIONS_E_USAGE);
	assert_non_null(strstr(problem, "cannot be combined"));
}

static void debug_files_come_from_the_servers_that_are_given(void **state)
{
	assert_int_equal(parse("record --debuginfod http://a --debuginfod=https://b:8002/x"), 0);
	assert_int_equal(options.debuginfod.count, 2);
	assert_string_equal(options.debuginfod.items[0].text, "http://a");
	assert_int_equal(options.debuginfod.items[1].bytes, strlen("https://b:8002/x"));
	assert_false(options.no_debuginfod);
	assert_int_equal(parse("record --no-debuginfod"), 0);
	assert_true(options.no_debuginfod);
}

static void private_files_asks_for_the_default(void **state)
{
	assert_int_equal(parse("record --private-files"), 0);
	assert_false(options.public_files);
	assert_int_equal(parse("record --public-files --private-files"), 0);
	assert_true(options.public_files);
}

static void reports_at_intervals_and_restarts_are_parsed(void **state)
{
	assert_int_equal(parse("record -d 1"), 0);
	assert_int_equal(options.every_ns, 0);
	assert_false(options.restart);
	assert_int_equal(parse("record --every 2.5 --restart"), 0);
	assert_int_equal(options.every_ns, 2500000000ull);
	assert_int_equal(options.jitter_percent, 0);
	assert_int_equal(parse("record --every 5 --every-jitter 20"), 0);
	assert_int_equal(options.jitter_percent, 20);
	assert_int_equal(parse("record --every 2.5 --restart"), 0);
	assert_true(options.restart);
	assert_int_equal(parse("record --every=1m"), 0);
	assert_int_equal(options.every_ns, 60000000000ull);
}

static void off_cpu_is_off_until_it_is_asked_for(void **state)
{
	assert_int_equal(parse("record"), 0);
	assert_false(options.off_cpu.on);
	assert_int_equal(parse("record --off-cpu"), 0);
	assert_true(options.off_cpu.on);
	assert_int_equal(options.off_cpu.rate, 1000);
	assert_int_equal(options.off_cpu.min_ns, 0);
	assert_int_equal(options.off_cpu.max_ns, TM_OFF_CPU_VALUE_MAX);
	assert_false(options.off_cpu.kernel_threads);
}

static void off_cpu_options_are_parsed_in_any_order(void **state)
{
	assert_int_equal(parse("record --off-cpu-rate 100000 --off-cpu-min 10us --off-cpu-kernel "
			       "--off-cpu --off-cpu-max=1.5"),
			 0);
	assert_true(options.off_cpu.on);
	assert_int_equal(options.off_cpu.rate, 100000);
	assert_int_equal(options.off_cpu.min_ns, 10000);
	assert_int_equal(options.off_cpu.max_ns, 1500000000);
	assert_true(options.off_cpu.kernel_threads);
	assert_int_equal(parse("record --off-cpu --off-cpu-min 1ms --off-cpu-max 1ms"), 0);
	assert_int_equal(parse("record --off-cpu --off-cpu-max 604800"), 0);
}

/* Each problem names both options. */
static void off_cpu_options_that_contradict_are_named(void **state)
{
	static const char *const alone[] = {"--off-cpu-rate 5", "--off-cpu-min 0",
					    "--off-cpu-max 1s", "--off-cpu-kernel"};
	char line[64];

	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		(void)snprintf(line, sizeof(line), "record %s", alone[i]);
		assert_int_equal(parse(line), OPTIONS_E_USAGE);
		assert_int_equal(strncmp(problem, alone[i], strcspn(alone[i], " ")), 0);
		assert_non_null(strstr(problem, "without --off-cpu"));
	}
	assert_int_equal(parse("record --off-cpu --off-cpu-min 2ms --off-cpu-max 1ms"),
			 OPTIONS_E_USAGE);
	assert_non_null(strstr(problem, "--off-cpu-min is longer than --off-cpu-max"));
}

static void long_names_are_parsed(void **state)
{
	assert_int_equal(parse("record --duration=1 --frequency=19 --pid=3 --output=x.html"), 0);
	assert_int_equal(options.duration_ns, 1000000000ull);
	assert_int_equal(options.hz, 19);
	assert_int_equal(options.pids[0], 3);
	assert_string_equal(options.outputs[0].path, "x.html");
}

static void command_follows_two_dashes_with_its_own_options(void **state)
{
	assert_int_equal(parse("record -F 9 -- ls -F -d x"), 0);
	assert_int_equal(options.hz, 9);
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-F");
	assert_string_equal(options.command[3], "x");
	assert_null(options.command[4]);
}

static void help_options_are_recognised(void **state)
{
	assert_int_equal(parse("record --help"), OPTIONS_E_HELP);
	assert_int_equal(parse("record -h"), OPTIONS_E_HELP);
	assert_int_equal(parse("record -- ls --help"), 0);
}

static void servers_that_cannot_be_asked_are_named(void **state)
{
	char line[9 * 24 + 8] = "record";
	size_t i;

	assert_int_equal(parse("record --debuginfod file:///x"), OPTIONS_E_USAGE);
	assert_non_null(strstr(problem, "--debuginfod file:///x"));
	assert_int_equal(parse("record --debuginfod"), OPTIONS_E_USAGE);
	assert_int_equal(parse("record --no-debuginfod --debuginfod http://a"), OPTIONS_E_USAGE);
	assert_non_null(strstr(problem, "--no-debuginfod"));
	for (i = 0; i < 9; i++) {
		(void)snprintf(line + strlen(line), 24, " --debuginfod http://a");
		assert_int_equal(parse(line), i < DEBUGINFOD_URLS_MAX ? 0 : OPTIONS_E_USAGE);
	}
}

struct wrong_line {
	const char *line, *named;
};

static void expect_problems(const struct wrong_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (parse(lines[i].line) != OPTIONS_E_USAGE)
			fail_msg("taken: %s", lines[i].line);
		if (!strstr(problem, lines[i].named))
			fail_msg("%s: said %s", lines[i].line, problem);
	}
}

static void problem_names_the_invalid_off_cpu_option(void **state)
{
	static const struct wrong_line lines[] = {
		{"record --off-cpu=5", "--off-cpu=5"},
		{"record --off-cpu --off-cpu-rate 0", "--off-cpu-rate 0"},
		{"record --off-cpu --off-cpu-rate 100001", "--off-cpu-rate 100001"},
		{"record --off-cpu --off-cpu-rate 1.5", "--off-cpu-rate 1.5"},
		{"record --off-cpu --off-cpu-min -1", "--off-cpu-min -1"},
		{"record --off-cpu --off-cpu-min 604801", "--off-cpu-min 604801"},
		{"record --off-cpu --off-cpu-max 0", "--off-cpu-max 0"},
		{"record --off-cpu --off-cpu-max 604801", "--off-cpu-max 604801"},
		{"record --off-cpu --off-cpu-max 3ns", "--off-cpu-max 3ns"},
		{"record --off-cpu --off-cpu-max", "--off-cpu-max"},
		{"record --off-cpu --off-cpu-kernel=1", "--off-cpu-kernel=1"},
	};

	expect_problems(lines, sizeof(lines) / sizeof(lines[0]));
}

static void problem_names_the_invalid_argument(void **state)
{
	static const struct wrong_line lines[] = {
		{"record -F 0", "-F 0"},
		{"record --folded-lines some", "--folded-lines some"},
		{"record -F 10001", "-F 10001"},
		{"record -F 1.5", "-F 1.5"},
		{"record -F -1", "-F -1"},
		{"record -F 18446744073709551617", "-F 1844"},
		{"record -d 0", "-d 0"},
		{"record -d -1", "-d -1"},
		{"record -d 1e3", "-d 1e3"},
		{"record -d 604801", "-d 604801"},
		{"record -d nan", "-d nan"},
		{"record --every 0.9", "--every 0.9"},
		{"record --every 604801", "--every 604801"},
		{"record --every 5 --every-jitter 51", "--every-jitter 51"},
		{"record --every-jitter 5", "--every-jitter has no meaning"},
		{"record --every -d 3", "--every -d"},
		{"record --every", "--every"},
		{"record --restart=yes", "--restart=yes"},
		{"record -p 0", "-p 0"},
		{"record -p -4", "-p -4"},
		{"record -p 12x", "-p 12x"},
		{"record -p 2147483648", "-p 2147483648"},
		{"record -o x.svg", "x.svg"},
		{"record -o x.html -o x.html", "x.html"},
		{"record -o x.html --summary x.html", "x.html"},
		{"record --summary a --summary b", "--summary"},
		{"record --ring-kib 3", "--ring-kib 3"},
		{"record --ring-kib 100", "--ring-kib 100"},
		{"record --ring-kib 524288", "--ring-kib"},
		{"record --cpu-max 0.09", "--cpu-max 0.09"},
		{"record --cpu-max 100.1", "--cpu-max 100.1"},
		{"record --cpu-max 1%", "--cpu-max 1%"},
		{"record --cpu-max", "--cpu-max"},
		{"record --memory-max 15", "--memory-max 15"},
		{"record --memory-max 2049", "--memory-max 2049"},
		{"record --memory-max 64M", "--memory-max 64M"},
		{"record --memory-max -1", "--memory-max -1"},
		{"record --perf-map-max 513", "--perf-map-max 513"},
		{"record --memory-max", "--memory-max"},
		{"record --cache", "--cache"},
		{"record --cache x --no-cache", "--no-cache"},
		{"record --cache x --cache y", "--cache"},
		{"record -z", "-z"},
		{"record -vz", "-z"},
		{"record --wrong", "--wrong"},
		{"record --help=3", "--help=3"},
		{"record -d", "-d"},
		{"record --summary", "--summary"},
		{"record ls", "ls"},
		{"record -v ls", "ls"},
		{"record --", "--"},
		{"record -p 1 -- ls", "-p"},
	};

	expect_problems(lines, sizeof(lines) / sizeof(lines[0]));
}

static void empty_command_is_wrong(void **state)
{
	assert_int_equal(parse("record -- "), OPTIONS_E_USAGE);
}

static void limits_hold_at_their_last_value(void **state)
{
	static char line[WORDS_MAX * 12];
	size_t used, i;

	used = (size_t)snprintf(line, sizeof(line), "record");
	for (i = 0; i < OPTIONS_PIDS_MAX; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, " -p %zu", i + 1);
	assert_int_equal(parse(line), 0);
	assert_int_equal(options.pid_count, OPTIONS_PIDS_MAX);
	(void)snprintf(line + used, sizeof(line) - used, " -p 9999");
	assert_int_equal(parse(line), OPTIONS_E_USAGE);

	used = (size_t)snprintf(line, sizeof(line), "record");
	for (i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, " -o %zu.html", i);
	assert_int_equal(parse(line), 0);
	assert_int_equal(options.output_count, OPTIONS_OUTPUTS_MAX);
	(void)snprintf(line + used, sizeof(line) - used, " -o x.html");
	assert_int_equal(parse(line), OPTIONS_E_USAGE);
}

static void control_characters_of_the_line_are_not_printed(void **state)
{
	assert_int_equal(parse("record -F \033[31m"), OPTIONS_E_USAGE);
	assert_null(strchr(problem, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_the_whole_host_is_recorded),
		cmocka_unit_test(every_option_is_parsed),
		cmocka_unit_test(mode_is_private_if_the_host_is_shown_and_nobody_asks_otherwise),
		cmocka_unit_test(debug_files_come_from_the_servers_that_are_given),
		cmocka_unit_test(private_files_asks_for_the_default),
		cmocka_unit_test(reports_at_intervals_and_restarts_are_parsed),
		cmocka_unit_test(off_cpu_is_off_until_it_is_asked_for),
		cmocka_unit_test(off_cpu_options_are_parsed_in_any_order),
		cmocka_unit_test(off_cpu_options_that_contradict_are_named),
		cmocka_unit_test(long_names_are_parsed),
		cmocka_unit_test(command_follows_two_dashes_with_its_own_options),
		cmocka_unit_test(help_options_are_recognised),
		cmocka_unit_test(servers_that_cannot_be_asked_are_named),
		cmocka_unit_test(debug_files_lie_below_the_folders_that_are_given),
		cmocka_unit_test(problem_names_the_invalid_off_cpu_option),
		cmocka_unit_test(problem_names_the_invalid_argument),
		cmocka_unit_test(empty_command_is_wrong),
		cmocka_unit_test(limits_hold_at_their_last_value),
		cmocka_unit_test(control_characters_of_the_line_are_not_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
