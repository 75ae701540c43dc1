/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_method_shares - an owner who makes functions without end leaves numbers, time and room to
 * the others of his CPU
 */

#include <bpf/bpf_helpers.h>

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/python_process.h"

#define BURST      8192u /* numbers of a cgroup; of a uid half as many */
#define CGROUP_NS  1953125ull
#define COUNTER_NS (4 * 3814ull) /* of a CPU's numbers, none is used up in 24 days */
#define ROOM       (1u << 18)    /* bytes: a quarter of the ring */
#define SAMPLES    1000u
#define LINES_LONG 4000u /* bytes of a line table */

static struct kernfs_node node;
static struct cgroup cgroup;
static struct css_set set;

static void in_cgroup(uint64_t id)
{
	node = (struct kernfs_node){.name = "name", .id = id};
	cgroup = (struct cgroup){.kn = &node};
	set.dfl_cgrp = &cgroup;
	sampled.cgroups = &set;
}

/* Samples a function that was not there before. */
static void other_function(void)
{
	static uint64_t hash = 1;

	sampled_store(PYTHON_TEXT(0) + 0x18, hash++);
	(void)sampled_once();
}

/* Return: whether it got a METHOD record. */
static bool announces(void)
{
	unsigned before = bpf_maps_records(TM_EVENT_METHOD);

	other_function();
	return bpf_maps_records(TM_EVENT_METHOD) > before;
}

/* Return: whether it may have a number. */
static bool has_number(void)
{
	uint64_t before = bpf_maps_counts()->bpf.methods_limited;

	other_function();
	return bpf_maps_counts()->bpf.methods_limited == before;
}

static int one_function(void **state)
{
	if (python_process_make(state))
		return -1;
	in_cgroup(1);
	python_process_frame(0, 0, PYTHON_CODE(0), 7, PYTHON_ENTRY + 1);
	python_process_runs(PYTHON_FRAME(0));
	files_salt = 1; /* gives the owners here places of their own */
	sampled_take(); /* installs the unwind table */
	in_cgroup(7);
	bpf_host_clock(1); /* owners are found once for each sample, by its ktime */
	return 0;
}

static unsigned numbers_until_limited(void)
{
	unsigned count = 0;

	while (has_number())
		assert_true(++count <= 2 * BURST);
	return count;
}

static void cgroup_has_its_numbers_and_then_its_rate(void **state)
{
	assert_int_equal(numbers_until_limited(), BURST);
	in_cgroup(8);
	assert_true(has_number());
	in_cgroup(7);
	assert_false(has_number());
	bpf_host_clock(CGROUP_NS);
	assert_true(has_number());
}

static void numbers_follow_the_rate_of_samples(void **state)
{
	assert_int_equal(program_method_interval(1, 2), CGROUP_NS);
	assert_int_equal(program_method_interval(99, 2), CGROUP_NS);
	assert_int_equal(program_method_interval(198, 2), CGROUP_NS / 2);
	assert_int_equal(program_method_interval(10000, 2), 2 * COUNTER_NS);
	assert_int_equal(program_method_interval(997, 127), 127 * COUNTER_NS);
	assert_int_equal(program_method_interval(997, 1024), CGROUP_NS);
}

static void user_has_half_of_what_his_cgroup_has(void **state)
{
	sampled.uid = 1000;
	assert_int_equal(numbers_until_limited(), BURST / 2);
	sampled.uid = 1001;
	assert_true(has_number());
	sampled.uid = 0;
	assert_int_equal(numbers_until_limited(), BURST / 2 - 1);
}

/* So long that time ends what a sample announces. */
static void owner_leaves_time_to_others(void **state)
{
	unsigned count = 0;

	bpf_host_clock(90000);
	while (announces())
		assert_true(++count < SAMPLES);
	assert_in_range(count, 20, 10000000 / 90000 + 1); /* 10 ms of the 20 of a second */
	in_cgroup(8);
	assert_true(announces());
}

static unsigned taken_away;

static void takes_the_cpu_away(uint64_t address, uint32_t bytes)
{
	if (address != PYTHON_TEXT(0) + 0x2020) /* the line table's */
		return;
	taken_away++;
	bpf_host_pass(50000000);
}

/* More than all announcements of a second may take. */
static void time_of_the_hypervisor_is_nobodys(void **state)
{
	bpf_host_before_read(takes_the_cpu_away);
	assert_true(announces());
	bpf_host_before_read(NULL);
	assert_int_equal(taken_away, 1);
	for (unsigned i = 0; i < 20; i++)
		assert_true(announces());
}

static void owner_leaves_room_to_others(void **state)
{
	unsigned count = 0;

	sampled_store(PYTHON_TEXT(0) + 0x2010, LINES_LONG);
	while (announces())
		assert_true(++count < SAMPLES);
	assert_in_range(count, ROOM / 2 / (LINES_LONG + 1000), ROOM / 2 / LINES_LONG);
	in_cgroup(8);
	assert_true(announces());
	sampled.uid = 1000;
	assert_true(announces());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define SHARE_TEST(name) cmocka_unit_test_setup(name, one_function)
		SHARE_TEST(cgroup_has_its_numbers_and_then_its_rate),
		cmocka_unit_test(numbers_follow_the_rate_of_samples),
		SHARE_TEST(user_has_half_of_what_his_cgroup_has),
		SHARE_TEST(owner_leaves_time_to_others),
		SHARE_TEST(time_of_the_hypervisor_is_nobodys),
		SHARE_TEST(owner_leaves_room_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
