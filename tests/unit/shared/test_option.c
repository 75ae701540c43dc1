/* SPDX-License-Identifier: Apache-2.0 */
/* test_option - an option is accepted under its exact name and with a number in range only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared/option.h"

static void value_belongs_to_its_exact_name(void **state)
{
	char whole[] = "--wire-fd=7", longer[] = "--wire-fds=7", bare[] = "--wire-fd",
	     empty[] = "--wire-fd=";

	assert_string_equal(tm_option_value(whole, "--wire-fd"), "7");
	assert_null(tm_option_value(whole, "--wire"));
	assert_null(tm_option_value(longer, "--wire-fd"));
	assert_null(tm_option_value(bare, "--wire-fd"));
	assert_string_equal(tm_option_value(empty, "--wire-fd"), "");
}

static void number_out_of_range_is_refused(void **state)
{
	unsigned number = 42;
	int fd = 42;

	assert_int_equal(tm_option_number("11", 1, 10, &number), -ERANGE);
	assert_int_equal(tm_option_number("-1", 0, 10, &number), -EINVAL);
	assert_int_equal(tm_option_fd("2", &fd), -ERANGE); /* the standard descriptors */
	assert_int_equal(tm_option_fd("4294967299", &fd), -ERANGE);
	assert_int_equal(tm_option_fd("", &fd), -EINVAL);
	assert_int_equal(number, 42);
	assert_int_equal(fd, 42);
	assert_int_equal(tm_option_fd("3", &fd), 0);
	assert_int_equal(fd, 3);
}

static void socket_is_the_only_option(void **state)
{
	char name[] = "tidemark-x", option[] = "--socket-fd=9", other[] = "--socket=9";
	char *good[] = {name, option, NULL}, *bad[] = {name, other, NULL};
	char *twice[] = {name, option, option, NULL};

	assert_int_equal(tm_option_socket(2, good), 9);
	assert_int_equal(tm_option_socket(2, bad), -EINVAL);
	assert_int_equal(tm_option_socket(1, good), -EINVAL);
	assert_int_equal(tm_option_socket(3, twice), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_belongs_to_its_exact_name),
		cmocka_unit_test(number_out_of_range_is_refused),
		cmocka_unit_test(socket_is_the_only_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
