/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_config - a configuration file of any bytes: what is reported, and what the services get
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config_file.h"
#include "cli/problem.h"
#include "tests/fuzz/fuzz.h"

struct limits {
	size_t lines;
	size_t problems;
};

/* Each problem lies in the file and is one line that a terminal does not obey. */
static void on_problem(void *context, size_t line, const char *sentence)
{
	struct limits *limits = context;

	limits->problems++;
	if (line > limits->lines || strlen(sentence) >= PROBLEM_BYTES || !*sentence)
		abort();
	for (; *sentence; sentence++)
		if ((unsigned char)*sentence < ' ' || *sentence == 0x7f)
			abort();
}

/* A file without a problem has only values that the services take. */
static void check(const struct config_file *file)
{
	char problem[PROBLEM_BYTES];

	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		const char *value = config_file_value(file, i);

		if (file->problems == 0 && config_keys_check(&config_keys[i], value, problem) != 0)
			abort();
		if (file->refused && strcmp(value, config_keys[i].fallback) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct limits limits = {.lines = 1};
	struct config_file file = {.problem = on_problem, .context = &limits};

	for (size_t i = 0; i < bytes; i++)
		limits.lines += data[i] == '\n';
	if (config_file_read(&file, (const char *)data, bytes) != 0)
		abort();
	if (file.problems != limits.problems)
		abort();
	check(&file);
	config_file_free(&file);
	return 0;
}
