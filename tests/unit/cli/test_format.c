/* SPDX-License-Identifier: Apache-2.0 */
/* test_format - the ending of an output's name decides its format */

#include "tests/unit/cli/check.h"

#include <stdlib.h>

#include "cli/format.h"

static void each_ending_has_its_format(void **state)
{
	static const struct {
		const char *path, *word;
	} known[] = {
		{"tidemark.html", "html"}, {"/a.b/c.pb.gz", "pprof"},
		{"x.y.folded", "folded"},  {"x.speedscope.json", "speedscope"},
		{".html", "html"},
	};
	enum format format = FORMAT_N;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(format_of(known[i].path, &format), 0);
		assert_string_equal(format_name(format), known[i].word);
	}
}

static void other_endings_are_unknown(void **state)
{
	static const char *const unknown[] = {
		"",       "html", "x.htm", "x.HTML", "x.html ",
		"x.json", "x.gz", "x.pb",  "folded", "x.html/",
	};
	enum format format = FORMAT_N;
	size_t i;

	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(format_of(unknown[i], &format), FORMAT_E_UNKNOWN);
	assert_int_equal(format, FORMAT_N);
}

static void number_stands_before_the_ending(void **state)
{
	static const struct {
		const char *path;
		unsigned number;
		const char *numbered;
	} known[] = {
		{"tidemark.html", 1, "tidemark.0001.html"},
		{"/a.b/c.pb.gz", 12, "/a.b/c.0012.pb.gz"},
		{"x.speedscope.json", 9999, "x.9999.speedscope.json"},
		{"x.y.folded", 10000, "x.y.10000.folded"},
		{"sum.json", 7, "sum.0007.json"},
		{"../summary", 7, "../summary.0007"},
		{"a.b/summary", 7, "a.b/summary.0007"},
		{"a/.summary", 7, "a/.summary.0007"},
		{".html", 7, ".0007.html"},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *text = format_numbered(known[i].path, known[i].number);

		assert_string_equal(text, known[i].numbered);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ending_has_its_format),
		cmocka_unit_test(other_endings_are_unknown),
		cmocka_unit_test(number_stands_before_the_ending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
