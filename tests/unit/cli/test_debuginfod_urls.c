/* SPDX-License-Identifier: Apache-2.0 */
/* test_debuginfod_urls - which texts are servers, and how DEBUGINFOD_URLS is read */

#include "tests/unit/cli/check.h"

#include <string.h>

#include "cli/debuginfod_urls.h"

static struct debuginfod_urls urls;

static int add(const char *text)
{
	return debuginfod_urls_add(&urls, text, strlen(text));
}

static void only_http_and_https_are_servers(void **state)
{
	static const char *const bad[] = {
		"",
		"http://",
		"https://",
		"ftp://a",
		"file:///etc/passwd",
		"a:80",
		"HTTP",
		"http:/a",
		"http://a b",
		"http://a\n",
		"http://\xff",
		" http://a",
		"ima:enforcing",
	};
	char text[DEBUGINFOD_URLS_BYTES_MAX + 2] = "http://";
	size_t i;

	urls = (struct debuginfod_urls){0};
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(add(bad[i]), DEBUGINFOD_URLS_E_FORM);
	assert_int_equal(add("http://a"), 0);
	assert_int_equal(add("https://[::1]:8002/path/"), 0);
	memset(text + 7, 'x', DEBUGINFOD_URLS_BYTES_MAX - 7);
	assert_int_equal(add(text), 0);
	text[DEBUGINFOD_URLS_BYTES_MAX] = 'x';
	assert_int_equal(add(text), DEBUGINFOD_URLS_E_FORM);
	assert_int_equal(urls.count, 3);
}

static void environment_has_servers_between_blanks(void **state)
{
	urls = (struct debuginfod_urls){0};
	debuginfod_urls_add_environment(&urls, NULL);
	debuginfod_urls_add_environment(&urls, "");
	debuginfod_urls_add_environment(&urls, " \t\n");
	assert_int_equal(urls.count, 0);
	debuginfod_urls_add_environment(&urls,
					"  http://a\tfile:///x ima:enforcing https://b/c \n");
	assert_int_equal(urls.count, 2);
	assert_int_equal(urls.items[0].bytes, 8);
	assert_memory_equal(urls.items[0].text, "http://a", 8);
	assert_int_equal(urls.items[1].bytes, 11);
	assert_memory_equal(urls.items[1].text, "https://b/c", 11);
}

static void servers_beyond_the_limit_are_left_out(void **state)
{
	size_t i;

	urls = (struct debuginfod_urls){0};
	for (i = 0; i < DEBUGINFOD_URLS_MAX; i++)
		assert_int_equal(add("http://a"), 0);
	assert_int_equal(add("http://a"), DEBUGINFOD_URLS_E_FULL);
	debuginfod_urls_add_environment(&urls, "http://b http://c");
	assert_int_equal(urls.count, DEBUGINFOD_URLS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_http_and_https_are_servers),
		cmocka_unit_test(environment_has_servers_between_blanks),
		cmocka_unit_test(servers_beyond_the_limit_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
