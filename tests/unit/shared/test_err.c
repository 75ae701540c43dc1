/* SPDX-License-Identifier: Apache-2.0 */
/* test_err - an unexpected condition becomes an error; an error travels unchanged */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shared/err.h"

static void unexpected_condition_becomes_an_error(void **state)
{
	assert_int_equal(tm_err_fold(3), -EPROTO);
}

static void success_and_errors_pass_unchanged(void **state)
{
	assert_int_equal(tm_err_fold(0), 0);
	assert_int_equal(tm_err_fold(-EIO), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unexpected_condition_becomes_an_error),
		cmocka_unit_test(success_and_errors_pass_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
