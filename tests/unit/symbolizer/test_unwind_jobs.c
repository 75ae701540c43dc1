/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_jobs - tables of a correct parser are requested in order, checked, and delayed by a
 * full wire
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/base/parser_slot.h"
#include "tests/unit/symbolizer/cached_jobs_fixture.h"

static void vdso_is_requested_first(void **state)
{
	const struct table table = good_table();
	struct parser_message request;
	int target;

	open_file(1, 10);
	jobs.vdso_wanted = true;
	round_of_jobs();
	assert_int_equal(take_request(&request, &target), 0);
	assert_int_equal(request.kind, PARSER_ROWS);
	assert_int_equal(target, -1);
	(void)request_for_a_file();
	answer(request.id, PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(TM_UNWIND_MAP_VDSO, 0), 1);
	nothing_is_sent();
}

static void files_are_requested_in_order_of_arrival_and_a_few_at_once(void **state)
{
	const struct table table = good_table();
	const uint32_t numbers[] = {7, 3, 5, 4};
	uint32_t ids[4];

	for (uint32_t i = 0; i < 4; i++)
		open_file(numbers[i], 10 + i);
	round_of_jobs();
	for (uint32_t i = 0; i < 4; i++) {
		ids[i] = request_for_a_file();
		assert_int_equal(unwind_jobs_asked(&jobs), PARSER_AT_ONCE);
		if (i % PARSER_AT_ONCE != PARSER_AT_ONCE - 1)
			continue;
		no_request();
		answer(ids[i], PARSER_OK, &table); /* the later one first */
		round_of_jobs();
		assert_int_equal(pages_of(numbers[i], 10 + i), 1);
		answer(ids[i - 1], PARSER_OK, &table);
		round_of_jobs();
		assert_int_equal(pages_of(numbers[i - 1], 10 + i - 1), 1);
	}
	assert_int_equal(unwind_jobs_asked(&jobs), 0);
	assert_int_equal(jobs.counts.made, 4);
	no_request();
	nothing_is_sent();
}

static void failed_vdso_is_requested_again_later(void **state)
{
	struct parser_message request;
	int64_t pause = UNWIND_JOBS_VDSO_PAUSE_MS;
	int target;

	jobs.vdso_wanted = true;
	for (int i = 0; i < 10; i++) {
		round_of_jobs();
		assert_int_equal(take_request(&request, &target), 0);
		assert_int_equal(target, -1);
		answer(request.id, PARSER_TIMEOUT, NULL);
		round_of_jobs();
		nothing_is_sent();
		no_request(); /* the pause is not over */
		assert_in_range(jobs.vdso_ms - (int64_t)tm_clock_ms(), pause / 2, pause);
		pause = pause < UNWIND_JOBS_VDSO_PAUSE_MAX ? 2 * pause : pause;
		jobs.vdso_ms = 0;
	}
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], 10);
}

static void file_without_unwind_information_gets_the_empty_table(void **state)
{
	static const uint32_t final[] = {PARSER_NOT_ELF, PARSER_TOO_LARGE, PARSER_MALFORMED};

	for (uint32_t i = 0; i < 3; i++) {
		open_file(i, 10);
		round_of_jobs();
		answer(request_for_a_file(), final[i], NULL);
		round_of_jobs();
		assert_int_equal(pages_of(i, 10), 0);
	}
	assert_int_equal(jobs.counts.empty, 3);
	assert_int_equal(client.socket, parser[0]);
}

static void file_that_could_not_be_parsed_is_not_reported_as_empty(void **state)
{
	static const struct {
		uint32_t status;
		enum tm_parse_failure reason;
	} passing[] = {
		{PARSER_CHANGED, TM_PARSE_CHANGED},    {PARSER_CPU, TM_PARSE_CPU},
		{PARSER_MEMORY, TM_PARSE_BUDGET},      {PARSER_FAILED, TM_PARSE_RESOURCES},
		{PARSER_CRASHED, TM_PARSE_CRASHED},    {PARSER_TIMEOUT, TM_PARSE_DEADLINE},
		{PARSER_ABANDONED, TM_PARSE_DEADLINE}, {PARSER_REFUSED, TM_PARSE_REFUSED},
	};
	const struct table table = good_table();

	client.memory.limit = PARSER_SLOT_LEAST_BYTES; /* no more to try with */
	for (uint32_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++) {
		uint64_t before = client.counts.failures[passing[i].reason];

		open_file(i, 10);
		round_of_jobs();
		answer(request_for_a_file(), passing[i].status, NULL);
		round_of_jobs();
		says_failed(i, 10);
		assert_int_equal(client.counts.failures[passing[i].reason], before + 1);
	}
	assert_int_equal(jobs.counts.empty, 0);
	assert_int_equal(client.socket, parser[0]);
	open_file(0, 20); /* handed over again */
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(0, 20), 1);
}

