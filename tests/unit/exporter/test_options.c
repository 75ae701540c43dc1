/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_options - which arguments of tidemark-exporter are valid
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer/exporter/options.h"

#define ARGUMENTS_MAX 16
#define TEXT_BYTES    4096

static struct options options;
static const char *bad;

/* Arguments separated by blanks. */
static int parse(const char *line)
{
	static char text[TEXT_BYTES];
	char *arguments[ARGUMENTS_MAX] = {text}, *at;
	int count = 1;

	(void)snprintf(text, sizeof(text), "%s", line);
	bad = NULL;
	for (at = text; *at != '\0'; at += strspn(at, " ")) {
		arguments[count++] = at;
		at += strcspn(at, " ");
		if (*at == ' ')
			*at++ = '\0';
	}
	return options_parse(&options, count, arguments, &bad);
}

static void socket_and_url_suffice(void **state)
{
	assert_int_equal(parse("--socket-fd=3 --url=https://h:4318/v1development/profiles"), 0);
	assert_int_equal(options.socket, 3);
	assert_string_equal(options.url, "https://h:4318/v1development/profiles");
	assert_null(options.unix_socket);
	assert_int_equal(options.headers, -1);
	assert_int_equal(options.certificate, -1);
	assert_int_equal(options.client_certificate, -1);
	assert_int_equal(options.client_key, -1);
	assert_int_equal(options.timeout_ms, 10000);
	assert_int_equal(options.flush_seconds, 5);
	assert_int_equal(options.queue_bytes, 64 << 20);
	assert_int_equal(options.retry.initial_ms, 5000);
	assert_int_equal(options.retry.cap_ms, 30000);
	assert_int_equal(options.retry.give_up_ms, 300000);
	assert_int_equal(options.retry.after_cap_ms, 120000);
}

static void every_option_is_taken(void **state)
{
	assert_int_equal(parse("--socket-fd=3 --url=https://h --headers-fd=4 --certificate-fd=5 "
			       "--client-certificate-fd=6 --client-key-fd=7 --timeout-ms=8 "
			       "--queue-bytes=9 --flush-seconds=0 --retry-initial-ms=11 "
			       "--retry-cap-ms=12 --retry-give-up-ms=13 --retry-after-cap-ms=14"),
			 0);
	assert_int_equal(options.headers, 4);
	assert_int_equal(options.certificate, 5);
	assert_int_equal(options.client_certificate, 6);
	assert_int_equal(options.client_key, 7);
	assert_int_equal(options.timeout_ms, 8);
	assert_int_equal(options.queue_bytes, 9);
	assert_int_equal(options.flush_seconds, 0);
	assert_int_equal(options.retry.initial_ms, 11);
	assert_int_equal(options.retry.cap_ms, 12);
	assert_int_equal(options.retry.give_up_ms, 13);
	assert_int_equal(options.retry.after_cap_ms, 14);
	assert_int_equal(parse("--socket-fd=3 --url=http://h --unix-socket=/run/otlp.sock"), 0);
	assert_string_equal(options.unix_socket, "/run/otlp.sock");
}

static void an_argument_that_is_wrong_is_named(void **state)
{
	const char *const wrong[] = {
		"--socket-fd=2",
		"--socket-fd=",
		"--socket-fd=3x",
		"--url=ftp://h",
		"--url=h",
		"--url=",
		"--url=HTTP://h",
		"--url=file:///etc",
		"--url=http://u:p@h/",
		"--url=https://u@h?x",
		"--timeout-ms=0",
		"--timeout-ms=600001",
		"--queue-bytes=0",
		"--queue-bytes=268435457",
		"--flush-seconds=-1",
		"--flush-seconds=601",
		"--unix-socket=run/x",
		"--unix-socket=",
		"--unix-socket=@x",
		"--headers-fd=1",
		"--retry-cap-ms=0",
		"--retry-cap-ms=86400001",
		"--header=A:b",
		"--other=1",
		"word",
	};
	char line[TEXT_BYTES];

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		(void)snprintf(line, sizeof(line), "--socket-fd=3 --url=http://h %s", wrong[i]);
		if (parse(line) != -EINVAL)
			fail_msg("%s was taken", wrong[i]);
		assert_string_equal(bad, wrong[i]);
	}
}

static void an_at_sign_behind_the_host_is_no_credential(void **state)
{
	assert_int_equal(parse("--socket-fd=3 --url=http://h/a@b"), 0);
	assert_int_equal(parse("--socket-fd=3 --url=http://h?a@b"), 0);
}

static void lengths_have_limits(void **state)
{
	char line[TEXT_BYTES] = "--socket-fd=3 --url=http://";
	size_t start = strlen(line);

	memset(line + start, 'h', OPTIONS_URL_BYTES_MAX - 1 - strlen("http://"));
	assert_int_equal(parse(line), 0);
	line[strlen(line)] = 'h';
	assert_int_equal(parse(line), -EINVAL);
	(void)snprintf(line, sizeof(line), "--socket-fd=3 --url=http://h --unix-socket=/%0106d", 0);
	assert_int_equal(parse(line), 0);
	(void)snprintf(line, sizeof(line), "--socket-fd=3 --url=http://h --unix-socket=/%0107d", 0);
	assert_int_equal(parse(line), -EINVAL);
}

static void what_belongs_together_is_missed(void **state)
{
	assert_int_equal(parse(""), -EINVAL);
	assert_non_null(strstr(bad, "required"));
	assert_int_equal(parse("--socket-fd=3"), -EINVAL);
	assert_int_equal(parse("--url=http://h"), -EINVAL);
	assert_int_equal(parse("--socket-fd=3 --url=https://h --client-key-fd=4"), -EINVAL);
	assert_non_null(strstr(bad, "each other"));
	assert_int_equal(parse("--socket-fd=3 --url=https://h --client-certificate-fd=4"), -EINVAL);
	assert_int_equal(parse("--socket-fd=3 --url=http://h --certificate-fd=4"), -EINVAL);
	assert_non_null(strstr(bad, "https://"));
	assert_int_equal(parse("--socket-fd=3 --url=https://h --unix-socket=/x"), -EINVAL);
	assert_non_null(strstr(bad, "http://"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(socket_and_url_suffice),
		cmocka_unit_test(every_option_is_taken),
		cmocka_unit_test(an_argument_that_is_wrong_is_named),
		cmocka_unit_test(an_at_sign_behind_the_host_is_no_credential),
		cmocka_unit_test(lengths_have_limits),
		cmocka_unit_test(what_belongs_together_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
