/* SPDX-License-Identifier: Apache-2.0 */
/* test_kept - what the collector wants kept gets into systemd's store and to the next collector */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "service/kept.h"
#include "tests/unit/shared/fake_systemd.h"

static struct program program;

static int make(void **state)
{
	return make_service();
}

static int unmake(void **state)
{
	return unmake_service();
}

static void handle(enum tm_control_kind kind, const char *name, int fd)
{
	static struct tm_control message;

	memset(&message, 'x', sizeof(message)); /* nothing ends the text but its own NUL */
	message.kind = kind;
	if (name)
		(void)snprintf(message.body.text, sizeof(message.body.text), "%s", name);
	kept_handle(&service, &message, fd);
}

static void expect_nothing(void)
{
	char byte;

	assert_int_equal(recv(systemd, &byte, 1, 0), -1);
}

static void what_is_kept_is_stored_and_dropped(void **state)
{
	int fd;

	handle(TM_CONTROL_KEEP, "m1f", STDIN_FILENO);
	fd = expect_notification("FDSTORE=1\nFDPOLL=0\nFDNAME=kept-m1f");
	assert_true(fd >= 0);
	(void)close(fd);
	handle(TM_CONTROL_DROP, "m1f", -1);
	assert_int_equal(expect_notification("FDSTOREREMOVE=1\nFDNAME=kept-m1f"), -1);
}

static void names_that_systemd_could_misread_are_ignored(void **state)
{
	handle(TM_CONTROL_KEEP, "m1\nREADY=1", STDIN_FILENO);
	handle(TM_CONTROL_DROP, "m1\nFDNAME=x", -1);
	handle(TM_CONTROL_DROP, "m:1", -1);
	handle(TM_CONTROL_DROP, "v0123456789abcdef0123456789abcdef", -1);
	handle(TM_CONTROL_DROP, NULL, -1);
	handle(TM_CONTROL_KEEP, "m1", -1); /* without a descriptor */
	expect_nothing();
}

static void stored_descriptors_are_inherited_by_the_collector_alone(void **state)
{
	char expected[64], path[] = "/libexec/tidemark-collector";
	int fd;

	add_stored("perf-0-17", open("/dev/null", O_RDONLY | O_CLOEXEC));
	add_stored("kept-m1f", open("/dev/null", O_RDONLY | O_CLOEXEC));
	fd = service.fds[1].fd;
	program_init(&program, path);
	kept_pass(&program, &service);
	(void)snprintf(expected, sizeof(expected), "--kept=m1f:%d", fd);
	assert_int_equal(program.count, 2);
	assert_string_equal(program.arguments[1], expected);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(fcntl(service.fds[0].fd, F_GETFD), FD_CLOEXEC);
	kept_close(&service);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_true(service.fds[0].fd >= 0);
	free(program.arguments[1]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_kept_is_stored_and_dropped),
		CASE(names_that_systemd_could_misread_are_ignored),
		CASE(stored_descriptors_are_inherited_by_the_collector_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
