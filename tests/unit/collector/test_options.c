/* SPDX-License-Identifier: Apache-2.0 */
/* test_options - the options that the command passes are all understood, or refused */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#define ENOUGH    A("--control-fd=3"), A("--wire-fd=4"), A("--hz=99"), A("--perf-fd=0/0:5")

static void all_options_are_understood(void **state)
{
	assert_int_equal(
		parse(ARGV(ENOUGH, A("--opener-fd=6"), A("--perf-fd=7/0:8"), A("--ring-kib=128"),
			   A("--selecting"), A("--restart"), A("--may-lower"),
			   A("--debug-root=/usr/lib/debug"), A("--debug-root=//srv"),
			   A("--memory-bytes=1073741824"), A("--process-bytes=1048576"))),
		0);
	assert_int_equal(options.control_fd, 3);
	assert_int_equal(options.wire_fd, 4);
	assert_int_equal(options.opener_fd, 6);
	assert_int_equal(options.hz, 99);
	assert_int_equal(options.perf_count, 2);
	assert_int_equal(options.perf[1].cpu, 7);
	assert_int_equal(options.perf[1].fd, 8);
	assert_int_equal(options.ring_kib, 128);
	assert_true(options.selecting);
	assert_int_equal(options.debug_root_count, 2);
	assert_string_equal(options.debug_roots[0], "usr/lib/debug");
	assert_string_equal(options.debug_roots[1], "srv");
	assert_true(options.restart);
	assert_true(options.may_lower);
	assert_int_equal(options.memory_bytes, 1 << 30);
	assert_int_equal(options.process_bytes, 1 << 20);
}

static void cpu_has_a_node(void **state)
{
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7/3:8"))), 0);
	assert_int_equal(options.perf[1].cpu, 7);
	assert_int_equal(options.perf[1].node, 3);
	assert_int_equal(options.perf[1].fd, 8);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7/4294967295:8"))), 0);
	assert_int_equal(options.perf[1].node, OPTIONS_NODE_NONE);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7:8"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7/:8"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7/x:8"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7/4294967296:8"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=7:8/3"))), -EINVAL);
}

static void optional_options_have_defaults(void **state)
{
	assert_int_equal(parse(ARGV(ENOUGH)), 0);
	assert_int_equal(options.opener_fd, -1);
	assert_int_equal(options.ring_kib, 0);
	assert_false(options.selecting);
	assert_int_equal(options.debug_root_count, 0);
	assert_false(options.restart);
	assert_false(options.may_lower);
	assert_int_equal(options.memory_bytes, 0);
}

static void missing_option_is_refused(void **state)
{
	assert_int_equal(parse(ARGV(A("--wire-fd=4"), A("--hz=99"), A("--perf-fd=0/0:5"))),
			 -EINVAL);
	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--hz=99"), A("--perf-fd=0/0:5"))),
			 -EINVAL);
	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--wire-fd=4"), A("--perf-fd=0/0:5"))),
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
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=0/0:6"))), -EINVAL); /* CPU 0 twice */
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=1"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--debug-root=/"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--debug-root="))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--perf-fd=8192/0:9"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--ring-kib=99999999"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("--other"))), -EINVAL);
	assert_int_equal(parse(ARGV(ENOUGH, A("extra"))), -EINVAL);
}

static void digest_is_of_all_but_descriptors(void **state)
{
	uint64_t digest;

	assert_int_equal(parse(ARGV(ENOUGH, A("--keep"), A("--kept=m0:9"))), 0);
	assert_true(options.keep);
	assert_int_equal(options.kept.count, 1);
	digest = options.digest;
	assert_int_equal(parse(ARGV(A("--control-fd=5"), A("--wire-fd=4"), A("--hz=99"),
				    A("--perf-fd=1/0:5"), A("--keep"))),
			 0);
	assert_true(options.digest == digest);
	assert_int_equal(parse(ARGV(ENOUGH, A("--keep"), A("--may-lower"))), 0);
	assert_true(options.digest != digest);
	assert_int_equal(parse(ARGV(ENOUGH, A("--kept=m0"))), -EINVAL);
}

/* Return: an event of which these two counts will be read. */
static int event(uint64_t count, uint64_t later)
{
	const uint64_t counts[] = {count, later};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], counts, sizeof(counts)), sizeof(counts));
	(void)close(ends[1]);
	return ends[0];
}

static char *kept_option(char letter, unsigned index, int fd)
{
	static char texts[4][32];
	static unsigned at;
	char *text = texts[at++ % 4];

	(void)snprintf(text, sizeof(texts[0]), "--kept=%c%x:%d", letter, index, fd);
	return text;
}

static void expect(const struct options_perf *perf, unsigned cpu, int fd)
{
	assert_int_equal(perf->cpu, cpu);
	assert_int_equal(perf->fd, fd);
}

/* The new ones are numbers that are no descriptors: what closes them fails. */
static void kept_events_take_the_place_of_new_ones(void **state)
{
	static struct options_perf added[OPTIONS_CPUS_MAX];
	int counts = event(5, 6), offline = event(7, 7);

	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--wire-fd=4"), A("--hz=99"),
				    A("--perf-fd=0/0:1000"), A("--perf-fd=1/0:1001"),
				    kept_option('e', 1, counts), kept_option('e', 5, offline),
				    A("--kept=r5:1004"))),
			 0);
	assert_int_equal(options_adopt_events(&options, added), 1);
	expect(&added[0], 0, 1000);
	assert_int_equal(options.perf_count, 2);
	expect(&options.perf[0], 1, counts);
	expect(&options.perf[1], 5, offline);
	assert_int_equal(kept_take(&options.kept, KEPT_RING, 5), 1004);
	(void)close(counts);
	(void)close(offline);
}

static void kept_event_that_no_longer_counts_is_replaced(void **state)
{
	static struct options_perf added[OPTIONS_CPUS_MAX];
	int stopped = event(7, 7);

	assert_int_equal(parse(ARGV(A("--control-fd=3"), A("--wire-fd=4"), A("--hz=99"),
				    A("--perf-fd=1/0:1001"), kept_option('e', 1, stopped))),
			 0);
	assert_int_equal(options_adopt_events(&options, added), 1);
	expect(&added[0], 1, 1001);
	assert_int_equal(options.perf_count, 1);
	expect(&options.perf[0], 1, stopped); /* what it owes, and what its ring holds */
	(void)close(stopped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_options_are_understood),
		cmocka_unit_test(cpu_has_a_node),
		cmocka_unit_test(optional_options_have_defaults),
		cmocka_unit_test(missing_option_is_refused),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(digest_is_of_all_but_descriptors),
		cmocka_unit_test(kept_events_take_the_place_of_new_ones),
		cmocka_unit_test(kept_event_that_no_longer_counts_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
