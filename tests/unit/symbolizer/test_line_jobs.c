/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_line_jobs - a file whose lines are missed is opened again, parsed, and closed
 */

#include <stdio.h>
#include <sys/mman.h>

#include "symbolizer/names/line_jobs.h"
#include "tests/unit/symbolizer/make_lines.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

static struct line_requests requests;
static struct debug_files debug;
static struct line_jobs lines;
static struct tm_identity identity;
static const struct line_requests_build_id build_id;
static int target; /* what the file's descriptor is open on */

/* A file with these symbols that was announced and opened, and two of its addresses are missed. */
static int begin_with(void **state, const struct symbols *symbols)
{
	static const uint64_t vaddrs[] = {0x10, 0x20};
	int r = begin(state);

	target = memfd_create("target", MFD_CLOEXEC);
	assert_int_equal(ftruncate(target, 100), 0);
	make_file(&record, 1, 7, "x\0", 2);
	make_identity_of(&record, target);
	record.event.ktime = 10;
	identity = record.file.identity;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_opened(&recording.files, 1, 10, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	assert_int_equal(file_queue_next_symbols(&recording.files), 0);
	file_queue_end_symbols(&recording.files, 0);
	recording.files.table_first = 0; /* its unwind table was made, too */
	assert_int_equal(line_requests_init(&requests, NULL), 0);
	assert_int_equal(line_requests_want(&requests, &identity, &build_id, vaddrs, 2,
					    LINE_REQUESTS_ANY_COST),
			 0);
	assert_int_equal(symbol_store_begin(&recording.store, &identity, 0), 0);
	symbol_store_put(&recording.store, &identity,
			 tm_region_seal_blob("symbols", symbols, sizeof(*symbols)), 0);
	debug_files_init(&debug, &recording.files, &recording.store, &client, wire[0], true);
	line_jobs_init(&lines, &debug, &requests);
	return r;
}

/* The file has debug information. */
static int begin_lines(void **state)
{
	struct symbols symbols = make_symbols();

	symbols.header.flags |= PARSER_SYMBOLS_HAS_DWARF;
	return begin_with(state, &symbols);
}

static int end_lines(void **state)
{
	line_jobs_deinit(&lines);
	debug_files_deinit(&debug);
	line_requests_deinit(&requests);
	(void)close(target);
	return end(state);
}

static void round_of_lines(void)
{
	parser_client_round(&client);
	line_jobs_round(&lines, /* serves= */ true);
	debug_files_round(&debug, /* serves= */ true);
}

static void is_asked_for_again(void)
{
	struct tm_wire message;
	int fd;

	round_of_lines();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_FILE_AGAIN);
	assert_int_equal(message.number, 1);
	assert_int_equal(message.value, 10);
	round_of_lines();
	nothing_is_sent(); /* once */
}

static void reopen(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", target);
	assert_true(line_jobs_reopened(&lines, 1, 10, open(path, O_RDONLY | O_CLOEXEC)));
	round_of_lines();
}

/* Return: the id of the request for lines. */
static uint32_t lines_are_asked_for(uint32_t cpu_ms)
{
	static const uint64_t vaddrs[] = {0x10, 0x20};
	struct tm_region part = TM_REGION_NULL;
	struct parser_message request, message;
	int fd;

	assert_int_equal(take_request(&request, &fd), 0);
	assert_int_equal(request.kind, PARSER_LINES);
	assert_int_equal(request.count, 2);
	assert_int_equal(request.parts, 1);
	assert_int_equal(request.cpu_ms, cpu_ms);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(take_request(&message, &fd), 0);
	assert_int_equal(message.kind, PARSER_PART);
	assert_int_equal(tm_region_open_blob(&part, fd, 4096), 0);
	assert_memory_equal(part.addr, vaddrs, sizeof(vaddrs));
	tm_region_close(&part);
	return request.id;
}

static void answer_lines(uint32_t id, uint32_t status, uint32_t cpu_ms)
{
	const struct parser_message result = {
		.kind = PARSER_RESULT, .id = id, .status = status, .cpu_ms = cpu_ms};
	const struct lines table = make_lines();
	int fd = status == PARSER_OK ? tm_region_seal_blob("lines", &table, sizeof(table)) : -1;

	assert_int_equal(tm_fdpass_send(parser[1], &result, sizeof(result), fd, 0), 0);
	if (fd >= 0)
		(void)close(fd);
	round_of_lines();
}

