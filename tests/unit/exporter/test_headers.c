/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_headers - which header lines are sent, and which are refused
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

#include "symbolizer/exporter/headers.h"

/* The fields of @text, each in a line, behind ours; NULL: refused. */
static const char *made(const char *text, size_t count, bool gzip)
{
	static char joined[8192];
	struct curl_slist *list = NULL;
	int r = headers_make(text, count, gzip, &list);

	assert_true(r == 0 || r == -EINVAL);
	assert_true((r == 0) == (list != NULL));
	joined[0] = '\0';
	for (const struct curl_slist *at = list; at; at = at->next)
		(void)snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s\n",
			       at->data);
	curl_slist_free_all(list);
	return r == 0 ? joined : NULL;
}

static void ours_are_there_once(void **state)
{
	assert_string_equal(made(NULL, 0, false), "Content-Type: application/x-protobuf\n"
						  "OTLP-Profiles-Development-Version: 1\n"
						  "Expect:\n");
	assert_non_null(strstr(made(NULL, 0, true), "\nContent-Encoding: gzip\n"));
	assert_null(strstr(made("", 0, false), "gzip"));
}

static void lines_are_taken_in_their_order(void **state)
{
	const char text[] =
		"Authorization: Bearer x\r\n\nX-A:\t b c \t\nX-B: 1: 2\n\r\nX-C:\nX-D: \n"
		"X-E: \xc3\xa4";
	const char *list = made(text, strlen(text), false);

	assert_non_null(list);
	assert_non_null(strstr(list, "Expect:\nAuthorization: Bearer x\nX-A:\t b c\nX-B: 1: 2\n"
				     "X-C;\nX-D;\nX-E: \xc3\xa4\n"));
}

static void invalid_and_reserved_lines_are_refused(void **state)
{
	const char *const bad[] = {
		"x",
		":",
		": x",
		"A b: c",
		"A : b",
		" A: b",
		"A\t: b",
		"A\x80: b",
		"A: \x01",
		"A: b\rc",
		"A: \x7f",
		"A: 1\nB",
		"Host: h",
		"host:h",
		"CONTENT-TYPE: a",
		"Content-Encoding: br",
		"Content-Length: 1",
		"Transfer-Encoding: chunked",
		"Connection: close",
		"Expect: 100-continue",
		"User-Agent: x",
		"otlp-profiles-development-version: 1",
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (made(bad[i], strlen(bad[i]), false))
			fail_msg("'%s' was taken", bad[i]);
	assert_null(made("A: b\0c", 6, false));
	assert_null(made("\0", 1, false));
	assert_non_null(made("Hosts: h", 8, false)); /* only the whole name is reserved */
}

static void their_number_has_a_limit(void **state)
{
	char text[5 * (HEADERS_MAX + 1) + 1];

	for (unsigned i = 0; i <= HEADERS_MAX; i++)
		memcpy(text + (size_t)5 * i, "A: b\n", 6);
	assert_null(made(text, strlen(text), false));
	text[5 * HEADERS_MAX] = '\0';
	assert_non_null(made(text, strlen(text), false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ours_are_there_once),
		cmocka_unit_test(lines_are_taken_in_their_order),
		cmocka_unit_test(invalid_and_reserved_lines_are_refused),
		cmocka_unit_test(their_number_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
