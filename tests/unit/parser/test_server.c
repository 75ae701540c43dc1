/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_server - the real parser program, with valid and hostile files, and workers that die or hang
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "shared/region.h"
#include "shared/unwind_table.h"
#include "tests/unit/parser/server_requests.h"
#include "tests/unit/parser/symbols_view.h"

#define SIGNAL_TRIES 50

static void hostile_files_are_refused_and_the_next_is_answered(void **state)
{
	assert_int_equal(status_of("#!/bin/sh\n", 10), PARSER_NOT_ELF);
	assert_int_equal(status_of(&elf, 100), PARSER_MALFORMED);
	elf.header.e_shnum = 0;
	elf.sections[0].sh_size = 1u << 31;
	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_TOO_LARGE);
	elf_builder_open(&elf);
	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_OK);
}

static void sparse_tebibyte_is_too_large(void **state)
{
	int target = file_of(&elf, ELF_BUILDER_BYTES);
	int fd;

	assert_int_equal(ftruncate(target, 1ll << 40), 0);
	send_request(1, PARSER_SYMBOLS, target);
	assert_int_equal(receive(&fd).status, PARSER_TOO_LARGE);
	(void)close(target);
}

/* Sends a request until @number reaches its worker while it works. Return: the status. */
static uint32_t signal_worker(enum parser_kind kind, int target, int number)
{
	uint32_t status = PARSER_OK;
	pid_t worker;
	int fd;

	for (int try = 0; try < SIGNAL_TRIES && status == PARSER_OK; try++) {
		while (first_worker()) /* that of the request before */
			(void)sched_yield();
		send_request(8, kind, target);
		do
			worker = first_worker();
		while (!worker && !has_answer());
		if (worker)
			(void)kill(worker, number);
		status = receive(&fd).status;
		if (fd >= 0)
			(void)close(fd);
	}
	return status;
}

static void worker_that_dies_costs_only_its_request(void **state)
{
	int target = slow_file();

	assert_int_equal(signal_worker(PARSER_ROWS, target, SIGKILL), PARSER_CRASHED);
	assert_int_equal(signal_worker(PARSER_ROWS, target, SIGXCPU), PARSER_CPU);
	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_OK);
	(void)close(target);
}

static void descriptor_of_no_regular_file_fails(void **state)
{
	int ends[2], fd;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	send_request(1, PARSER_SYMBOLS, ends[0]);
	assert_int_equal(receive(&fd).status, PARSER_FAILED);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void addresses_that_can_still_change_are_refused(void **state)
{
	struct parser_message message = {.kind = PARSER_LINES, .id = 1, .count = 1, .parts = 1};
	int addresses = memfd_create("addresses", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int target = file_of(&elf, ELF_BUILDER_BYTES), fd;

	assert_int_equal(ftruncate(addresses, 8), 0);
	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
	message.kind = PARSER_PART;
	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), addresses, 0), 0);
	assert_int_equal(receive(&fd).status, PARSER_REFUSED);
	(void)close(addresses);
	(void)close(target);
}

static void two_requests_at_once_are_both_answered(void **state)
{
	int target = file_of(&elf, ELF_BUILDER_BYTES);
	uint32_t seen = 0;
	int fd;

	send_request(1, PARSER_SYMBOLS, target);
	send_request(2, PARSER_SYMBOLS, -1);
	for (int i = 0; i < 2; i++) {
		seen |= 1u << receive(&fd).id;
		(void)close(fd);
	}
	assert_int_equal(seen, 6);
	(void)close(target);
}

static void invalid_request_ends_the_parser(void **state)
{
	struct parser_message message = {.kind = PARSER_PART, .id = 1, .count = 1};
	struct parser_message result;
	int fd;

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), -1, 0), 0);
	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), -1, 0), 0);
	assert_int_equal(tm_fdpass_recv(parser.socket, &result, sizeof(result), &fd, 0),
			 TM_FDPASS_E_CLOSED);
}

static struct parser_message request_rows(int target, int *ret_fd)
{
	const struct parser_message message = {.kind = PARSER_ROWS, .id = 5};
	struct parser_message result;

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
	result = receive(ret_fd);
	assert_int_equal(result.id, 5);
	assert_int_equal(result.status == PARSER_OK, *ret_fd >= 0);
	return result;
}

static struct tm_unwind_table rows_of(int target)
{
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;
	struct tm_unwind_table header;
	int fd;

	assert_int_equal(request_rows(target, &fd).status, PARSER_OK);
	assert_int_equal(tm_region_open_blob(&region, fd, TM_UNWIND_TABLE_BYTES_MAX), 0);
	assert_int_equal(tm_unwind_table_check(&view, region.addr, region.bytes), 0);
	header = *view.header;
	tm_region_close(&region);
	return header;
}

static void rows_of_a_file_are_a_sealed_table(void **state)
{
	int target = file_of(&elf, ELF_BUILDER_BYTES);
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(rows_of(target).frames, 0); /* it has no CFI */
	assert_true(rows_of(self).rows > 100);
	assert_true(rows_of(-1).frames > 0); /* the vDSO */
	(void)close(self);
	(void)close(target);
}

