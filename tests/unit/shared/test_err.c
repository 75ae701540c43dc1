/* SPDX-License-Identifier: Apache-2.0 */
/* test_err - an error is told once, where it is born, and travels unchanged */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared/err.h"

static struct {
	int calls, line, error;
	const char *file, *function;
} seen;

static void see(const char *file, int line, const char *function, int error)
{
	seen.calls++;
	seen.file = file;
	seen.line = line;
	seen.function = function;
	seen.error = error;
}

static int born_here(void)
{
	return tm_err_origin(-ENODEV);
}

static void hook_learns_place_and_error(void **state)
{
	memset(&seen, 0, sizeof(seen));
	tm_err_set_hook(see);
	assert_int_equal(born_here(), -ENODEV);
	tm_err_set_hook(NULL);
	assert_int_equal(seen.calls, 1);
	assert_int_equal(seen.error, -ENODEV);
	assert_true(seen.line > 0);
	assert_string_equal(seen.function, "born_here");
	assert_non_null(strstr(seen.file, "test_err.c"));
}

static void without_hook_it_is_silent(void **state)
{
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(born_here(), -ENODEV);
	assert_int_equal(seen.calls, 0);
}

static void unexpected_condition_becomes_an_error(void **state)
{
	int condition = 3;

	assert_int_equal(tm_err_fold(condition), -EPROTO);
	assert_int_equal(tm_err_fold(0), 0);
	assert_int_equal(tm_err_fold(-EIO), -EIO);
}

static int asked;

static int ask(void)
{
	asked++;
	return -EIO;
}

static void folding_asks_once(void **state)
{
	asked = 0;
	assert_int_equal(tm_err_fold(ask()), -EIO);
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hook_learns_place_and_error),
		cmocka_unit_test(without_hook_it_is_silent),
		cmocka_unit_test(unexpected_condition_becomes_an_error),
		cmocka_unit_test(folding_asks_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
