/* SPDX-License-Identifier: Apache-2.0 */
/* test_options - the options that the command passes are all understood, or refused */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/options.h"

static struct options options;

static int parse(char **argv)
{
	const char *wrong = NULL;
	int argc = 0;

	while (argv[argc])
		argc++;
	return options_parse(&options, argc, argv, &wrong);
}

#define ARGV(...) ((char *[]){(char[]){"tidemark-collector"}, __VA_ARGS__, NULL})
#define A(text)   ((char[]){text})
#define ENOUGH    A("--control-fd=3"), A("--wire-fd=4"), A("--hz=99"), A("--perf-fd=0:5")

static void all_options_are_understood(void **state)
{
	assert_int_equal(
		parse(ARGV(ENOUGH, A("--opener-fd=6"), A("--perf-fd=7:8"), A("--ring-kib=128"),
			   A("--table-bytes=2097152"), A("--selecting"), A("--restart"),
			   A("--debug-root=/usr/lib/debug"), A("--debug-root=//srv"))),
		0);
	assert_int_equal(options.control_fd, 3);
	assert_int_equal(options.wire_fd, 4);
	assert_int_equal(options.opener_fd, 6);
	assert_int_equal(options.hz, 99);
	assert_int_equal(options.perf_count, 2);
	assert_int_equal(options.perf[1].cpu, 7);
	assert_int_equal(options.perf[1].fd, 8);
	assert_int_equal(options.ring_kib, 128);
	assert_int_equal(options.table_bytes, 2 << 20);
	assert_true(options.selecting);
	assert_int_equal(options.debug_root_count, 2);
	assert_string_equal(options.debug_roots[0], "usr/lib/debug");
	assert_string_equal(options.debug_roots[1], "srv");
	assert_true(options.restart);
}

static void optional_options_have_defaults(void **state)
{
	assert_int_equal(parse(ARGV(ENOUGH)), 0);
	assert_int_equal(options.opener_fd, -1);
	assert_int_equal(options.ring_kib, 0);
	assert_int_equal(options.table_bytes, OPTIONS_TABLES_BYTES);
	assert_false(options.selecting);
	assert_int_equal(options.debug_root_count, 0);
	assert_false(options.restart);
}

static void missing_option_is_refused(void **state)
{
	assert_int_equal(parse(ARGV(A("--wire-fd=4"), A("--hz=99"), A("--perf-fd=0:5"))), -EINVAL);
	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--hz=99"), A("--perf-fd=0:5"))),
			 -EINVAL);
	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--wire-fd=4"), A("--perf-fd=0:5"))),
			 -EINVAL);
	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--wire-fd=4"), A("--hz=99"))), -EINVAL);
}

static void wrong_arguments_are_refused(void **state)
{
	assert_int_equal(parse(ARGV(ENOUGH, A("--hz=0"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--hz=10001"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--hz=99x"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--hz= 99"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--hz"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--control-fd=2"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--control-fd=-3"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=0:6"))), -EINVAL); /* CPU 0 twice */
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=1"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--debug-root=/"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--debug-root="))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=4096:9"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--ring-kib=99999999"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--table-bytes=1048575"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--table-bytes=268435457"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--other"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("extra"))), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_options_are_understood),
		cmocka_unit_test(optional_options_have_defaults),
		cmocka_unit_test(missing_option_is_refused),
		cmocka_unit_test(wrong_arguments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