static void hostile_files_have_no_rows_and_the_next_has(void **state)
{
	int target = file_of("#!/bin/sh\n", 10), fd;

	assert_int_equal(request_rows(target, &fd).status, PARSER_NOT_ELF);
	(void)close(target);
	target = file_of(&elf, ELF_BUILDER_BYTES);
	assert_int_equal(ftruncate(target, 1ll << 40), 0);
	assert_int_equal(request_rows(target, &fd).status, PARSER_TOO_LARGE);
	assert_int_equal(ftruncate(target, 3ll << 30), 0); /* sparse, but no larger than allowed */
	assert_int_equal(rows_of(target).frames, 0);
	(void)close(target);
}

static void expect_symbols(int target, const char *name)
{
	const struct parser_message message = {.kind = PARSER_SYMBOLS, .id = 6};
	struct tm_region region = TM_REGION_NULL;
	struct symbols_view view;
	bool found = false;
	int fd;

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
	assert_int_equal(receive(&fd).status, PARSER_OK);
	assert_int_equal(tm_region_open_blob(&region, fd, 1 << 20), 0);
	assert_null(symbols_view_open(&view, region.addr, region.bytes));
	for (uint32_t i = 0; i < view.header->symbol_count; i++)
		found |= !strcmp(view.names + view.symbols[i].name, name);
	assert_true(found);
	tm_region_close(&region);
}

static void symbols_of_a_file_are_a_sealed_table(void **state)
{
	int target = file_of(&elf, ELF_BUILDER_BYTES);

	expect_symbols(target, "found");
	expect_symbols(-1, "__vdso_clock_gettime");
	(void)close(target);
}

/* Each begins behind the one before it and ends before that ends. */
static void eight_million_overlapping_symbols_are_answered(void **state)
{
	const uint32_t count = 8u << 20, span = 1u << 30;
	const struct parser_message message = {.kind = PARSER_SYMBOLS, .id = 9};
	Elf64_Sym *symbols = calloc(count, sizeof(*symbols));
	struct tm_region region = TM_REGION_NULL;
	struct symbols_view view;
	int target, fd;

	for (uint32_t i = 0; i < count; i++)
		symbols[i] = (Elf64_Sym){.st_name = 1 + i % (ELF_BUILDER_STRINGS - 2),
					 .st_info = elf.symbols[1].st_info,
					 .st_shndx = 1,
					 .st_value = i,
					 .st_size = span - 2 * i};
	memset(elf.strings + 1, 'x', ELF_BUILDER_STRINGS - 2);
	elf.sections[2].sh_offset = (ELF_BUILDER_BYTES + 7) & ~7ull;
	elf.sections[2].sh_size = count * sizeof(*symbols);
	target = file_of(&elf, ELF_BUILDER_BYTES);
	assert_int_equal(
		pwrite(target, symbols, count * sizeof(*symbols), (off_t)elf.sections[2].sh_offset),
		count * sizeof(*symbols));
	free(symbols);
	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
	assert_int_equal(receive(&fd).status, PARSER_OK);
	assert_int_equal(tm_region_open_blob(&region, fd, 1 << 30), 0);
	assert_null(symbols_view_open(&view, region.addr, region.bytes));
	assert_true(view.header->flags & PARSER_SYMBOLS_TRUNCATED);
	assert_true(view.header->symbol_count > 100000);
	tm_region_close(&region);
	(void)close(target);
}

static void names_and_rows_may_be_requested_at_once(void **state)
{
	const struct parser_message message = {.kind = PARSER_ROWS, .id = 2};
	int target = file_of(&elf, ELF_BUILDER_BYTES), fd;
	uint32_t seen = 0;

	send_request(1, PARSER_SYMBOLS, target);
	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
	for (int i = 0; i < 2; i++) {
		seen |= 1u << receive(&fd).id;
		(void)close(fd);
	}
	assert_int_equal(seen, 6);
	(void)close(target);
}

static void request_for_rows_with_a_count_ends_the_parser(void **state)
{
	const struct parser_message message = {.kind = PARSER_ROWS, .id = 1, .count = 1};
	struct parser_message result;
	int fd;

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), -1, 0), 0);
	assert_int_equal(tm_fdpass_recv(parser.socket, &result, sizeof(result), &fd, 0),
			 TM_FDPASS_E_CLOSED);
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_parser(hostile_files_are_refused_and_the_next_is_answered),
		with_parser(sparse_tebibyte_is_too_large),
		with_parser(worker_that_dies_costs_only_its_request),
		with_parser(descriptor_of_no_regular_file_fails),
		with_parser(addresses_that_can_still_change_are_refused),
		with_parser(two_requests_at_once_are_both_answered),
		with_parser(invalid_request_ends_the_parser),
		with_parser(rows_of_a_file_are_a_sealed_table),
		with_parser(hostile_files_have_no_rows_and_the_next_has),
		with_parser(symbols_of_a_file_are_a_sealed_table),
		with_parser(eight_million_overlapping_symbols_are_answered),
		with_parser(names_and_rows_may_be_requested_at_once),
		with_parser(request_for_rows_with_a_count_ends_the_parser),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
