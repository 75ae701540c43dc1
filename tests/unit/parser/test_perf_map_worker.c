/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_perf_map_worker - maps that are large, grow or become shorter, read by the real parser
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "symbolizer/names/symbol_table.h"
#include "tests/unit/parser/parser_process.h"

static void ask_for(int file, uint32_t mib)
{
	const struct parser_message message = {.kind = PARSER_PERF_MAP, .id = 4, .count = mib};

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), file, 0), 0);
}

static void ask(int file)
{
	ask_for(file, PARSER_PERF_MAP_MIB);
}

/* Return: the status; *ret_table is the result, once it checks. */
static uint32_t answer(struct symbol_table *ret_table)
{
	struct parser_message result;
	int fd;

	*ret_table = SYMBOL_TABLE_NULL;
	assert_int_equal(tm_fdpass_recv(parser.socket, &result, sizeof(result), &fd, 0), 0);
	assert_int_equal(result.id, 4);
	if (result.status == PARSER_OK)
		assert_int_equal(symbol_table_open(ret_table, fd), 0);
	return result.status;
}

static void expect_name(const struct symbol_table *table, uint64_t address, const char *name)
{
	const struct parser_symbol *symbol = symbol_table_find(table, address);

	assert_non_null(symbol);
	assert_string_equal(symbol_table_name(table, symbol), name);
}

static void append(int file, const char *text)
{
	assert_int_equal(lseek(file, 0, SEEK_END) >= 0, true);
	assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
}

static void map_that_grows_has_more_names_each_time(void **state)
{
	int file = memfd_create("map", MFD_CLOEXEC);
	struct symbol_table table;

	append(file, "1000 20 first\n2000 20 se");
	ask(file);
	assert_int_equal(answer(&table), PARSER_OK);
	assert_int_equal(table.header->symbol_count, 1);
	expect_name(&table, 0x101f, "first");
	symbol_table_close(&table);
	append(file, "cond\n1000 10 third\n");
	ask(file);
	assert_int_equal(answer(&table), PARSER_OK);
	expect_name(&table, 0x1000, "third");
	expect_name(&table, 0x1010, "first");
	expect_name(&table, 0x2000, "second");
	symbol_table_close(&table);
	(void)close(file);
}

/* Nothing, and then lines of about 60 bytes in 64 MiB: the file is sparse. */
static void map_of_a_gibibyte_is_read_in_part(void **state)
{
	int file = memfd_create("map", MFD_CLOEXEC);
	const size_t bytes = 64u << 20;
	struct symbol_table table;
	size_t count = 0;
	char *text = malloc(bytes + 128);

	assert_non_null(text);
	for (uint32_t i = 0; count < bytes; i++)
		count += (size_t)snprintf(text + count, 128,
					  "7f%08x 40 LazyCompile:*function /srv/app/file.js:%u:3\n",
					  i * 64, i);
	assert_int_equal(pwrite(file, text, count, (1 << 30) - (off_t)count), (ssize_t)count);
	free(text);
	ask(file);
	assert_int_equal(answer(&table), PARSER_OK);
	assert_int_equal(table.header->flags, PARSER_SYMBOLS_TRUNCATED);
	assert_true(table.header->symbol_count > 1000000);
	assert_null(symbol_table_find(&table, 0x7f00000000));
	expect_name(&table, 0x7f00000400, "LazyCompile:*function /srv/app/file.js:16:3");
	symbol_table_close(&table);
	(void)close(file);
}

static void more_of_a_map_is_read_where_that_is_asked_for(void **state)
{
	int file = memfd_create("map", MFD_CLOEXEC);
	struct symbol_table table;

	assert_int_equal(pwrite(file, "1000 20 first\n", 14, 0), 14);
	assert_int_equal(pwrite(file, "\n2000 20 second\n", 16, 3 << 20), 16);
	ask_for(file, 3);
	assert_int_equal(answer(&table), PARSER_OK);
	assert_true(table.header->flags & PARSER_SYMBOLS_TRUNCATED);
	assert_null(symbol_table_find(&table, 0x1000));
	expect_name(&table, 0x2000, "second");
	symbol_table_close(&table);
	ask_for(file, 4);
	assert_int_equal(answer(&table), PARSER_OK);
	assert_false(table.header->flags & PARSER_SYMBOLS_TRUNCATED);
	expect_name(&table, 0x1000, "first");
	expect_name(&table, 0x2000, "second");
	symbol_table_close(&table);
	(void)close(file);
}

/* While it is read: either it was read before, or it is to be read again. */
static void map_that_is_truncated_under_the_reader_ends_no_parser(void **state)
{
	int file = memfd_create("map", MFD_CLOEXEC);
	struct symbol_table table;
	uint32_t status;

	for (int i = 0; i < 20; i++) {
		append(file, "1000 20 first\n");
		assert_int_equal(ftruncate(file, 32 << 20), 0);
		ask(file);
		assert_int_equal(ftruncate(file, 0), 0);
		status = answer(&table);
		assert_true(status == PARSER_OK || status == PARSER_CHANGED);
		symbol_table_close(&table);
	}
	append(file, "1000 20 again\n");
	ask(file);
	assert_int_equal(answer(&table), PARSER_OK);
	expect_name(&table, 0x1000, "again");
	symbol_table_close(&table);
	(void)close(file);
}

static void map_that_is_no_regular_file_is_not_read(void **state)
{
	struct symbol_table table;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	ask(ends[0]);
	assert_int_equal(answer(&table), PARSER_FAILED);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, start_parser, stop_parser)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_parser(map_that_grows_has_more_names_each_time),
		with_parser(map_of_a_gibibyte_is_read_in_part),
		with_parser(more_of_a_map_is_read_where_that_is_asked_for),
		with_parser(map_that_is_truncated_under_the_reader_ends_no_parser),
		with_parser(map_that_is_no_regular_file_is_not_read),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
