/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lines_worker - lines from the real parser program, whose worker is under its filter
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/names/lines_check.h"
#include "tests/unit/parser/parser_process.h"

static int folder; /* of the compiled programs */

static void send(const struct parser_message *message, int fd)
{
	assert_int_equal(tm_fdpass_send(parser.socket, message, sizeof(*message), fd, 0), 0);
}

/* @debug: -1: none. Return: the status; *ret_fd is the result. */
static uint32_t request(int file, int debug, const uint64_t *vaddrs, uint32_t count, int *ret_fd)
{
	struct parser_message message = {
		.kind = PARSER_LINES, .id = 9, .count = count, .parts = debug < 0 ? 1 : 2};
	int blob = tm_region_seal_blob("vaddrs", vaddrs, count * sizeof(*vaddrs));

	send(&message, file);
	message.kind = PARSER_PART;
	send(&message, blob);
	if (debug >= 0)
		send(&message, debug);
	(void)close(blob);
	assert_int_equal(tm_fdpass_recv(parser.socket, &message, sizeof(message), ret_fd, 0), 0);
	assert_int_equal(message.kind, PARSER_RESULT);
	assert_int_equal(message.id, 9);
	assert_int_equal(message.status == PARSER_OK, *ret_fd >= 0);
	return message.status;
}

static int open_form(const char *form)
{
	int fd = openat(folder, form, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Every address of the program: how many have calls. */
static uint32_t named_places(int file, int debug, uint32_t *ret_flags)
{
	enum {
		COUNT = 0x2000,
		FIRST = 0x1000
	};
	static uint64_t vaddrs[COUNT];
	struct tm_region region = TM_REGION_NULL;
	struct lines_check checked;
	uint32_t named = 0;
	int fd;

	for (uint32_t i = 0; i < COUNT; i++)
		vaddrs[i] = FIRST + i;
	assert_int_equal(request(file, debug, vaddrs, COUNT, &fd), PARSER_OK);
	assert_int_equal(tm_region_open_blob(&region, fd, LINES_CHECK_MAX_BYTES), 0);
	assert_int_equal(lines_check_check(&checked, region.addr, region.bytes, COUNT), 0);
	for (uint32_t i = 0; i < COUNT; i++)
		named += checked.places[i].call_count > 0;
	*ret_flags = checked.header->flags;
	tm_region_close(&region);
	return named;
}

static void lines_come_from_the_file_or_its_debug_file(void **state)
{
	int file = open_form("lines_dwarf5"), debug = open_form("lines_debug_only");
	int stripped = open_form("lines_stripped");
	uint32_t named, flags;

	named = named_places(file, -1, &flags);
	assert_true(named >= 8);
	assert_int_equal(named_places(stripped, debug, &flags), named);
	assert_int_equal(named_places(stripped, -1, &flags), 0);
	(void)close(file);
	(void)close(debug);
	(void)close(stripped);
}

/* To open it would kill the worker. */
static void split_file_is_read_without_opening_its_other_half(void **state)
{
	int file = open_form("lines_split"), file4 = open_form("lines_split4");
	uint32_t flags;

	assert_true(named_places(file, -1, &flags) >= 8);
	assert_true(flags & PARSER_LINES_SPLIT_DEBUG);
	assert_true(named_places(file4, -1, &flags) >= 8);
	assert_true(flags & PARSER_LINES_SPLIT_DEBUG);
	(void)close(file);
	(void)close(file4);
}

static void debug_file_of_another_program_is_refused(void **state)
{
	int file = open_form("lines_stripped"), debug = open_form("lines_cxx"), fd;
	const uint64_t vaddr = 0x1000;

	assert_int_equal(request(file, debug, &vaddr, 1, &fd), PARSER_REFUSED);
	assert_int_equal(request(file, -1, &vaddr, 1, &fd), PARSER_OK);
	(void)close(fd);
	(void)close(file);
	(void)close(debug);
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, start_parser, stop_parser)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_parser(lines_come_from_the_file_or_its_debug_file),
		with_parser(split_file_is_read_without_opening_its_other_half),
		with_parser(debug_file_of_another_program_is_refused),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	folder = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