static void no_result_but(enum tm_no_line reason)
{
	struct line_requests_result result;

	assert_int_equal(line_requests_next_result(&requests, 0, &result), LINE_REQUESTS_E_NONE);
	assert_int_equal(line_requests_reason(&requests, &identity), reason);
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		assert_int_equal(lines.slots[i].state, LINE_JOBS_FREE);
		assert_int_equal(lines.slots[i].fd, -1);
	}
}

static void file_is_opened_again_parsed_and_closed(void **state)
{
	struct line_requests_result result;

	is_asked_for_again();
	reopen();
	answer_lines(lines_are_asked_for(0), PARSER_OK, 5);
	assert_int_equal(requests.files.items[0].cpu_ms, 5);
	assert_int_equal(line_requests_next_result(&requests, 0, &result), 0);
	assert_int_equal(result.count, 2);
	assert_true(result.fd >= 0);
	(void)close(result.fd);
	free(result.vaddrs);
	no_result_but(TM_NO_LINE_PENDING);
}

static void file_that_cannot_be_opened_again_has_no_lines(void **state)
{
	is_asked_for_again();
	assert_true(line_jobs_reopened(&lines, 1, TM_NO_FILE_GONE, -1));
	round_of_lines();
	no_result_but(TM_NO_LINE_NOT_OPENED);
}

static void collector_that_does_not_answer_is_not_waited_for(void **state)
{
	is_asked_for_again();
	lines.slots[0].begun_ms -= LINE_JOBS_OPEN_MS + 1;
	round_of_lines();
	no_result_but(TM_NO_LINE_NOT_OPENED);
	assert_false(line_jobs_reopened(&lines, 1, 10, -1)); /* late */
}

static void collector_that_is_gone_is_not_asked(void **state)
{
	line_jobs_round(&lines, /* serves= */ false);
	nothing_is_sent();
	no_result_but(TM_NO_LINE_NOT_OPENED);
}

static void descriptors_of_others_are_not_taken(void **state)
{
	is_asked_for_again();
	assert_false(line_jobs_reopened(&lines, 2, 10, -1));
	assert_false(line_jobs_reopened(&lines, 1, 9, target)); /* of its number before */
	reopen();
	answer_lines(lines_are_asked_for(0), PARSER_MALFORMED, 5);
	no_result_but(TM_NO_LINE_NOT_PARSED);
}

static void file_that_changed_before_it_is_read_has_no_lines(void **state)
{
	is_asked_for_again();
	assert_int_equal(ftruncate(target, 101), 0);
	reopen();
	no_request();
	no_result_but(TM_NO_LINE_CHANGED);
}

static void file_that_changed_while_it_was_read_has_no_lines(void **state)
{
	is_asked_for_again();
	reopen();
	assert_int_equal(ftruncate(target, 101), 0);
	answer_lines(lines_are_asked_for(0), PARSER_OK, 5);
	no_result_but(TM_NO_LINE_CHANGED);
}

static void parser_that_dies_leaves_no_slot_in_use(void **state)
{
	is_asked_for_again();
	reopen();
	(void)lines_are_asked_for(0);
	(void)shutdown(parser[1], SHUT_RDWR);
	round_of_lines();
	no_result_but(TM_NO_LINE_NOT_PARSED);
}

static void other_files_go_first(void **state)
{
	recording.files.symbols_count = 1;
	round_of_lines();
	nothing_is_sent();
	recording.files.symbols_count = 0;
	is_asked_for_again();
}

static void cpu_time_beyond_the_share_delays_the_next_request(void **state)
{
	static const uint64_t vaddr = 0x30;
	static struct tm_identity other;

	is_asked_for_again();
	reopen();
	answer_lines(lines_are_asked_for(0), PARSER_MALFORMED, 1000000);
	assert_true(lines.left_us < -990 * 1000000ll);
	other = identity;
	other.ino = 99;
	assert_int_equal(
		line_requests_want(&requests, &other, &build_id, &vaddr, 1, LINE_REQUESTS_ANY_COST),
		0);
	round_of_lines();
	assert_int_equal(line_requests_reason(&requests, &other), TM_NO_LINE_CPU_TIME);
	lines.counted_ms -= 51 * 1000000ll; /* 2 % of it are 1,020,000 ms */
	round_of_lines();
	assert_int_equal(line_requests_reason(&requests, &other), TM_NO_LINE_NOT_OPENED);
}

static void last_report_has_cpu_time_of_its_own(void **state)
{
	lines.left_us = -1000000000; /* more than what the share of a slow run makes up */
	round_of_lines();
	nothing_is_sent();
	line_requests_set_last(&requests);
	is_asked_for_again();
	reopen();
	answer_lines(lines_are_asked_for(LINE_JOBS_LAST_MS + 1), PARSER_MALFORMED, 6000);
	assert_int_equal(lines.left_us, 4000000);
}

