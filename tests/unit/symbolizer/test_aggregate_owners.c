/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_aggregate_owners - whose stacks lose detail when a profile becomes too large
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/aggregate_merge.h"
#include "symbolizer/profile/aggregate_owners.h"
#include "symbolizer/profile/owner.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define DEPTH_MAX 100u

static struct recording recording;
static struct budget own; /* of the aggregate alone */
static union make_record record;

static int begin(void **state)
{
	if (recording_make(&recording))
		return -1;
	aggregate_charge(&recording.aggregate, &own);
	own.limit = 2u << 20;
	return 0;
}

static int end(void **state)
{
	return recording_end(&recording) || own.used ? -1 : 0;
}

/* A process in the cgroup /slice/@service/below. */
static void announce(uint32_t tgid, const char *service, uint32_t euid)
{
	char cgroup[64];
	int bytes = snprintf(cgroup, sizeof(cgroup), "below%c%s%cslice%c", 0, service, 0, 0);

	make_process(&record, tgid, "comm", TM_FILE_NONE, "exe", sizeof("exe"), cgroup,
		     (uint16_t)bytes);
	record.process.euid = euid;
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
}

/* A sample with stack @number of those of @depth. */
static void add(uint32_t tgid, uint64_t number, uint32_t depth)
{
	uint64_t words[DEPTH_MAX];

	for (uint32_t i = 0; i < depth; i++)
		words[i] = FILE_WORD(1 + i % 40, (number + (uint64_t)depth * 100000) << 8 | i);
	make_sample(&record, 1, tgid, "comm", words, 0, (uint16_t)depth);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static uint64_t count_of(uint32_t tgid, bool merged)
{
	const struct aggregate *aggregate = &recording.aggregate;
	uint64_t count = 0;

	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		if (recording.processes.items[sample->process].tgid == tgid &&
		    (!merged || aggregate_is_merged(&aggregate->stacks[sample->stack])))
			count += sample->count;
	}
	return count;
}

static void check_victim(uint32_t tgid, uint64_t count)
{
	assert_int_equal(count_of(tgid, false), count);
	assert_int_equal(count_of(tgid, true), 0);
}

static void owners_are_cgroups_of_two_levels_and_root_apart(void **state)
{
	assert_int_equal(owner_bytes("/a/b/c"), 4);
	assert_int_equal(owner_bytes("/a/b"), 4);
	assert_int_equal(owner_bytes("/a"), 2);
	assert_int_equal(owner_bytes("/"), 1);
	assert_int_equal(owner_bytes(""), 0);
	assert_int_equal(owner_bytes(".../b/c"), 0); /* its begin is not known */
	announce(10, "a", 0);
	announce(11, "a", 1);
	announce(12, "a", 2);
	announce(13, "b", 0);
	const struct process *items = recording.processes.items;
	uint64_t keys[4];

	for (uint32_t i = 0; i < 4; i++)
		keys[i] = owner_key(items[i].owner, items[i].euid);
	assert_string_equal(recording_text(&recording, items[0].owner), "/slice/a");
	assert_true(keys[0] != keys[1] && keys[0] != keys[3] && keys[1] != keys[3]);
	assert_true(keys[1] == keys[2] && keys[0] && keys[1]);
	assert_int_equal(recording_forget(&recording), 0);
	assert_string_equal(recording_text(&recording, items[3].owner), "/slice/b");
}

static void who_has_little_keeps_his_rare_stacks(void **state)
{
	announce(10, "attacker", 0);
	announce(11, "victim", 0);
	for (uint32_t i = 0; i < 60000; i++) {
		add(10, i, 60);
		if (i % 60 == 0)
			add(11, i, 33);
	}
	check_victim(11, 1000);
	assert_int_equal(count_of(10, false), 60000);
	assert_true(count_of(10, true) > 30000);
}

/* Who else shares the memory may take what is given back at once. */
static void merging_needs_no_memory(void **state)
{
	announce(10, "attacker", 0);
	announce(11, "victim", 0);
	own.limit = 32u << 20;
	for (uint32_t i = 0; i < 20000; i++) {
		add(10, i, 60);
		if (i % 100 == 0)
			add(11, i, 33);
	}
	assert_int_equal(aggregate_merged_samples(&recording.aggregate), 0);
	own.limit = 0;
	for (int i = 0; i < 3; i++)
		assert_true(aggregate_merge(&recording.aggregate));
	check_victim(11, 200);
	assert_true(count_of(10, true) > 10000);
}

