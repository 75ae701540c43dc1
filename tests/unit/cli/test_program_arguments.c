/* SPDX-License-Identifier: Apache-2.0 */
/* test_program_arguments - the title of a recording's page, and the memory for the programs */

#include "tests/unit/cli/check.h"

#include <string.h>

#include "cli/program_arguments.h"

static char title[PROGRAM_ARGUMENTS_TITLE_BYTES];

static void title_says_what_was_recorded(void **state)
{
	char *command[] = {(char[]){"make"}, (char[]){"-j8"}, NULL};
	struct options options = {.hz = 99, .pid_count = 2, .pids = {7, 8}};

	program_arguments_title(&options, title);
	assert_non_null(strstr(title, ": tidemark record -F 99 -p 7 -p 8"));
	options.off_cpu.on = true;
	program_arguments_title(&options, title);
	assert_non_null(strstr(title, ": tidemark record -F 99 --off-cpu -p 7 -p 8"));
	options = (struct options){.hz = 19, .command = command};
	program_arguments_title(&options, title);
	assert_non_null(strstr(title, ": tidemark record -F 19 -- make -j8"));
}

static void long_and_hostile_command_is_cut_and_clean(void **state)
{
	char word[] = "\033]0;owned\007\xff", *command[64];
	struct options options = {.hz = 99, .command = command};
	size_t i;

	for (i = 0; i < 63; i++)
		command[i] = word;
	command[63] = NULL;
	program_arguments_title(&options, title);
	assert_true(strlen(title) < sizeof(title));
	assert_null(strchr(title, '\033'));
	assert_null(strchr(title, '\007'));
	assert_null(strchr(title, '\xff'));
}

static void memory_is_set_aside_for_each_program_that_is_started(void **state)
{
	struct options options = {.memory_mib = 512};
	uint64_t bytes = PROGRAM_ARGUMENTS_PROCESS_BYTES;

	assert_int_equal(program_arguments_process_bytes(&options), bytes);
	options.off_cpu.on = true;
	assert_int_equal(program_arguments_process_bytes(&options),
			 bytes += PROGRAM_ARGUMENTS_OFF_CPU_BYTES);
	options.debuginfod.count = 2;
	assert_int_equal(program_arguments_process_bytes(&options),
			 bytes += PROGRAM_ARGUMENTS_CURL_BYTES);
	options.otlp.on = true;
	assert_int_equal(program_arguments_process_bytes(&options),
			 bytes + PROGRAM_ARGUMENTS_CURL_BYTES + PROGRAM_ARGUMENTS_QUEUE_MAX);
	options.memory_mib = 64; /* the queue is a part of it */
	assert_int_equal(program_arguments_process_bytes(&options),
			 bytes + PROGRAM_ARGUMENTS_CURL_BYTES + (8 << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(title_says_what_was_recorded),
		cmocka_unit_test(long_and_hostile_command_is_cut_and_clean),
		cmocka_unit_test(memory_is_set_aside_for_each_program_that_is_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
