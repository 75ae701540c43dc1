/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_notice - one line in an interval, and how many were left out
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/exporter/notice.h"

static char text[4096];
static int file, saved;

static int redirect(void **state)
{
	file = memfd_create("stderr", MFD_CLOEXEC);
	saved = dup(STDERR_FILENO);
	return file < 0 || saved < 0 || dup2(file, STDERR_FILENO) < 0 ? -1 : 0;
}

static int restore(void **state)
{
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	return close(file);
}

static const char *printed(void)
{
	ssize_t n = pread(file, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void one_line_is_printed_in_an_interval(void **state)
{
	struct notice notice = {0};

	notice_print(&notice, 1000, "first %d", 1);
	notice_print(&notice, 1000, "second");
	notice_print(&notice, 1000 + NOTICE_INTERVAL_MS - 1, "third");
	assert_string_equal(printed(), "first 1\n");
	notice_print(&notice, 1000 + NOTICE_INTERVAL_MS, "fourth");
	assert_string_equal(printed(), "first 1\nfourth (2 lines before this one left out)\n");
	notice_print(&notice, 1000 + 2 * NOTICE_INTERVAL_MS, "fifth");
	assert_string_equal(printed(),
			    "first 1\nfourth (2 lines before this one left out)\nfifth\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_line_is_printed_in_an_interval, redirect,
						restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
