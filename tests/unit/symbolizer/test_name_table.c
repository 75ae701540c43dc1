/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_name_table - names from a parser that answers, sends invalid results, stays silent or dies
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/names/result_check.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct name_table names;
static union make_record record;
static struct parser_client client;
static int ends[2];

struct blob { /* two offsets, one name */
	struct parser_result header;
	struct parser_place_name symbols[2];
	char names[8];
};

static const struct blob good = {
	{.magic = PARSER_MAGIC,
	 .count = 2,
	 .name_bytes = 8,
	 .build_id_bytes = 2,
	 .build_id = {0xab, 0x01},
	 .segment_vaddr = 0x1000,
	 .segment_bytes = 0x100,
	 .has_symbols = 1},
	{{0x1010, 0x1000, 1, 1}, {0x1020, 0, PARSER_NO_NAME, 1}},
	"\0main",
};

static int begin(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x20), FILE_WORD(1, 0x11) | TM_FRAME_RETURN,
			    FILE_WORD(1, 0x10), ANON_WORD(3)};

	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	files_opened(&recording.files, 1, 0, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	make_sample(&record, 1, 42, "c", words, 0, 4);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	client = PARSER_CLIENT_NULL;
	client.socket = ends[0];
	name_table_init(&names, &recording.strings, &client);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	return 0;
}

static int end(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	name_table_deinit(&names);
	assert_int_equal(recording_end(&recording), 0);
	parser_client_stop(&client, &cpu_ns, &rss_bytes);
	return 0;
}

/* Runs in a child: takes one request and answers, with @blob if there is one. */
static _Noreturn void answer(const struct parser_message *result, const void *blob, size_t bytes)
{
	struct parser_message first, second;
	struct tm_region offsets = TM_REGION_NULL;
	int target, fd;

	if (tm_fdpass_recv(ends[1], &first, sizeof(first), &target, 0) ||
	    tm_fdpass_recv(ends[1], &second, sizeof(second), &fd, 0) || first.kind != PARSER_FILE ||
	    first.count != 2 || second.kind != PARSER_PART ||
	    tm_region_open_blob(&offsets, fd, 4096) ||
	    ((const uint64_t *)offsets.addr)[0] != 0x10 ||
	    ((const uint64_t *)offsets.addr)[1] != 0x20)
		_exit(1);
	fd = blob ? tm_region_seal_blob("answer", blob, bytes) : -1;
	if (result)
		(void)tm_fdpass_send(ends[1], result, sizeof(*result), fd, 0);
	_exit(0);
}

static void ask(const struct parser_message *result, const void *blob, size_t bytes)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		(void)close(ends[0]);
		answer(result, blob, bytes);
	}
	if (!result)
		ends[1] = tm_close(ends[1]); /* the child ends without an answer */
	name_table_ask(&names, &recording.symbols);
	(void)tm_close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const struct parser_message ok = {.kind = PARSER_RESULT};

static void addresses_are_distinct_and_of_calls_rather_than_returns(void **state)
{
	assert_int_equal(names.place_count, 2);
	assert_int_equal(names.file_count, 1);
	assert_non_null(
		name_table_find(&names, name_table_key(FILE_WORD(0, 0x11) | TM_FRAME_RETURN)));
	assert_ptr_equal(
		name_table_find(&names, name_table_key(FILE_WORD(0, 0x11) | TM_FRAME_RETURN)),
		name_table_find(&names, name_table_key(FILE_WORD(0, 0x10))));
	assert_null(name_table_find(&names, name_table_key(FILE_WORD(0, 0x12))));
	assert_int_not_equal(name_table_key(VDSO_WORD(0x10)), name_table_key(FILE_WORD(0, 0x10)));
	files_close(&recording.files, 0);
	(void)close(ends[1]);
}

static void valid_answer_gives_names(void **state)
{
	const struct name_table_place *place;

	ask(&ok, &good, sizeof(good));
	place = name_table_find(&names, name_table_key(FILE_WORD(0, 0x10)));
	assert_string_equal(recording_text(&recording, place->name), "main");
	assert_int_equal(place->vaddr, 0x1010);
	assert_int_equal(name_table_find(&names, name_table_key(FILE_WORD(0, 0x20)))->name,
			 NAME_TABLE_NONE);
	assert_string_equal(recording_text(&recording, names.files[0].build_id), "ab01");
	assert_int_equal(names.files[0].bytes, 0x100);
	assert_int_equal(names.failed, 0);
}

