/* SPDX-License-Identifier: Apache-2.0 */
/* test_control - messages arrive complete, and of several failures the first is sent */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/control.h"
#include "shared/fdpass.h"

static int ends[2];
static struct tm_control received;

static int make(void **state)
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
}

static int unmake(void **state)
{
	(void)close(ends[0]);
	return close(ends[1]);
}

static void receive(uint32_t kind)
{
	assert_int_equal(tm_fdpass_recv(ends[1], &received, sizeof(received), NULL, MSG_DONTWAIT),
			 0);
	assert_int_equal(received.kind, kind);
}

static void messages_carry_code_and_value(void **state)
{
	assert_int_equal(tm_control_send(ends[0], TM_CONTROL_OUTPUT, -5, 7), 0);
	receive(TM_CONTROL_OUTPUT);
	assert_int_equal(received.code, -5);
	assert_int_equal(received.value, 7);
}

static void long_note_is_cut_and_closed(void **state)
{
	char text[2 * TM_CONTROL_TEXT];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(tm_control_note(ends[0], "%d %s", 4, text), 0);
	receive(TM_CONTROL_NOTE);
	assert_int_equal(strlen(received.body.text), TM_CONTROL_TEXT - 1);
	assert_memory_equal(received.body.text, "4 xx", 4);
}

static void first_failure_is_the_one_that_is_sent(void **state)
{
	struct tm_control_failure failure = {0};

	assert_int_equal(tm_control_failure_check(&failure, TM_FAILURE_HOST, 3, "no failure"), 0);
	assert_int_equal(failure.code, 0);
	assert_int_equal(tm_control_failure_check(&failure, TM_FAILURE_HOST, -ENOMEM, "the ring"),
			 -ECANCELED);
	assert_int_equal(tm_control_failure_set(&failure, TM_FAILURE_PEER, "later"), -ECANCELED);
	assert_int_equal(tm_control_failed(ends[0], &failure), 0);
	receive(TM_CONTROL_FAILED);
	assert_int_equal(received.code, TM_FAILURE_HOST);
	assert_string_equal(received.body.text, "the ring: Cannot allocate memory");
}

static void command_that_is_gone_is_an_error(void **state)
{
	(void)shutdown(ends[1], SHUT_RDWR);
	assert_true(tm_control_send(ends[0], TM_CONTROL_READY, 0, 0) < 0);
}

static void counts_are_skipped_when_nobody_reads_them(void **state)
{
	const struct tm_counts counts = {.hits = 5};
	unsigned read_again = 0;

	for (int i = 0; i < 10000; i++)
		assert_int_equal(tm_control_counts(ends[0], &counts, /* may_skip= */ 1), 0);
	while (tm_fdpass_recv(ends[1], &received, sizeof(received), NULL, MSG_DONTWAIT) == 0)
		read_again++;
	assert_in_range(read_again, 1, 9999);
	assert_int_equal(received.body.counts.hits, 5);
	assert_int_equal(tm_control_counts(ends[0], &counts, 0), 0);
	receive(TM_CONTROL_COUNTS);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(messages_carry_code_and_value),
		CASE(long_note_is_cut_and_closed),
		CASE(first_failure_is_the_one_that_is_sent),
		CASE(counts_are_skipped_when_nobody_reads_them),
		CASE(command_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
