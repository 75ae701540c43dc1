/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_check - which mapped file is the one that was sampled
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/magic.h>

#include "shared/bpf_state.h"
#include "tests/unit/bpf/programs.h"

static const struct tm_identity sampled = {.dev = 1,
					   .ino = 2,
					   .size = 3,
					   .mtime_sec = 4,
					   .mtime_nsec = 5,
					   .generation = 6,
					   .ctime_ns = 7};

static uint32_t compare(const struct tm_identity *found)
{
	return program_check_compare(&sampled, false, found, EXT4_SUPER_MAGIC);
}

static void file_is_the_sampled_one_if_its_whole_identity_is(void **state)
{
	struct tm_identity found = sampled;

	assert_int_equal(compare(&found), TM_CHECK_SAME);
#define EXPECT_OTHER(field)                                        \
	do {                                                       \
		found = sampled;                                   \
		found.field++;                                     \
		assert_int_equal(compare(&found), TM_CHECK_OTHER); \
		found.ctime_ns++;                                  \
		assert_int_equal(compare(&found), TM_CHECK_OTHER); \
	} while (0)
	EXPECT_OTHER(dev);
	EXPECT_OTHER(ino);
	EXPECT_OTHER(size);
	EXPECT_OTHER(mtime_sec);
	EXPECT_OTHER(mtime_nsec);
	EXPECT_OTHER(generation);
}

static void file_with_another_ctime_alone_has_changed(void **state)
{
	struct tm_identity found = sampled;

	found.ctime_ns++;
	assert_int_equal(compare(&found), TM_CHECK_CHANGED);
}

static void file_that_grows_has_any_size_and_times(void **state)
{
	const struct tm_identity wanted = {.dev = 1, .ino = 2, .generation = 6};
	struct tm_identity found = sampled;

	assert_int_equal(program_check_compare(&wanted, false, &found, 0), TM_CHECK_SAME);
	found.generation = 0;
	assert_int_equal(program_check_compare(&wanted, false, &found, 0), TM_CHECK_OTHER);
	found = sampled;
	found.ino = 3;
	assert_int_equal(program_check_compare(&wanted, false, &found, 0), TM_CHECK_OTHER);
	found = sampled;
	found.dev = 3;
	assert_int_equal(program_check_compare(&wanted, false, &found, 0), TM_CHECK_OTHER);
}

static void any_file_will_do_where_none_is_wanted(void **state)
{
	const struct tm_identity wanted = {0};

	assert_int_equal(program_check_compare(&wanted, true, &sampled, 0), TM_CHECK_SAME);
	assert_int_equal(program_check_compare(&wanted, true, &sampled, FUSE_SUPER_MAGIC),
			 TM_CHECK_SERVED);
}

static void sampled_file_of_a_served_file_system_is_named_so(void **state)
{
	struct tm_identity other = sampled;

	assert_int_equal(program_check_compare(&sampled, false, &sampled, FUSE_SUPER_MAGIC),
			 TM_CHECK_SERVED);
	other.ino++;
	assert_int_equal(program_check_compare(&sampled, false, &other, FUSE_SUPER_MAGIC),
			 TM_CHECK_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_the_sampled_one_if_its_whole_identity_is),
		cmocka_unit_test(file_with_another_ctime_alone_has_changed),
		cmocka_unit_test(file_that_grows_has_any_size_and_times),
		cmocka_unit_test(any_file_will_do_where_none_is_wanted),
		cmocka_unit_test(sampled_file_of_a_served_file_system_is_named_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
