/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_file - what of a configuration is wrong, and which values the services get */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/config_file.h"

static struct config_file file;
static char problems[4096]; /* LINE: SENTENCE, each with a line end */

static void on_problem(void *context, size_t line, const char *sentence)
{
	const size_t used = strlen(problems);

	(void)snprintf(problems + used, sizeof(problems) - used, "%zu: %s\n", line, sentence);
}

static void read_bytes(const char *text, size_t bytes)
{
	config_file_free(&file);
	file = (struct config_file){.problem = on_problem};
	problems[0] = '\0';
	assert_int_equal(config_file_read(&file, text, bytes), 0);
}

static void assert_problems(const char *text, const char *expected)
{
	read_bytes(text, strlen(text));
	assert_string_equal(problems, expected);
	assert_int_equal(file.problems > 0, *expected != '\0');
}

static const char *value(const char *name)
{
	return config_file_value(&file, config_keys_find(name));
}

static int forget(void **state)
{
	config_file_free(&file);
	file = (struct config_file){.problem = on_problem};
	return 0;
}

static void what_is_not_set_has_its_default(void **state)
{
	assert_problems("# nothing\n", "");
	for (int i = 0; i < CONFIG_KEYS_N; i++)
		assert_string_equal(config_file_value(&file, i), config_keys[i].fallback);
}

static void what_is_set_has_its_line(void **state)
{
	assert_problems("\nTIDEMARK_RATE = '99'\nTIDEMARK_OTLP_ENDPOINT=unix:///run/o.sock\n", "");
	assert_string_equal(value("TIDEMARK_RATE"), "99");
	assert_int_equal(file.values[config_keys_find("TIDEMARK_RATE")].line, 2);
	assert_string_equal(value("TIDEMARK_OTLP_ENDPOINT"), "unix:///run/o.sock");
}

static void numbers_have_limits(void **state)
{
	assert_problems("TIDEMARK_RATE=0", "1: TIDEMARK_RATE: 0 is not from 1 to 10000\n");
	assert_problems("TIDEMARK_RATE=10001", "1: TIDEMARK_RATE: 10001 is not from 1 to 10000\n");
	assert_problems("TIDEMARK_RATE=10000", "");
	assert_problems("TIDEMARK_RATE=99999999999999999999",
			"1: TIDEMARK_RATE: 99999999999999999999 is not from 1 to 10000\n");
	assert_problems("TIDEMARK_RATE=",
			"1: TIDEMARK_RATE: \"\" is no whole number from 1 to 10000\n");
	assert_problems("TIDEMARK_RATE=1k",
			"1: TIDEMARK_RATE: \"1k\" is no whole number from 1 to 10000\n");
}

static void a_comment_behind_a_value_is_explained(void **state)
{
	assert_problems("TIDEMARK_RATE=99 # a second",
			"1: TIDEMARK_RATE: \"99 # a second\" is no whole number from 1 to 10000 "
			"(a comment needs a line of its own)\n");
}

static void switches_and_endpoints_are_checked(void **state)
{
	assert_problems("TIDEMARK_OFF_CPU=true\n",
			"1: TIDEMARK_OFF_CPU: \"true\" is neither yes nor no\n");
	assert_problems("\nTIDEMARK_OTLP_ENDPOINT=localhost:4318\n",
			"2: TIDEMARK_OTLP_ENDPOINT: \"localhost:4318\" is no http:// or https:// "
			"URL and no unix:///PATH of a socket\n");
	assert_problems("TIDEMARK_OTLP_ENDPOINT=\n", "");
}

static void an_unknown_key_has_the_nearest_one_named(void **state)
{
	assert_problems("TIDEMARK_INTERVALL_MS=1000\n",
			"1: TIDEMARK_INTERVALL_MS: no such key; the nearest one is "
			"TIDEMARK_INTERVAL_MS\n");
	assert_problems("rate=1\n", "1: rate: no such key; the nearest one is TIDEMARK_RATE\n");
	assert_problems("PATH=/bin\n", "1: PATH: no such key (see tidemark config --help)\n");
	assert_problems("export TIDEMARK_RATE=9\n",
			"1: export TIDEMARK_RATE: no such key (see tidemark config --help)\n");
}

