/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_owner_time - whose samples are thinned, how far, and what those that are taken stand for
 */

#include <string.h>

#include <bpf/bpf_helpers.h>

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define PERIOD  1000000u
#define STEP    100u /* ns of each reading of the clock */
#define SAMPLES 64u  /* in a window */
#define UID     (1ull << 63 | 1000)

static struct kernfs_node nodes[3];
static struct cgroup cgroup;
static struct css_set set;

/* Owners: the cgroup with that id, and the uid. */
static void run_as(uint64_t id, uint32_t uid)
{
	for (unsigned i = 0; i < 3; i++)
		nodes[i] = (struct kernfs_node){
			.parent = i ? &nodes[i - 1] : NULL, .name = "name", .id = i};
	nodes[2].id = id;
	cgroup = (struct cgroup){.kn = &nodes[2], .level = 2};
	set.dfl_cgrp = &cgroup;
	sampled.cgroups = &set;
	sampled.uid = uid;
}

static int make(void **state)
{
	int r = sampled_make(state);

	program_owner_times_clear();
	owner_time_most = UINT64_MAX; /* measured, and not thinned */
	sampled.period = PERIOD;
	run_as(7, 0);
	(void)sampled_once(); /* announces */
	program_owner_times_clear();
	bpf_host_clock(STEP);
	return r;
}

static int end(void **state)
{
	owner_time_most = 0;
	return 0;
}

static void sample(unsigned count)
{
	while (count--)
		(void)sampled_once();
}

static void pass_windows(unsigned windows)
{
	bpf_host_clock(windows * TM_NS_PER_SECOND);
	(void)bpf_ktime_get_ns();
	bpf_host_clock(STEP);
}

/* Return: how many hits the next sample stands for. */
static uint64_t hits_of_next(void)
{
	uint64_t value = sampled_once()->value; /* random numbers are 0: it is taken */

	assert_int_equal(value % PERIOD, 0);
	return value ? value / PERIOD : 1;
}

static void without_a_limit_nothing_is_measured(void **state)
{
	owner_time_most = 0;
	sample(SAMPLES);
	pass_windows(1);
	assert_int_equal(hits_of_next(), 1);
	assert_int_equal(program_owner_spent(7), 0);
}

static void owner_beyond_the_limit_is_thinned_from_the_next_window_on(void **state)
{
	uint64_t spent;

	sample(SAMPLES);
	spent = program_owner_spent(7);
	assert_true(spent >= (uint64_t)SAMPLES * STEP);
	owner_time_most = spent / 8;
	assert_int_equal(hits_of_next(), 1);
	pass_windows(1);
	assert_int_equal(hits_of_next(), 16); /* with that one it was more than eight times */
	assert_true(program_owner_spent(7) < spent);
	run_as(8, 0);
	assert_int_equal(hits_of_next(), 1);
}

/* What the samples that are left take says what all would. */
static void thinned_owner_stays_so_as_long_as_he_would_take_as_much(void **state)
{
	sample(SAMPLES);
	owner_time_most = program_owner_spent(7) / 8;
	pass_windows(1);
	for (unsigned window = 0; window < 20; window++) {
		assert_int_equal(hits_of_next(), 8);
		sample(SAMPLES / 8 - 1);
		pass_windows(1);
	}
}

static void time_of_several_windows_is_what_one_took_in_the_mean(void **state)
{
	sample(SAMPLES);
	owner_time_most = program_owner_spent(7) / 8;
	pass_windows(8);
	assert_int_equal(hits_of_next(), 1);
}

/* Two CPUs may begin a window at once; the second would find that nothing was spent. */
static void limit_holds_for_one_more_window(void **state)
{
	sample(SAMPLES);
	owner_time_most = program_owner_spent(7) / 8;
	pass_windows(1);
	assert_int_equal(hits_of_next(), 8);
	owner_time_most = UINT64_MAX;
	pass_windows(1);
	assert_int_equal(hits_of_next(), 8);
	assert_int_equal(hits_of_next(), 8);
	pass_windows(1);
	assert_int_equal(hits_of_next(), 1);
}

