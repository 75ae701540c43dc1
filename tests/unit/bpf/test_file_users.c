/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_file_users - which owners the FILE record of a file names as its users
 */

#include <bpf/bpf_helpers.h>

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define WINDOW (1ull << 34) /* ns; bpf/file_users.bpf.h */

static int make(void **state)
{
	int r = sampled_make(state);

	bpf_host_pass(WINDOW - bpf_ktime_get_ns()); /* to the start of a window */
	return r;
}

/* Another process samples in the file, of that owner. */
static void sample_as(uint32_t uid)
{
	sampled.uid = uid;
	sampled.execs++;
	(void)sampled_once();
}

static unsigned records(void)
{
	return bpf_maps_records(TM_EVENT_FILE);
}

/* The last record's. */
static unsigned users(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < TM_FILE_USERS; i++)
		count += bpf_maps_announced_file()->users[i] != 0;
	return count;
}

static bool is_user(uint16_t user)
{
	for (unsigned i = 0; i < TM_FILE_USERS; i++)
		if (bpf_maps_announced_file()->users[i] == user)
			return true;
	return false;
}

static void file_is_announced_once_more_for_each_new_user(void **state)
{
	uint16_t first;

	sample_as(1000);
	assert_int_equal(users(), 1);
	first = bpf_maps_announced_file()->owner;
	assert_true(is_user(first)); /* who brought it */
	sample_as(1001);
	assert_int_equal(records(), 2);
	assert_int_equal(users(), 2);
	assert_true(is_user(first));
	assert_int_equal(bpf_maps_announced_file()->owner, first);
	for (unsigned i = 0; i < 10; i++)
		sample_as(1000 + i % 2);
	assert_int_equal(records(), 2);
}

static void processes_of_one_owner_are_one_user(void **state)
{
	for (unsigned i = 0; i < 10; i++)
		sample_as(1000);
	assert_int_equal(records(), 1);
	assert_int_equal(users(), 1);
}

static void who_uses_the_file_no_more_is_forgotten(void **state)
{
	uint16_t first;

	sample_as(1000);
	first = bpf_maps_announced_file()->owner;
	for (unsigned window = 0; window < 2; window++) {
		sample_as(1001);
		assert_int_equal(users(), 2);
		bpf_host_pass(WINDOW);
	}
	sample_as(1001);
	assert_int_equal(users(), 1);
	assert_false(is_user(first));
	assert_int_equal(bpf_maps_announced_file()->owner, first);
}

static void owners_of_a_process_are_found_once_in_a_window(void **state)
{
	unsigned reads;

	sample_as(1000);
	reads = bpf_host_kernel_reads();
	sampled.uid = 1001; /* the process itself has changed it */
	(void)sampled_once();
	(void)sampled_once();
	assert_int_equal(users(), 1);
	reads = bpf_host_kernel_reads();
	(void)sampled_once();
	assert_true(bpf_host_kernel_reads() - reads < 200);
	bpf_host_pass(WINDOW);
	(void)sampled_once();
	assert_int_equal(users(), 2);
}

/* 17 s behind the boot; of a process that is not known yet, all is 0. */
static void users_are_noted_in_the_first_window(void **state)
{
	assert_true(bpf_ktime_get_ns() < WINDOW);
	sample_as(1000);
	assert_int_equal(users(), 1);
}

static void all_further_users_have_one_place(void **state)
{
	unsigned last;

	for (unsigned i = 0; i < 20; i++)
		sample_as(1000 + i);
	assert_int_equal(users(), TM_FILE_USERS);
	assert_int_equal(records(), TM_FILE_USERS);
	for (unsigned window = 0; window < 3; window++) {
		for (unsigned i = 0; i < 40; i++)
			sample_as(1000 + (i * 7) % 20);
		last = records();
		bpf_host_pass(WINDOW);
		sample_as(1000);
		assert_int_equal(records(), last + 1); /* of the new epoch */
		assert_int_equal(users(), TM_FILE_USERS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(file_is_announced_once_more_for_each_new_user, make),
		cmocka_unit_test_setup(processes_of_one_owner_are_one_user, make),
		cmocka_unit_test_setup(who_uses_the_file_no_more_is_forgotten, make),
		cmocka_unit_test_setup(owners_of_a_process_are_found_once_in_a_window, make),
		cmocka_unit_test_setup(users_are_noted_in_the_first_window, sampled_make),
		cmocka_unit_test_setup(all_further_users_have_one_place, make),
	};

	return SAMPLED_RUN(tests);
}
