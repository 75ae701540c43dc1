/* SPDX-License-Identifier: Apache-2.0 */
/* test_parser_restart - how often another parser is started, and what happens if none can be */

#include "tests/unit/cli/check.h"

#include <sys/socket.h>
#include <unistd.h>

#include "cli/parser_restart.h"
#include "shared/fdpass.h"

#define MINUTE_NS PARSER_RESTART_WITHIN_NS

static void no_more_than_five_start_within_a_minute(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;
	uint64_t now_ns = 5000;
	unsigned i;

	for (i = 0; i < PARSER_RESTART_MAX; i++)
		assert_true(parser_restart_allows(&restart, now_ns + i));
	assert_false(parser_restart_allows(&restart, now_ns + i));
	assert_false(parser_restart_allows(&restart, now_ns + MINUTE_NS - 1));
	assert_true(parser_restart_allows(&restart, now_ns + MINUTE_NS));
	assert_false(parser_restart_allows(&restart, now_ns + MINUTE_NS));
	assert_true(parser_restart_allows(&restart, now_ns + MINUTE_NS + 1));
	assert_int_equal(restart.started, PARSER_RESTART_MAX + 2);
	assert_int_equal(restart.refused, 3);
}

static void slow_deaths_are_followed_for_ever(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;
	uint64_t now_ns = 5000;
	unsigned i;

	for (i = 0; i < 100; i++, now_ns += MINUTE_NS / PARSER_RESTART_MAX)
		assert_true(parser_restart_allows(&restart, now_ns));
	assert_int_equal(restart.refused, 0);
}

/* The program cannot be executed, so the symbolizer gets no socket, whose peer would not exist. */
static void parser_that_cannot_be_started_is_not_handed_over(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;
	struct child symbolizer = CHILD_NULL;
	struct uid_pool_account account = {.uid = getuid(), .gid = getgid()};
	struct tm_control message;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	symbolizer.control = ends[0];
	symbolizer.name = "made-up symbolizer";
	parser_restart_run(&restart, /* program= */ -1, account, &symbolizer);
	assert_int_equal(restart.started, 1);
	assert_int_equal(restart.parser.pidfd, -1);
	assert_int_equal(tm_fdpass_recv(ends[1], &message, sizeof(message), NULL, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
	parser_restart_stop(&restart, 0);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_than_five_start_within_a_minute),
		cmocka_unit_test(slow_deaths_are_followed_for_ever),
		cmocka_unit_test(parser_that_cannot_be_started_is_not_handed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
