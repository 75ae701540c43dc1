/* SPDX-License-Identifier: Apache-2.0 */
/* test_exporter_files - headers as lines, and files that cannot be opened */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/exporter_files.h"

static char text[EXPORTER_HEADERS_BYTES];

static void assert_list(const char *list, const char *lines)
{
	const struct otlp_options options = {.header_list = list};
	int bytes = exporter_files_headers(&options, text);

	assert_int_equal(bytes, strlen(lines));
	assert_memory_equal(text, lines, strlen(lines));
}

static void headers_of_options_are_taken_as_they_are(void **state)
{
	const struct otlp_options options = {.headers = {"authorization=Basic a%20b==", "x="},
					     .header_count = 2};
	static const char lines[] = "authorization: Basic a%20b==\nx: \n";

	assert_int_equal(exporter_files_headers(&options, text), strlen(lines));
	assert_memory_equal(text, lines, strlen(lines));
}

static void headers_of_the_environment_are_decoded(void **state)
{
	assert_list(NULL, "");
	assert_list("a=b", "a: b\n");
	assert_list(" a = b , c=d%20e%2Cf%3d ,", "a: b\nc: d e,f=\n");
	assert_list(",,a=,", "a: \n");
	assert_list("k=v=w", "k: v=w\n");
}

static void headers_that_are_none_are_refused(void **state)
{
	static const char *const wrong[] = {"a",     "=b",         " =b",       "a=%",   "a=%4",
					    "a=%zz", "a=b%0d%0ac", "a=b\nc: d", "a:b=c", "a=b,c"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const struct otlp_options options = {.header_list = wrong[i]};

		assert_int_equal(exporter_files_headers(&options, text), -EINVAL);
	}
}

static void too_many_bytes_of_headers_are_refused(void **state)
{
	static char list[EXPORTER_HEADERS_BYTES + 8] = "a=";
	const struct otlp_options in_list = {.header_list = list};
	const struct otlp_options given = {.headers = {list}, .header_count = 1};

	memset(list + 2, 'x', EXPORTER_HEADERS_BYTES);
	assert_int_equal(exporter_files_headers(&in_list, text), -E2BIG);
	assert_int_equal(exporter_files_headers(&given, text), -E2BIG);
	list[EXPORTER_HEADERS_BYTES - 8] = '\0';
	assert_true(exporter_files_headers(&in_list, text) > 0);
	assert_true(exporter_files_headers(&given, text) > 0);
}

static void headers_are_handed_over_in_a_file(void **state)
{
	const struct otlp_options options = {.headers = {"a=b"}, .header_count = 1};
	struct exporter_files files = EXPORTER_FILES_NULL;
	char found[16] = "";

	assert_int_equal(exporter_files_open(&files, &options), 0);
	assert_int_equal(files.certificate, -1);
	assert_int_equal(read(files.headers, found, sizeof(found)), 5);
	assert_string_equal(found, "a: b\n");
	exporter_files_close(&files);
	assert_int_equal(files.headers, -1);
}

static void a_missing_certificate_is_an_error(void **state)
{
	const struct otlp_options options = {.certificate = "/no/such/file"};
	struct exporter_files files = EXPORTER_FILES_NULL;

	assert_int_equal(exporter_files_open(&files, &options), EXIT_CODE_FAILED);
	exporter_files_close(&files);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_of_options_are_taken_as_they_are),
		cmocka_unit_test(headers_of_the_environment_are_decoded),
		cmocka_unit_test(headers_that_are_none_are_refused),
		cmocka_unit_test(too_many_bytes_of_headers_are_refused),
		cmocka_unit_test(headers_are_handed_over_in_a_file),
		cmocka_unit_test(a_missing_certificate_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
