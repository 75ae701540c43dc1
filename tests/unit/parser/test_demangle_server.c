/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_demangle_server - the real parser program with names, and with a name that kills its worker
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/parser/parser.h"
#include "tests/unit/parser/parser_process.h"

static const char names[] = "main\0_ZN3foo3barEi";

/* Return: the status of the result. */
static uint32_t demangle(const char *text, size_t bytes, uint32_t count, int *ret_fd)
{
	struct parser_message message = {
		.kind = PARSER_DEMANGLE, .id = 8, .count = count, .parts = 1};
	int blob = tm_region_seal_blob("names", text, bytes);

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), -1, 0), 0);
	message.kind = PARSER_PART;
	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), blob, 0), 0);
	(void)close(blob);
	assert_int_equal(tm_fdpass_recv(parser.socket, &message, sizeof(message), ret_fd, 0), 0);
	assert_int_equal(message.kind, PARSER_RESULT);
	assert_int_equal(message.id, 8);
	return message.status;
}

static void names_are_demangled(void **state)
{
	struct tm_region region = TM_REGION_NULL;
	const uint32_t *texts;
	int fd;

	assert_int_equal(demangle(names, sizeof(names), 2, &fd), PARSER_OK);
	assert_int_equal(tm_region_open_blob(&region, fd, 1 << 20), 0);
	texts = (const uint32_t *)((const struct parser_demangled *)region.addr + 1);
	assert_int_equal(texts[0], PARSER_NO_NAME);
	assert_string_equal((const char *)(texts + 2) + texts[1], "foo::bar(int)");
	tm_region_close(&region);
}

static void other_number_of_names_is_refused(void **state)
{
	int fd;

	assert_int_equal(demangle(names, sizeof(names), 3, &fd), PARSER_REFUSED);
	assert_int_equal(demangle(names, sizeof(names) - 1, 2, &fd), PARSER_REFUSED);
}

/* Types of D, each twice as long as the one before it: at the end 2^40 characters. */
static void name_without_end_costs_one_worker(void **state)
{
	char name[512];
	int used = snprintf(name, sizeof(name), "_D1fFHaaHQeQg"), fd;
	uint32_t status;

	for (int i = 0; i < 40; i++)
		used += snprintf(name + used, sizeof(name) - (size_t)used, "HQgQi");
	used += snprintf(name + used, sizeof(name) - (size_t)used, "Zv");
	/* Its memory or CPU time ends first, unless others leave it none until the deadline. */
	status = demangle(name, (size_t)used + 1, 1, &fd);
	assert_true(status == PARSER_CRASHED || status == PARSER_MEMORY || status == PARSER_CPU ||
		    status == PARSER_TIMEOUT);
	assert_int_equal(demangle(names, sizeof(names), 2, &fd), PARSER_OK);
	(void)close(fd);
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, start_parser, stop_parser)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_parser(names_are_demangled),
		with_parser(other_number_of_names_is_refused),
		with_parser(name_without_end_costs_one_worker),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
