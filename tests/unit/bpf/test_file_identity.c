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

/* A new symbolizer knows of no file; that of a mapping in the cache is announced to it, too. */
static void file_in_the_cache_is_announced_again_when_all_are(void **state)
{
	sampled_row(LEAF, RULE_END);
	(void)number_of_leaf();
	(void)number_of_leaf();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
	epoch_bumps++;
	(void)number_of_leaf();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 2);
}

/* A sample of the file was taken in a recording before; it is numbered ahead now. */
static uint32_t numbered_ahead(void)
{
	uint32_t number = TM_FILE_NONE;
	uint64_t arguments[] = {0, TM_FILE_DELETE, 0};
	int r;

	(void)number_of_leaf();
	check_identity = bpf_maps_file(0, &number)->identity;
	arguments[0] = number;
	assert_int_equal(change_file((void *)arguments), 1);
	__sync_fetch_and_add(&files_generation, 1); /* the mapping cache is empty */
	r = number_ahead(NULL);
	assert_true(r > 0);
	assert_int_equal(files_known, 1);
	assert_true(file_at(0)->owners[0] == 0);
	return (uint32_t)r - 1;
}

static void number_ahead_is_that_of_the_first_sample_and_charged_to_its_owner(void **state)
{
	uint32_t number;

	sampled_row(LEAF, RULE_END);
	sampled_change_times(5, 7, 8);
	number = numbered_ahead();
	assert_int_equal(number_ahead(NULL), 0); /* it has one */
	assert_int_equal(number_of_leaf(), FRAME_KIND(FILE) >> TM_FRAME_FILE_SHIFT | number);
	assert_true(file_at(0)->owners[0] != 0);
	assert_int_equal(file_at(0)->claims, 1);
	assert_int_equal(files_known, 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 2); /* the first one is announced again */
	sampled_change_times(5, 9, 1); /* from now on a chmod gives no new number */
	change(TM_FILE_FORGET);
	assert_int_equal(number_of_leaf(), FRAME_KIND(FILE) >> TM_FRAME_FILE_SHIFT | number);
	change(TM_FILE_DELETE);
	assert_int_equal(files_known, 0);
}

static void file_that_was_changed_has_not_the_number_ahead(void **state)
{
	uint32_t number;

	sampled_row(LEAF, RULE_END);
	sampled_change_times(5, 7, 8);
	number = numbered_ahead();
	sampled_change_times(5, 7, 9); /* ctime alone */
	assert_int_not_equal(number_of_leaf(), FRAME_KIND(FILE) >> TM_FRAME_FILE_SHIFT | number);
	assert_true(file_at(0)->owners[0] == 0 && file_at(0)->epoch == 0);
	assert_int_equal(file_at(1)->identity.ctime_ns, 7000000009);
}

static void quarter_of_the_numbers_is_the_most_ahead(void **state)
{
	check_identity = (struct tm_identity){.dev = 8 << 20, .ino = 1, .size = 2};
	files_known = 16384 / 4 - 1;
	assert_true(number_ahead(NULL) > 0);
	check_identity.ino = 2;
	assert_int_equal(number_ahead(NULL), 0);
	assert_int_equal(files_known, 16384 / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(number_bears_the_ctime_of_its_first_sample),
		SAMPLED_TEST(ctime_alone_gives_no_new_number),
		SAMPLED_TEST(number_ahead_is_that_of_the_first_sample_and_charged_to_its_owner),
		SAMPLED_TEST(file_that_was_changed_has_not_the_number_ahead),
		SAMPLED_TEST(quarter_of_the_numbers_is_the_most_ahead),
		SAMPLED_TEST(retired_number_is_replaced_by_one_with_the_new_ctime),
		SAMPLED_TEST(file_in_the_cache_is_announced_again_when_all_are),
	};

	return cmocka_run_group_tests_name("maple tree", tests, sampled_on_maple, NULL);
}