static void so_does_root_beside_a_user_in_his_cgroup(void **state)
{
	announce(10, "service", 1000);
	announce(11, "service", 0);
	announce(12, "service", 1001); /* one owner with the attacker */
	for (uint32_t i = 0; i < 60000; i++) {
		add(10, i, 60);
		if (i % 60 == 0) {
			add(11, i, 33);
			add(12, i, 34);
		}
	}
	check_victim(11, 1000);
	assert_true(count_of(12, true) > 100);
}

/* Of 10 and 11 each has as many samples, with stacks of 60 and of @depth frames. */
static void fill_beside_a_victim(uint32_t samples, uint32_t depth)
{
	announce(10, "one", 0);
	announce(11, "two", 0);
	announce(12, "victim", 0);
	for (uint32_t i = 0; i < samples; i++) {
		add(10, i, 60);
		add(11, i, depth);
		if (i % 60 == 0)
			add(12, i, 33);
	}
	check_victim(12, (samples + 59) / 60);
}

static void two_who_have_most_lose_alike(void **state)
{
	fill_beside_a_victim(40000, 61);
	const uint64_t one = count_of(10, true), two = count_of(11, true);

	assert_in_range(one, 10000, 40000);
	assert_in_range(two, one / 2, 2 * one);
}

static void a_stack_that_one_keeps_is_whole(void **state)
{
	announce(10, "attacker", 0);
	announce(11, "victim", 0);
	for (uint32_t i = 0; i < 60000; i++) {
		add(10, i, 60);
		if (i % 60 == 0) {
			add(11, i, 33);
			add(10, i, 33);
		}
	}
	check_victim(11, 1000);
	assert_int_equal(count_of(10, false), 61000);
	assert_true(count_of(10, true) > 30000 && count_of(10, true) <= 60000);
}

/* Each of his two owners has the stacks of the other. */
static void nobody_keeps_stacks_for_another(void **state)
{
	fill_beside_a_victim(30000, 60);
	assert_true(count_of(10, true) > 10000 && count_of(11, true) > 10000);
}

/* Samples of each process stay exact, so who has many processes has nothing to lose. */
static void all_lose_where_the_largest_cannot(void **state)
{
	own.limit = 1u << 20;
	announce(9, "victim", 0);
	for (uint32_t i = 0; i < 6000; i++) {
		announce(10 + i, "attacker", 0);
		add(10 + i, 1, 2);
		add(9, i, 40);
	}
	assert_int_equal(count_of(9, false), 6000);
	assert_true(count_of(9, true) > 0);
	for (uint32_t i = 0; i < 6000; i++)
		assert_int_equal(count_of(10 + i, false), 1);
}

static void owners_beyond_the_limit_are_one(void **state)
{
	char service[16];
	uint64_t merged = 0;

	own.limit = 4u << 20;
	for (uint32_t i = 0; i < 2 * AGGREGATE_OWNERS_MAX; i++) {
		(void)snprintf(service, sizeof(service), "service-%u", i);
		announce(10 + i, service, 0);
		for (uint32_t j = 0; j < 100; j++)
			add(10 + i, 100 * i + j, 50);
	}
	for (uint32_t i = 0; i < 2 * AGGREGATE_OWNERS_MAX; i++) {
		assert_int_equal(count_of(10 + i, false), 100);
		merged += count_of(10 + i, true);
	}
	assert_true(merged > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(owners_are_cgroups_of_two_levels_and_root_apart,
						begin, end),
		cmocka_unit_test_setup_teardown(who_has_little_keeps_his_rare_stacks, begin, end),
		cmocka_unit_test_setup_teardown(merging_needs_no_memory, begin, end),
		cmocka_unit_test_setup_teardown(so_does_root_beside_a_user_in_his_cgroup, begin,
						end),
		cmocka_unit_test_setup_teardown(two_who_have_most_lose_alike, begin, end),
		cmocka_unit_test_setup_teardown(a_stack_that_one_keeps_is_whole, begin, end),
		cmocka_unit_test_setup_teardown(nobody_keeps_stacks_for_another, begin, end),
		cmocka_unit_test_setup_teardown(all_lose_where_the_largest_cannot, begin, end),
		cmocka_unit_test_setup_teardown(owners_beyond_the_limit_are_one, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