/* --- separate debug files --------------------------------------------------------------------- */

/* The file has no debug information itself, but a build id. */
static int begin_separate(void **state)
{
	struct symbols symbols = make_symbols();

	symbols.header.build_id_bytes = 8;
	symbols.header.altlink_build_id_bytes = 8;
	symbols.header.altlink_build_id[0] = 0xcd;
	return begin_with(state, &symbols);
}

/* The collector is asked for a debug file whose build id begins with @first. */
static struct tm_wire debug_file_is_asked_for(uint8_t first)
{
	struct tm_wire message;
	int fd;

	round_of_lines();
	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_DEBUG_FILE);
	assert_int_equal(message.number, 1);
	assert_int_equal(message.form, TM_DEBUG_BUILD_ID);
	assert_int_equal((uint8_t)message.text[0], first);
	message.kind = TM_WIRE_OPENED;
	message.form = 0;
	return message;
}

static void is_opened(struct tm_wire message)
{
	debug_files_opened(&debug, &message, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	round_of_lines();
}

static void is_missing(struct tm_wire message)
{
	message.form = TM_NO_FILE_GONE;
	debug_files_opened(&debug, &message, -1);
	round_of_lines();
}

/* Return: the id of the request for lines. */
static uint32_t lines_are_asked_for_with(uint32_t parts)
{
	struct parser_message request, message;
	int fd;

	assert_int_equal(take_request(&request, &fd), 0);
	assert_int_equal(request.kind, PARSER_LINES);
	assert_int_equal(request.parts, parts);
	(void)close(fd);
	for (uint32_t i = 0; i < parts; i++) {
		assert_int_equal(take_request(&message, &fd), 0);
		assert_int_equal(message.kind, PARSER_PART);
		assert_true(fd >= 0);
		(void)close(fd);
	}
	return request.id;
}

static void has_a_result(void)
{
	struct line_requests_result result;

	assert_int_equal(line_requests_next_result(&requests, 0, &result), 0);
	(void)close(result.fd);
	free(result.vaddrs);
	no_result_but(TM_NO_LINE_PENDING);
}

static void debug_file_is_read_with_what_it_shares(void **state)
{
	is_opened(debug_file_is_asked_for(0xab));
	is_opened(debug_file_is_asked_for(0xcd));
	answer_lines(lines_are_asked_for_with(3), PARSER_OK, 5);
	has_a_result();
}

static void debug_file_is_read_without_what_it_shares(void **state)
{
	is_opened(debug_file_is_asked_for(0xab));
	is_missing(debug_file_is_asked_for(0xcd));
	answer_lines(lines_are_asked_for_with(1), PARSER_OK, 5);
	has_a_result();
}

static void file_without_a_debug_file_has_no_lines(void **state)
{
	is_missing(debug_file_is_asked_for(0xab));
	nothing_is_sent();
	no_request();
	no_result_but(TM_NO_LINE_NO_DEBUG_INFO);
}

static void late_debug_file_is_closed(void **state)
{
	const struct tm_wire message = debug_file_is_asked_for(0xab);

	lines.slots[0].begun_ms -= LINE_JOBS_OPEN_MS + 1;
	round_of_lines();
	no_result_but(TM_NO_LINE_NOT_OPENED);
	is_opened(message);
	no_result_but(TM_NO_LINE_NOT_OPENED);
}

#define with_separate(test) cmocka_unit_test_setup_teardown(test, begin_separate, end_lines)
#define with_lines(test)    cmocka_unit_test_setup_teardown(test, begin_lines, end_lines)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_lines(file_is_opened_again_parsed_and_closed),
		with_lines(file_that_cannot_be_opened_again_has_no_lines),
		with_lines(collector_that_does_not_answer_is_not_waited_for),
		with_lines(collector_that_is_gone_is_not_asked),
		with_lines(descriptors_of_others_are_not_taken),
		with_lines(file_that_changed_before_it_is_read_has_no_lines),
		with_lines(file_that_changed_while_it_was_read_has_no_lines),
		with_lines(parser_that_dies_leaves_no_slot_in_use),
		with_lines(other_files_go_first),
		with_lines(cpu_time_beyond_the_share_delays_the_next_request),
		with_lines(last_report_has_cpu_time_of_its_own),
		with_separate(debug_file_is_read_with_what_it_shares),
		with_separate(debug_file_is_read_without_what_it_shares),
		with_separate(file_without_a_debug_file_has_no_lines),
		with_separate(late_debug_file_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
