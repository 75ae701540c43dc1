/* SPDX-License-Identifier: Apache-2.0 */
/* test_otlp_options - where profiles are sent: options, environment, and the forms of a URL */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/otlp_options.h"
#include "cli/problem.h"

static struct otlp_options options;
static char problem[PROBLEM_BYTES];

static int forget_environment(void **state)
{
	static const char *const what[] = {"ENDPOINT",    "HEADERS",     "TIMEOUT",
					   "COMPRESSION", "CERTIFICATE", "CLIENT_CERTIFICATE",
					   "CLIENT_KEY"};
	char name[80];

	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
		(void)snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_%s", what[i]);
		unsetenv(name);
		(void)snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_PROFILES_%s", what[i]);
		unsetenv(name);
	}
	options = (struct otlp_options){.on = false};
	return 0;
}

static int set(enum otlp_option option, const char *value)
{
	return otlp_options_set(&options, option, value, problem);
}

static void assert_url(const char *text, bool all_signals, const char *url, const char *socket)
{
	struct tm_otlp_endpoint endpoint;

	assert_int_equal(tm_otlp_endpoint_parse(text, all_signals, &endpoint), 0);
	assert_string_equal(endpoint.url, url);
	assert_string_equal(endpoint.socket, socket);
}

static void a_url_without_a_path_gets_that_of_profiles(void **state)
{
	assert_url("http://h:4318", false, "http://h:4318/v1development/profiles", "");
	assert_url("https://h/", false, "https://h/v1development/profiles", "");
	assert_url("http://[::1]:4318/x/y", false, "http://[::1]:4318/x/y", "");
	assert_url("http://h/x/", false, "http://h/x/", "");
	assert_url("http://h/x?a=b", false, "http://h/x?a=b", "");
	assert_url("http://h/x", true, "http://h/x/v1development/profiles", "");
	assert_url("http://h/x//", true, "http://h/x/v1development/profiles", "");
}

static void a_unix_socket_is_an_endpoint(void **state)
{
	assert_url("unix:///run/o.sock", false, "http://localhost/v1development/profiles",
		   "/run/o.sock");
}

static void other_forms_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",         "h:4318",  "ftp://h",     "http://",        "https:///x",  "http://h x",
		"unix://x", "unix://", "http://h\n/", "http://u:p@h/x", "http://h/#x", "file:///x",
	};
	struct tm_otlp_endpoint endpoint;
	char path[300];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(tm_otlp_endpoint_parse(wrong[i], false, &endpoint),
				 TM_OTLP_ENDPOINT_E_FORM);
	assert_int_equal(tm_otlp_endpoint_parse("http://h?a", true, &endpoint),
			 TM_OTLP_ENDPOINT_E_FORM);
	(void)snprintf(path, sizeof(path), "unix:///%0120d", 0);
	assert_int_equal(tm_otlp_endpoint_parse(path, false, &endpoint), TM_OTLP_ENDPOINT_E_FORM);
}

static void nothing_is_sent_by_default(void **state)
{
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	assert_false(options.on);
}

static void options_come_before_the_environment(void **state)
{
	setenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://environment/p", 1);
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b", 1);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "7", 1);
	assert_int_equal(set(OTLP_OPTION_ENDPOINT, "http://option/p"), 0);
	assert_int_equal(set(OTLP_OPTION_HEADER, "x-key=v=w"), 0);
	assert_int_equal(set(OTLP_OPTION_TIMEOUT, "250"), 0);
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	assert_true(options.on && options.asked);
	assert_string_equal(options.endpoint.url, "http://option/p");
	assert_int_equal(options.header_count, 1);
	assert_null(options.header_list);
	assert_int_equal(options.timeout_ms, 250);
}

static void variables_of_profiles_come_before_those_of_all_signals(void **state)
{
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://all/base", 1);
	setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/all.pem", 1);
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b", 1);
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	assert_true(options.on && !options.asked);
	assert_string_equal(options.endpoint.url, "https://all/base/v1development/profiles");
	assert_string_equal(options.certificate, "/all.pem");
	assert_string_equal(options.header_list, "a=b");
	assert_int_equal(options.timeout_ms, OTLP_TIMEOUT_MS);
	options = (struct otlp_options){.on = false};
	setenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://profiles/as/is", 1);
	setenv("OTEL_EXPORTER_OTLP_PROFILES_COMPRESSION", "none", 1);
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	assert_string_equal(options.endpoint.url, "http://profiles/as/is");
	assert_true(options.uncompressed);
	assert_null(options.certificate); /* an endpoint without TLS has no use for it */
}

