/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_file_identity - which changes of a file give it another number, and what its record says
 */

#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define SEEN_FLAG 0x80000000u /* in i_ctime_nsec, from 6.13 on */

static const struct tm_file_state *file_at(uint32_t index)
{
	uint32_t number;

	return bpf_maps_file(index, &number);
}

/* The mapping cache is empty afterwards. */
static void change(enum tm_file_change what)
{
	uint64_t arguments[] = {0, what, 0};
	uint32_t number = TM_FILE_NONE;

	assert_non_null(bpf_maps_file(0, &number));
	arguments[0] = number;
	assert_int_equal(change_file((void *)arguments), 1);
}

static uint64_t number_of_leaf(void)
{
	const struct tm_sample *sample = sampled_take();

	assert_int_equal(sample->user_frames, 1);
	return sample->frames[sample->kernel_frames] >> TM_FRAME_FILE_SHIFT;
}

static void number_bears_the_ctime_of_its_first_sample(void **state)
{
	sampled_row(LEAF, RULE_END);
	sampled_change_times(5, 7, 8 | SEEN_FLAG);
	(void)number_of_leaf();
	assert_int_equal(file_at(0)->identity.mtime_sec, 5);
	assert_int_equal(file_at(0)->identity.ctime_ns, 7000000008);
}

/* chmod, link, rename, unlink: the contents are as they were. */
static void ctime_alone_gives_no_new_number(void **state)
{
	uint64_t number;

	sampled_row(LEAF, RULE_END);
	sampled_change_times(5, 7, 8);
	number = number_of_leaf();
	sampled_change_times(5, 9, 1);
	change(TM_FILE_FORGET);
	assert_int_equal(number_of_leaf(), number);
	assert_null(file_at(1));
	assert_int_equal(file_at(0)->identity.ctime_ns, 7000000008);
	sampled_change_times(6, 9, 1);
	change(TM_FILE_FORGET);
	assert_int_not_equal(number_of_leaf(), number);
}

/* The collector could not open it, since it had changed. */
static void retired_number_is_replaced_by_one_with_the_new_ctime(void **state)
{
	uint64_t number;

	sampled_row(LEAF, RULE_END);
	sampled_change_times(5, 7, 8);
	number = number_of_leaf();
	sampled_change_times(5, 9, 1);
	change(TM_FILE_RETIRE);
	assert_int_not_equal(number_of_leaf(), number);
	assert_int_equal(file_at(1)->identity.ctime_ns, 9000000001);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(number_bears_the_ctime_of_its_first_sample),
		SAMPLED_TEST(ctime_alone_gives_no_new_number),
		SAMPLED_TEST(retired_number_is_replaced_by_one_with_the_new_ctime),
	};

	return cmocka_run_group_tests_name("maple tree", tests, sampled_on_maple, NULL);
}
