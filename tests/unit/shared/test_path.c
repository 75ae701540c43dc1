/* SPDX-License-Identifier: Apache-2.0 */
/* test_path - packed paths are unpacked root first, and only plain ones count as safe to open */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/path.h"

static char out[256];

#define JOIN(packed)  tm_path_join(packed, sizeof(packed) - 1, out)
#define PLAIN(packed) tm_path_is_plain(packed, sizeof(packed) - 1)

static void components_come_root_first(void **state)
{
	assert_int_equal(JOIN("ls\0bin\0usr\0"), 10);
	assert_string_equal(out, "usr/bin/ls");
	assert_int_equal(JOIN("init\0"), 4);
	assert_string_equal(out, "init");
}

static void empty_list_is_the_empty_path(void **state)
{
	assert_int_equal(JOIN(""), 0);
	assert_string_equal(out, "");
	assert_true(PLAIN(""));
}

static void components_that_the_kernel_never_makes_are_not_plain(void **state)
{
	assert_false(PLAIN("..\0bin\0"));
	assert_false(PLAIN("ls\0.\0"));
	assert_false(PLAIN("ls\0bi/n\0"));
	assert_false(PLAIN("/\0"));
	assert_false(PLAIN("ls\0\0bin\0"));
	assert_false(PLAIN("ls\0bin"));
	assert_false(PLAIN("\0"));
}

static void dots_inside_names_are_plain(void **state)
{
	assert_true(PLAIN("...\0.a\0..b\0"));
	assert_int_equal(JOIN("...\0.a\0..b\0"), 10);
	assert_string_equal(out, "..b/.a/...");
}

static void any_bytes_are_unpacked_within_their_own_size(void **state)
{
	memset(out, 'x', sizeof(out));
	assert_int_equal(JOIN("ls\0bin"), 6);
	assert_string_equal(out, "bin/ls");
	assert_int_equal(JOIN("a\0\0"), 2);
	assert_string_equal(out, "/a");
	assert_int_equal(JOIN("\0\0\0"), 2);
	assert_string_equal(out, "//");
	assert_int_equal(out[7], 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(components_come_root_first),
		cmocka_unit_test(empty_list_is_the_empty_path),
		cmocka_unit_test(components_that_the_kernel_never_makes_are_not_plain),
		cmocka_unit_test(dots_inside_names_are_plain),
		cmocka_unit_test(any_bytes_are_unpacked_within_their_own_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