static void expect_no_names(const struct parser_message *result, const struct blob *blob,
			    size_t bytes)
{
	ask(result, blob, bytes);
	assert_int_equal(name_table_find(&names, name_table_key(FILE_WORD(0, 0x10)))->name,
			 NAME_TABLE_NONE);
}

static void expect_parser_lost(void)
{
	assert_int_equal(client.socket, -1);
	assert_int_equal(client.counts.lost, 1);
	assert_int_equal(client.counts.failures[TM_PARSE_NO_PARSER], 1);
	assert_int_equal(names.failed, 1);
}

static void answer_to_another_request(void **state)
{
	struct parser_message other = {.kind = PARSER_RESULT, .id = 7};

	expect_no_names(&other, &good, sizeof(good));
	expect_parser_lost();
}

static void answer_of_another_kind(void **state)
{
	struct parser_message other = {.kind = PARSER_FILE};

	expect_no_names(&other, &good, sizeof(good));
	expect_parser_lost();
}

static void answer_without_its_blob(void **state)
{
	expect_no_names(&ok, NULL, 0);
	expect_parser_lost();
}

static void answer_cut_short(void **state)
{
	expect_no_names(&ok, &good, sizeof(good) - 1);
	assert_int_equal(client.socket, ends[0]); /* the worker was wrong, not the parser */
	assert_int_equal(names.failed, 0);        /* it would be wrong again */
}

static void answer_that_failed(void **state)
{
	struct parser_message failed = {.kind = PARSER_RESULT, .status = PARSER_ABANDONED};

	expect_no_names(&failed, NULL, 0);
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], 1);
	assert_int_equal(names.failed, 1);
	assert_int_equal(client.socket, ends[0]);
}

static void parser_that_dies_names_nothing(void **state)
{
	expect_no_names(NULL, NULL, 0);
	expect_parser_lost();
}

static void end_of_the_command_ends_the_wait(void **state)
{
	int control[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	(void)close(control[1]);
	client.control = control[0];
	name_table_ask(&names, &recording.symbols);
	assert_int_equal(client.slots[0].used && client.slots[0].fn, false);
	assert_int_equal(names.failed, 1);
	(void)close(control[0]);
	(void)close(ends[1]);
}

#define refuses(field, value)                                                         \
	do {                                                                          \
		struct blob blob = good;                                              \
		blob.field = (value);                                                 \
		assert_true(result_check_check(&parsed, &blob, sizeof(blob), 2) < 0); \
	} while (0)

static void malformed_results_are_refused(void **state)
{
	struct result_check parsed;

	assert_int_equal(result_check_check(&parsed, &good, sizeof(good), 2), 0);
	assert_true(result_check_check(&parsed, &good, sizeof(good), 1) < 0);
	assert_true(result_check_check(&parsed, &good, sizeof(good), 3) < 0);
	refuses(header.magic, 0);
	refuses(header.count, 3);
	refuses(header.name_bytes, 9);
	refuses(header.name_bytes, 0xffffffff);
	refuses(header.build_id_bytes, PARSER_BUILD_ID_MAX + 1);
	refuses(header.segment_vaddr, UINT64_MAX);
	refuses(symbols[0].name, 8);
	refuses(names[7], 'x');
}

static int begin_alone(void **state)
{
	(void)begin(state);
	(void)close(ends[1]);
	return 0;
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_parser(addresses_are_distinct_and_of_calls_rather_than_returns),
		with_parser(valid_answer_gives_names),
		with_parser(answer_to_another_request),
		with_parser(answer_of_another_kind),
		with_parser(answer_without_its_blob),
		with_parser(answer_cut_short),
		with_parser(answer_that_failed),
		with_parser(parser_that_dies_names_nothing),
		with_parser(end_of_the_command_ends_the_wait),
		cmocka_unit_test_setup_teardown(malformed_results_are_refused, begin_alone, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