static void a_receiver_on_this_host_needs_no_compression(void **state)
{
	static const char *const here[] = {"http://localhost", "https://LocalHost:4318/x",
					   "http://127.0.0.1:4318", "http://[::1]:4318",
					   "unix:///run/otel.sock"};
	static const char *const elsewhere[] = {"http://localhost.net", "http://local:1",
						"http://127.0.0.10", "http://[::2]/", "http://["};
	size_t i;

	for (i = 0; i < sizeof(here) / sizeof(*here); i++) {
		assert_int_equal(set(OTLP_OPTION_ENDPOINT, here[i]), 0);
		assert_int_equal(otlp_options_finish(&options, problem), 0);
		assert_true(options.local && !options.uncompressed);
	}
	for (i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++) {
		assert_int_equal(set(OTLP_OPTION_ENDPOINT, elsewhere[i]), 0);
		assert_int_equal(otlp_options_finish(&options, problem), 0);
		assert_false(options.local || options.uncompressed);
	}
	setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", 1);
	assert_int_equal(set(OTLP_OPTION_ENDPOINT, here[0]), 0);
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	assert_false(options.local || options.uncompressed);
}

static void the_environment_can_be_ignored(void **state)
{
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "no URL", 1);
	assert_int_equal(set(OTLP_OPTION_NONE, NULL), 0);
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	assert_false(options.on);
}

static void assert_wrong(enum otlp_option option, const char *value, const char *sentence)
{
	int r;

	options = (struct otlp_options){.on = false};
	r = set(option, value);
	if (r == 0)
		r = otlp_options_finish(&options, problem);
	assert_int_equal(r, PROBLEM_E_USAGE);
	assert_non_null(strstr(problem, sentence));
}

static void what_is_wrong_is_named(void **state)
{
	assert_wrong(OTLP_OPTION_ENDPOINT, "h:1", "--otlp-endpoint h:1: an http://");
	assert_wrong(OTLP_OPTION_HEADER, "no equals sign", "--otlp-header: NAME=VALUE");
	assert_wrong(OTLP_OPTION_HEADER, "a=b\r\nc: d", "--otlp-header: NAME=VALUE");
	assert_wrong(OTLP_OPTION_TIMEOUT, "0", "--otlp-timeout 0: a number of milliseconds");
	assert_wrong(OTLP_OPTION_CERTIFICATE, "x", "--otlp-certificate has no meaning without");
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://x", 1);
	assert_wrong(OTLP_OPTION_TIMEOUT, "9", "OTEL_EXPORTER_OTLP_ENDPOINT ftp://x: an http");
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://x", 1);
	assert_wrong(OTLP_OPTION_CERTIFICATE, "x", "--otlp-certificate needs an https://");
	assert_wrong(OTLP_OPTION_CLIENT_KEY, "x", "--otlp-client-key needs an https://");
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://x", 1);
	assert_wrong(OTLP_OPTION_CLIENT_KEY, "k", "are needed together");
	setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", 1);
	assert_wrong(OTLP_OPTION_TIMEOUT, "9", "COMPRESSION is zstd: gzip or none");
	assert_int_equal(set(OTLP_OPTION_ENDPOINT, "http://x"), 0);
	assert_int_equal(set(OTLP_OPTION_NONE, NULL), 0);
	assert_int_equal(otlp_options_finish(&options, problem), PROBLEM_E_USAGE);
}

static void headers_have_a_limit(void **state)
{
	for (unsigned i = 0; i < OTLP_HEADERS_MAX; i++)
		assert_int_equal(set(OTLP_OPTION_HEADER, "a=b"), 0);
	assert_int_equal(set(OTLP_OPTION_HEADER, "a=b"), PROBLEM_E_USAGE);
}

static void headers_are_erased_where_others_could_see_them(void **state)
{
	char given[] = "x-key=secret", name[] = "x-key=\0\0\0\0\0\0";

	setenv("OTEL_EXPORTER_OTLP_PROFILES_HEADERS", "a=secret", 1);
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "b=secret", 1);
	assert_int_equal(set(OTLP_OPTION_ENDPOINT, "http://x"), 0);
	assert_int_equal(set(OTLP_OPTION_HEADER, given), 0);
	assert_int_equal(otlp_options_finish(&options, problem), 0);
	otlp_options_erase_headers(&options);
	assert_memory_equal(given, name, sizeof(given));
	assert_string_equal(getenv("OTEL_EXPORTER_OTLP_PROFILES_HEADERS"), "");
	assert_string_equal(getenv("OTEL_EXPORTER_OTLP_HEADERS"), "");
	assert_int_equal(options.header_count, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_url_without_a_path_gets_that_of_profiles),
		cmocka_unit_test(a_unix_socket_is_an_endpoint),
		cmocka_unit_test(other_forms_are_refused),
		cmocka_unit_test_setup(nothing_is_sent_by_default, forget_environment),
		cmocka_unit_test_setup(options_come_before_the_environment, forget_environment),
		cmocka_unit_test_setup(variables_of_profiles_come_before_those_of_all_signals,
				       forget_environment),
		cmocka_unit_test_setup(a_receiver_on_this_host_needs_no_compression,
				       forget_environment),
		cmocka_unit_test_setup(the_environment_can_be_ignored, forget_environment),
		cmocka_unit_test_setup(what_is_wrong_is_named, forget_environment),
		cmocka_unit_test_setup(headers_have_a_limit, forget_environment),
		cmocka_unit_test_setup(headers_are_erased_where_others_could_see_them,
				       forget_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
