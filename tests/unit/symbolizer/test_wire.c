/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_wire - what the real program sends to the collector: credit and unwind tables
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/fdpass.h"
#include "shared/unwind_map.h"
#include "symbolizer/unwind/table_cache_file.h"
#include "tests/unit/symbolizer/fake_peers.h"
#include "tests/unit/symbolizer/make.h"

static const char *program, *parser;

static void each_received_descriptor_returns_a_credit(void **state)
{
	struct tm_wire credit;
	struct fake fake = {0};
	struct fake_end end;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	for (uint32_t number = 0; number < 3; number++) {
		fake_wire(&fake, TM_WIRE_FILE, number, 0, self);
		fake_receive_wire(&fake, &credit);
		assert_int_equal(credit.kind, TM_WIRE_CREDIT);
		assert_int_equal(credit.value, 1);
	}
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	free(fake_folded(&fake));
	assert_true(end.done);
	(void)close(self);
}

static void table_of_each_file_is_sent_and_that_of_the_vdso_first(void **state)
{
	static union make_record record;
	struct fake fake = {0};
	struct fake_end end;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int text = memfd_create("text", MFD_CLOEXEC);
	char link[64];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", text);
	assert_int_equal(write(text, "#!/bin/sh\n", 10), 10);
	fake_start(&fake, program, parser);
	fake_attach(&fake);
	make_file(&record, 5, 77, "prog\0bin\0", 9);
	record.event.ktime = 100;
	make_identity_of(&record, self);
	fake_push(&fake, &record);
	fake_publish(&fake, 150);
	assert_true(fake_rows(&fake, TM_UNWIND_MAP_VDSO, 0) > 0);
	fake_wire(&fake, TM_WIRE_FILE, 5, 100, self);
	assert_true(fake_rows(&fake, 5, 100) > 0);
	(void)close(self);
	self = open(link, O_RDONLY | O_CLOEXEC);
	fake_wire(&fake, TM_WIRE_FILE, 6, 0, self);
	assert_int_equal(fake_rows(&fake, 6, 0), 0);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &end);
	free(fake_folded(&fake));
	assert_true(end.done);
	assert_string_equal(end.notes, "");
	(void)close(self);
	(void)close(text);
}

static void tables_count_in_the_report_of_their_own_interval(void **state)
{
	struct fake fake = {0};
	struct fake_end report;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	assert_true(fake_rows(&fake, TM_UNWIND_MAP_VDSO, 0) > 0);
	fake_publish(&fake, 100);
	fake_flush(&fake, &report);
	assert_int_equal(report.result.tables_made, 1);
	fake_flush(&fake, &report);
	assert_int_equal(report.result.tables_made, 0);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &report);
	free(fake_folded(&fake));
	assert_int_equal(report.result.tables_made, 0);
}

/* Announces the program of this test and hands it over. */
static void open_self(struct fake *fake)
{
	static union make_record record;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	make_file(&record, 5, 77, "prog\0bin\0", 9);
	record.event.ktime = 100;
	make_identity_of(&record, self);
	make_identity_of(&record, self);
	fake_push(fake, &record);
	fake_publish(fake, 150);
	fake_wire(fake, TM_WIRE_FILE, 5, 100, self);
	assert_true(fake_rows(fake, 5, 100) > 0);
	(void)close(self);
}

static void end_with_tables(struct fake *fake, unsigned cached)
{
	struct fake_end end;

	fake_wire(fake, TM_WIRE_END, 0, 0, -1);
	fake_end(fake, &end);
	free(fake_folded(fake));
	assert_true(end.done);
	assert_int_equal(end.result.tables_cached, cached);
	assert_int_equal(end.result.cache_refused, 0);
}

static void tables_are_kept_for_the_next_program_with_the_same_cache(void **state)
{
	int cache = memfd_create("cache", MFD_CLOEXEC);

	for (unsigned session = 0; session < 2; session++) {
		struct fake fake = {.cache = cache};

		fake_start(&fake, program, parser);
		fake_attach(&fake);
		assert_true(fake_rows(&fake, TM_UNWIND_MAP_VDSO, 0) > 0);
		open_self(&fake);
		end_with_tables(&fake, session);
	}
	(void)close(cache);
}

/* Return: its end for writing, which blocks. */
static int full_pipe(int *ret_read_end)
{
	static const char bytes[4096];
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	*ret_read_end = ends[0];
	return ends[1];
}

/* Asks for a report and waits until its first output is written. The next one blocks. */
static void block_reporter(struct fake *fake)
{
	struct tm_control message = {.kind = TM_CONTROL_FLUSH};

	assert_int_equal(tm_fdpass_send(fake->control, &message, sizeof(message), -1, 0), 0);
	do
		assert_int_equal(tm_fdpass_recv(fake->control, &message, sizeof(message), NULL, 0),
				 0);
	while (message.kind != TM_CONTROL_OUTPUT);
	assert_int_equal(message.code, 0);
}

static off_t bytes_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_size;
}

static void blocked_output_delays_neither_tables_nor_their_cache(void **state)
{
	struct fake fake = {.cache = memfd_create("cache", MFD_CLOEXEC)};
	struct fake next = {.cache = fake.cache};
	int read_end;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	fake.html = full_pipe(&read_end);
	fake_start(&fake, program, parser);
	fake_attach(&fake);
	assert_true(fake_rows(&fake, TM_UNWIND_MAP_VDSO, 0) > 0);
	fake_publish(&fake, 100);
	block_reporter(&fake);
	open_self(&fake);
	fake_wire(&fake, TM_WIRE_FILE, 6, 0, self);
	assert_true(fake_rows(&fake, 6, 0) > 0);
	while (bytes_of(fake.cache) <= (off_t)sizeof(struct table_cache_header))
		(void)sched_yield();
	(void)close(read_end); /* the output fails */
	end_with_tables(&fake, 0);

	fake_start(&next, program, parser);
	fake_attach(&next);
	assert_true(fake_rows(&next, TM_UNWIND_MAP_VDSO, 0) > 0);
	open_self(&next);
	end_with_tables(&next, 1);
	(void)close(fake.cache);
	(void)close(self);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_received_descriptor_returns_a_credit),
		cmocka_unit_test(table_of_each_file_is_sent_and_that_of_the_vdso_first),
		cmocka_unit_test(tables_count_in_the_report_of_their_own_interval),
		cmocka_unit_test(tables_are_kept_for_the_next_program_with_the_same_cache),
		cmocka_unit_test(blocked_output_delays_neither_tables_nor_their_cache),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	parser = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
