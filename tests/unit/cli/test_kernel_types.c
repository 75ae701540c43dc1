/* SPDX-License-Identifier: Apache-2.0 */
/* test_kernel_types - finds a tracepoint in BTF, and refuses what is not BTF */

#include <errno.h>
#include <linux/btf.h>

#include "tests/unit/cli/test_folder.h"

#include "cli/kernel_types.h"

static const char names[] = "\0int\0btf_trace_sched_switch\0btf_trace_sched_exit_tp_other";

/* Writes a file of types, of which only the names matter, and returns its path. */
static const char *write_types(struct btf_header header)
{
	const char *path = test_folder_path("btf");
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	header.hdr_len = sizeof(header);
	header.str_off = 8;
	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	assert_int_equal(fwrite("types...", 8, 1, file), 1);
	assert_int_equal(fwrite(names, sizeof(names), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	return path;
}

static int find(struct btf_header header, const char *tracepoint)
{
	const char *path = write_types(header);
	int r = kernel_types_find_tracepoint(path, tracepoint);

	assert_int_equal(unlink(path), 0);
	return r;
}

static void tracepoint_is_found_by_its_whole_name(void **state)
{
	const struct btf_header header = {.magic = BTF_MAGIC, .str_len = sizeof(names)};

	assert_int_equal(find(header, "sched_switch"), 0);
	assert_int_equal(find(header, "sched_exit_tp_other"), 0);
	assert_int_equal(find(header, "sched_exit_tp"), KERNEL_TYPES_E_NONE);
	assert_int_equal(find(header, "switch"), KERNEL_TYPES_E_NONE);
}

static void file_that_is_no_btf_is_refused(void **state)
{
	assert_int_equal(find((struct btf_header){.magic = 1, .str_len = 4}, "x"), -EPROTO);
	assert_int_equal(kernel_types_find_tracepoint(test_folder_path("none"), "x"), -ENOENT);
}

static void names_that_the_file_does_not_hold_are_refused(void **state)
{
	struct btf_header header = {.magic = BTF_MAGIC, .str_len = sizeof(names) + 1};

	assert_int_equal(find(header, "sched_switch"), -EPROTO);
	header.str_len = UINT32_MAX;
	assert_int_equal(find(header, "sched_switch"), -EPROTO);
	header.str_len = 0;
	assert_int_equal(find(header, "sched_switch"), KERNEL_TYPES_E_NONE);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_make, test_folder_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(tracepoint_is_found_by_its_whole_name),
		IN_FOLDER(file_that_is_no_btf_is_refused),
		IN_FOLDER(names_that_the_file_does_not_hold_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