static void sample_stands_for_64_hits_at_most(void **state)
{
	sample(SAMPLES);
	owner_time_most = 1;
	pass_windows(1);
	assert_int_equal(hits_of_next(), 64);
	program_owner_times_clear();
	owner_time_most = UINT64_MAX;
	run_as(7, 1000); /* both owners together */
	sample(SAMPLES);
	owner_time_most = 1;
	pass_windows(1);
	assert_int_equal(hits_of_next(), 64);
}

/* Half of what a cgroup may, so that others in it have the rest. */
static void uid_is_thinned_likewise_and_its_cgroup_left_alone(void **state)
{
	run_as(7, 1000);
	sample(1);
	owner_time_most = 2 * program_owner_spent(7);
	sample(SAMPLES - 1);
	assert_in_range(program_owner_spent(7), 1, owner_time_most / 2);
	assert_in_range(program_owner_spent(UID), (SAMPLES / 2) * owner_time_most / 2, UINT64_MAX);
	pass_windows(1);
	assert_int_equal(hits_of_next(), 64);
	run_as(8, 1000);
	assert_int_equal(hits_of_next(), 64);
	run_as(8, 1001); /* whose first place, without a salt, is that of cgroup 7 */
	assert_int_equal(hits_of_next(), 1);
	run_as(7, 1001);
	assert_int_equal(hits_of_next(), 1);
	run_as(7, 0);
	assert_int_equal(hits_of_next(), 1);
}

static void uids_that_are_too_many_together_have_their_cgroup_thinned(void **state)
{
	run_as(7, 1000);
	sample(1);
	owner_time_most = 4 * program_owner_spent(7);
	for (uint32_t uid = 1001; uid < 1009; uid++) {
		run_as(7, uid);
		sample(1);
	}
	pass_windows(1);
	assert_int_equal(hits_of_next(), 4);
	run_as(8, 1008);
	assert_int_equal(hits_of_next(), 1);
}

static void hits_stand_for_the_period_of_the_cpu(void **state)
{
	sample(SAMPLES);
	owner_time_most = program_owner_spent(7) / 4;
	bpf_maps_slot()->weight_ns = 8ull * PERIOD;
	pass_windows(1);
	assert_int_equal(hits_of_next(), 32);
	bpf_maps_slot()->next_ns = 9ull * PERIOD;
	assert_int_equal(hits_of_next(), 36);
}

static void those_not_taken_are_counted_and_the_others_stand_for_them(void **state)
{
	const unsigned hits = 4000;
	uint64_t taken, before, value = 0;

	sample(SAMPLES);
	owner_time_most = program_owner_spent(7) / 4;
	pass_windows(1);
	assert_int_equal(hits_of_next(), 4);
	bpf_host_random(1);
	before = bpf_maps_counts()->taken;
	for (unsigned i = 0; i < hits; i++) {
		taken = bpf_maps_counts()->taken;
		sample(1);
		if (bpf_maps_counts()->taken > taken)
			value += bpf_maps_sample()->value;
	}
	taken = bpf_maps_counts()->taken - before;
	assert_int_equal(taken + bpf_maps_counts()->bpf.thinned, hits);
	assert_int_equal(value, 4 * taken * PERIOD);
	assert_in_range(value / PERIOD, hits * 9 / 10, hits * 11 / 10);
	assert_int_equal(bpf_maps_slot()->level[TM_LEVEL_TIMER].ktime, 0);
}

static void time_of_the_hypervisor_is_nobodys(void **state)
{
	bpf_host_clock(50000000);
	sample(1);
	assert_int_equal(program_owner_spent(7), 4000000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_limit_nothing_is_measured),
		TEST(owner_beyond_the_limit_is_thinned_from_the_next_window_on),
		TEST(thinned_owner_stays_so_as_long_as_he_would_take_as_much),
		TEST(time_of_several_windows_is_what_one_took_in_the_mean),
		TEST(limit_holds_for_one_more_window),
		TEST(sample_stands_for_64_hits_at_most),
		TEST(uid_is_thinned_likewise_and_its_cgroup_left_alone),
		TEST(uids_that_are_too_many_together_have_their_cgroup_thinned),
		TEST(hits_stand_for_the_period_of_the_cpu),
		TEST(those_not_taken_are_counted_and_the_others_stand_for_them),
		TEST(time_of_the_hypervisor_is_nobodys),
	};

	return SAMPLED_RUN(tests);
}
