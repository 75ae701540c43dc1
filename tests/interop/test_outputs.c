/* SPDX-License-Identifier: Apache-2.0 */
/* test_outputs - every writer without memory and on a full disk; merging; the completeness line */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/reasons.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/completeness.h"
#include "symbolizer/output/html_tree.h"
#include "symbolizer/output/output_file.h"
#include "tests/interop/report_builder.h"

#define WRITERS        5
#define STABLE_WRITERS 4 /* the last one gives each profile a random id */

static int (*const writers[WRITERS])(struct output_file *out, const struct report *report) = {
	folded_write, pprof_write, speedscope_write, html_write, otlp_write,
};
static struct report_builder builder;
static struct output_file out;
static unsigned long allocations, failing; /* failing: the one that fails, from 1; 0: none */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
	return ++allocations == failing ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return ++allocations == failing ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
	return ++allocations == failing ? NULL : __real_realloc(old, bytes);
}

static int start(void **state)
{
	report_builder_init(&builder);
	return 0;
}

static int end(void **state)
{
	report_builder_deinit(&builder);
	return 0;
}

static void any_allocation_may_fail(void **state)
{
	_cleanup_(tm_closep) int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct report *report;

	assert_int_equal(report_case(&builder, "truncated"), 0);
	assert_int_equal(report_case(&builder, "inlined"), 0);
	report = report_builder_report(&builder);
	for (unsigned i = 0; i < WRITERS; i++) {
		unsigned long failed = 0;
		int r;

		do {
			output_file_init(&out, fd);
			allocations = 0;
			failing = ++failed;
			r = writers[i](&out, report);
			failing = 0;
			assert_true(r == 0 || r == -ENOMEM);
		} while (r != 0);
		assert_true(failed > 2); /* several failed before one run succeeded */
	}
}

static void a_full_disk_is_reported_by_every_writer(void **state)
{
	_cleanup_(tm_closep) int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_int_equal(report_case(&builder, "truncated"), 0);
	for (unsigned i = 0; i < WRITERS; i++) {
		output_file_init(&out, fd);
		assert_int_equal(writers[i](&out, report_builder_report(&builder)), -ENOSPC);
	}
}

static void the_same_report_is_written_the_same(void **state)
{
	static char bytes[2][1 << 20];

	assert_int_equal(report_case(&builder, "hostile"), 0);
	assert_int_equal(report_case(&builder, "inlined"), 0);
	for (unsigned i = 0; i < STABLE_WRITERS; i++) {
		ssize_t length[2];

		for (unsigned turn = 0; turn < 2; turn++) {
			_cleanup_(tm_closep) int fd = memfd_create("output", MFD_CLOEXEC);

			output_file_init(&out, fd);
			assert_int_equal(writers[i](&out, report_builder_report(&builder)), 0);
			length[turn] = pread(fd, bytes[turn], sizeof(bytes[turn]), 0);
		}
		assert_true(length[0] > 0);
		assert_int_equal(length[0], length[1]);
		assert_memory_equal(bytes[0], bytes[1], (size_t)length[0]);
	}
}

static void addresses_of_one_function_are_one_node_of_the_tree(void **state)
{
	struct html_tree tree;

	assert_int_equal(report_case(&builder, "tiny"), 0);
	assert_int_equal(html_tree_init(&tree, report_builder_report(&builder)), 0);
	assert_int_equal(tree.functions.count, 5);
	assert_int_equal(tree.node_count, 5); /* _start, main, three leaves */
	assert_int_equal(tree.thread_count, 2);
	assert_int_equal(tree.sample_count, 6);
	assert_int_equal(tree.up[0] + tree.up[1] + tree.up[2], 0);
	assert_int_equal(tree.up[3], 1);
	assert_int_equal(tree.up[4], 1);
	html_tree_deinit(&tree);
}

static int by_value(uint32_t a, uint32_t b, const void *context)
{
	const uint32_t *values = context;

	return sort_by_number(values[a], values[b]);
}

static void sorting_keeps_equals_in_their_order(void **state)
{
	uint32_t values[1000] = {0};

	for (uint32_t count = 0; count < 1000; count = count * 2 + 1) {
		_cleanup_(tm_freep) uint32_t *order = NULL;

		for (uint32_t i = 0; i < count; i++)
			values[i] = i * 7919 % 13;
		order = sort_new(count, by_value, values);
		for (uint32_t i = 1; i < count; i++) {
			assert_true(values[order[i - 1]] <= values[order[i]]);
			if (values[order[i - 1]] == values[order[i]])
				assert_true(order[i - 1] < order[i]);
		}
	}
}

static void the_completeness_line_fits_its_buffer_at_its_longest(void **state)
{
	static char text[COMPLETENESS_BYTES];
	static struct report report;

	memset(&report, 0xff, sizeof(report));
	completeness_format(&report, text);
	assert_true(strlen(text) < sizeof(text) - 1);
	assert_non_null(strstr(text, "symbolizer_died 18446744073709551615"));
	assert_non_null(strstr(text, "kernel_depth 18446744073709551615)"));
	assert_non_null(strstr(text, "no_permission 18446744073709551615"));
	for (unsigned reason = 0; reason < TM_UNNAMED_N; reason++)
		assert_non_null(strstr(text, tm_reasons_unnamed(reason)));
	assert_non_null(strstr(text, "; merged stacks 18446744073709551615 (memory); "));
	assert_non_null(strstr(text, "late records 18446744073709551615"));
	assert_null(strstr(text, "none")); /* a stack that is whole has no reason */
}

static void unnamed_frames_are_counted_by_reason_and_merged_stacks_follow(void **state)
{
	static char text[COMPLETENESS_BYTES];
	struct report report = {.taken = 5,
				.exported = 5,
				.frames_shown = 9,
				.unnamed_frames = 4,
				.merged = 2,
				.unnamed = {[TM_UNNAMED_EVICTED] = 3, [TM_UNNAMED_PENDING] = 1}};

	completeness_format(&report, text);
	assert_string_equal(text, "taken 5 = exported 5 + dropped 0; not run 0; truncated 0; "
				  "unnamed frames 4 of 9 (pending 1, evicted 3); "
				  "merged stacks 2 (memory); late records 0");
}

static void the_completeness_line_of_a_whole_report_is_short(void **state)
{
	static char text[COMPLETENESS_BYTES];
	struct report report = {.taken = 5, .exported = 5, .frames_shown = 9};

	completeness_format(&report, text);
	assert_string_equal(text, "taken 5 = exported 5 + dropped 0; not run 0; truncated 0; "
				  "unnamed frames 0 of 9; late records 0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(any_allocation_may_fail),
		TEST(a_full_disk_is_reported_by_every_writer),
		TEST(the_same_report_is_written_the_same),
		TEST(addresses_of_one_function_are_one_node_of_the_tree),
		TEST(sorting_keeps_equals_in_their_order),
		TEST(the_completeness_line_fits_its_buffer_at_its_longest),
		TEST(unnamed_frames_are_counted_by_reason_and_merged_stacks_follow),
		TEST(the_completeness_line_of_a_whole_report_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
