/* SPDX-License-Identifier: Apache-2.0 */
/* test_path - packed components become the path that the kernel meant, or none */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/path.h"

static char out[256];

#define JOIN(packed) tm_path_join(packed, sizeof(packed) - 1, out)

static void components_come_root_first(void **state)
{
	assert_int_equal(JOIN("ls\0bin\0usr\0"), 10);
	assert_string_equal(out, "usr/bin/ls");
	assert_int_equal(JOIN("init\0"), 4);
	assert_string_equal(out, "init");
}

static void empty_list_is_no_path(void **state)
{
	assert_int_equal(JOIN(""), 0);
	assert_string_equal(out, "");
}

static void components_that_no_kernel_makes_are_refused(void **state)
{
	assert_int_equal(JOIN("..\0bin\0"), -EBADMSG);
	assert_int_equal(JOIN("ls\0.\0"), -EBADMSG);
	assert_int_equal(JOIN("ls\0bi/n\0"), -EBADMSG);
	assert_int_equal(JOIN("/\0"), -EBADMSG);
	assert_int_equal(JOIN("ls\0\0bin\0"), -EBADMSG);
	assert_int_equal(JOIN("ls\0bin"), -EBADMSG);
}

static void dots_inside_names_are_names(void **state)
{
	assert_true(JOIN("...\0.a\0..b\0") > 0);
	assert_string_equal(out, "..b/.a/...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(components_come_root_first),
		cmocka_unit_test(empty_list_is_no_path),
		cmocka_unit_test(components_that_no_kernel_makes_are_refused),
		cmocka_unit_test(dots_inside_names_are_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