static void of_two_assignments_the_last_one_counts(void **state)
{
	assert_problems("TIDEMARK_RATE=1\nTIDEMARK_RATE=2\n",
			"2: TIDEMARK_RATE: is set in line 1, too; this line counts\n");
	assert_string_equal(value("TIDEMARK_RATE"), "2");
}

static void off_cpu_needs_both_of_its_keys(void **state)
{
	assert_problems("\nTIDEMARK_OFF_CPU=yes\n",
			"2: TIDEMARK_OFF_CPU: nothing is recorded for it while "
			"TIDEMARK_OFF_CPU_RATE is 0\n");
	assert_problems("TIDEMARK_OFF_CPU_RATE=9\n",
			"1: TIDEMARK_OFF_CPU_RATE: has no use without TIDEMARK_OFF_CPU=yes\n");
	assert_problems("TIDEMARK_OFF_CPU_RATE=9\nTIDEMARK_OFF_CPU=yes\n", "");
}

static void what_systemd_refuses_as_a_whole_leaves_the_defaults(void **state)
{
	static const char nul[] = "TIDEMARK_RATE=99\n\0";

	read_bytes(nul, sizeof(nul) - 1);
	assert_string_equal(problems, "0: a NUL byte: systemd ignores the whole file, and the "
				      "defaults hold\n");
	assert_string_equal(value("TIDEMARK_RATE"), "19");
	assert_problems("TIDEMARK_RATE=99\nX=\xff\n",
			"2: not valid UTF-8: systemd ignores the whole file, and the defaults "
			"hold\n");
	assert_string_equal(value("TIDEMARK_RATE"), "19");
	assert_problems("# \xff\nTIDEMARK_RATE=99\n", ""); /* not in a comment */
}

static void a_terminal_is_safe_from_what_a_file_has(void **state)
{
	assert_problems("\033[2J=1\n", "1: _[2J: no such key (see tidemark config --help)\n");
	assert_problems("TIDEMARK_OFF_CPU=\033[2J\n",
			"1: TIDEMARK_OFF_CPU: \"_[2J\" is neither yes nor no\n");
}

static void a_file_has_a_limit(void **state)
{
	char path[] = "/tmp/tidemark-config-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "TIDEMARK_RATE=7\n", 16, 0), 16);
	assert_int_equal(config_file_open(&file, path), 0);
	assert_string_equal(value("TIDEMARK_RATE"), "7");
	assert_int_equal(ftruncate(fd, CONFIG_FILE_BYTES_MAX + 1), 0);
	assert_int_equal(config_file_open(&file, path), -EFBIG);
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(config_file_open(&file, path), -ENOENT);
	assert_int_equal(config_file_open(&file, "/"), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_not_set_has_its_default, forget),
		cmocka_unit_test_teardown(what_is_set_has_its_line, forget),
		cmocka_unit_test_teardown(numbers_have_limits, forget),
		cmocka_unit_test_teardown(a_comment_behind_a_value_is_explained, forget),
		cmocka_unit_test_teardown(switches_and_endpoints_are_checked, forget),
		cmocka_unit_test_teardown(an_unknown_key_has_the_nearest_one_named, forget),
		cmocka_unit_test_teardown(of_two_assignments_the_last_one_counts, forget),
		cmocka_unit_test_teardown(off_cpu_needs_both_of_its_keys, forget),
		cmocka_unit_test_teardown(what_systemd_refuses_as_a_whole_leaves_the_defaults,
					  forget),
		cmocka_unit_test_teardown(a_terminal_is_safe_from_what_a_file_has, forget),
		cmocka_unit_test_setup_teardown(a_file_has_a_limit, forget, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