static void descriptor_of_no_file_is_answered_without_a_request(void **state)
{
	int folder = open("/", O_RDONLY | O_CLOEXEC);

	files_opened(&recording.files, 1, 10, folder);
	round_of_jobs();
	no_request();
	says_failed(1, 10);
	assert_int_equal(client.counts.failures[TM_PARSE_NO_FILE], 1);
}

static void descriptor_before_its_announcement_is_requested_too(void **state)
{
	const struct table table = good_table();

	files_opened(&recording.files, 1, 10, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(1, 10), 1);
}

static void descriptor_before_its_announcement_makes_the_ring_be_read_again(void **state)
{
	struct file_queue_item wanted;

	assert_false(file_queue_has_early(&recording.files));
	files_opened(&recording.files, 1, 10, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	assert_true(file_queue_has_early(&recording.files));
	make_file(&record, 1, 101, "x\0", 2);
	record.event.ktime = 10;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	assert_false(file_queue_has_early(&recording.files));
	assert_int_equal(file_queue_next(&recording.files, &wanted), 0);
	assert_int_equal(wanted.identity->ino, 101);
}

static void invalid_table_is_not_sent(void **state)
{
	struct table table = good_table();

	open_file(1, 10);
	round_of_jobs();
	table.page.rules[3] = 1;
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(1, 10), 0);
	assert_int_equal(jobs.counts.empty, 1);
}

static void number_retired_meanwhile_gets_no_table(void **state)
{
	const struct table table = good_table();
	uint32_t id;

	open_file(1, 10);
	open_file(2, 10);
	open_file(3, 10);
	round_of_jobs();
	id = request_for_a_file();
	files_retire(&recording.files, 1, 20);
	files_retire(&recording.files, 3, 20); /* not even requested */
	answer(id, PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(jobs.counts.dropped, 1);
	(void)request_for_a_file();
	no_request();
	nothing_is_sent();
	/* The next file of that number has a table of its own. */
	open_file(1, 30);
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(1, 30), 1);
}

static void number_that_arrives_again_while_it_waits_is_answered_once(void **state)
{
	const struct table table = good_table();

	open_file(1, 10);
	open_file(1, 20);
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(1, 20), 1);
	no_request();
	nothing_is_sent();
}

static void full_wire_delays_tables_and_requests(void **state)
{
	const struct table table = good_table();
	const struct tm_wire other = {.kind = TM_WIRE_CREDIT};
	struct tm_wire message;

	for (uint32_t i = 0; i < PARSER_AT_ONCE + 1; i++)
		open_file(i, 10);
	round_of_jobs();
	while (tm_fdpass_send(wire[0], &other, sizeof(other), -1, MSG_DONTWAIT) == 0)
		;
	for (uint32_t i = 0; i < PARSER_AT_ONCE; i++)
		answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	round_of_jobs();
	assert_true(unwind_jobs_must_send(&jobs));
	no_request();
	while (tm_fdpass_recv(wire[1], &message, sizeof(message), NULL, MSG_DONTWAIT) == 0)
		;
	round_of_jobs();
	for (uint32_t i = 0; i < PARSER_AT_ONCE; i++)
		assert_int_equal(pages_of(i, 10), 1);
	(void)request_for_a_file();
}

static void file_that_changed_before_it_is_parsed_gets_no_table(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	announce(1, 10, fd);
	record.file.identity.ctime_ns++;
	record.file.number = 2;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_opened(&recording.files, 2, 10, fd);
	round_of_jobs();
	no_request();
	says_failed(2, 10);
	assert_int_equal(client.counts.failures[TM_PARSE_CHANGED], 1);
}

static void table_of_a_file_that_changed_meanwhile_is_dropped(void **state)
{
	const struct table table = good_table();
	int fd = memfd_create("library", MFD_CLOEXEC), other;
	char path[32];

	open_cache();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, O_RDONLY | O_CLOEXEC);
	announce(1, 10, other);
	files_opened(&recording.files, 1, 10, other);
	round_of_jobs();
	assert_int_equal(ftruncate(fd, 10), 0);
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	says_failed(1, 10);
	serve_cache();
	assert_int_equal(cache.count, 0);
	table_cache_close(&cache);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(vdso_is_requested_first),
		of_its_own(files_are_requested_in_order_of_arrival_and_a_few_at_once),
		of_its_own(failed_vdso_is_requested_again_later),
		of_its_own(file_without_unwind_information_gets_the_empty_table),
		of_its_own(file_that_could_not_be_parsed_is_not_reported_as_empty),
		of_its_own(descriptor_of_no_file_is_answered_without_a_request),
		of_its_own(descriptor_before_its_announcement_is_requested_too),
		of_its_own(descriptor_before_its_announcement_makes_the_ring_be_read_again),
		of_its_own(invalid_table_is_not_sent),
		of_its_own(number_retired_meanwhile_gets_no_table),
		of_its_own(number_that_arrives_again_while_it_waits_is_answered_once),
		of_its_own(file_that_changed_before_it_is_parsed_gets_no_table),
		of_its_own(table_of_a_file_that_changed_meanwhile_is_dropped),
		of_its_own(full_wire_delays_tables_and_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
