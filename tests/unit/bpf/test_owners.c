/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_owners - who is charged for a new file, and how many one owner may bring
 */

#include <bpf/bpf_helpers.h>

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define FILES_MAX 16384 /* bpf/maps.h */
#define BURST     8192  /* of a cgroup */
#define INTERVAL  7812500ull

#define LEVELS    100
static struct kernfs_node nodes[LEVELS]; /* from the root down */
static struct cgroup cgroups[LEVELS];
static struct kernfs_iattrs of_user = {.ia_uid.val = 1000}, of_root;
static struct css_set set;

/* The process is in the cgroup at @level; the directories above it are of root. */
static void in_cgroup(unsigned level)
{
	for (unsigned i = 0; i < LEVELS; i++) {
		nodes[i] = (struct kernfs_node){
			.parent = i ? &nodes[i - 1] : NULL, .name = "name", .id = 100 + i};
		cgroups[i] = (struct cgroup){.kn = &nodes[i], .level = (int)i};
	}
	set.dfl_cgrp = &cgroups[level];
	sampled.cgroups = &set;
}

/* The next sample meets another file. */
static void other_file(void)
{
	static int64_t second = 100;

	sampled_change_times(second++, 7, 8);
	__sync_fetch_and_add(&files_generation, 1);
}

/* Samples in a new file. Return: whether it got a number. */
static bool bring(void)
{
	const struct tm_sample *sample;
	uint64_t frame;

	other_file();
	bpf_host_clock(1); /* owners are found once for each sample, by its ktime */
	sample = sampled_once();
	bpf_host_clock(0);
	assert_int_equal(sample->user_frames, 1);
	frame = sample->frames[sample->kernel_frames];
	if (frame >> TM_FRAME_KIND_SHIFT == TM_FRAME_FILE)
		return true;
	assert_true(frame == (FRAME_KIND(UNRESOLVED) | TM_UNRESOLVED_FILES_LIMITED));
	return false;
}

/* Deletes the file at that place of the map. */
static void delete (uint32_t index)
{
	uint64_t arguments[] = {0, TM_FILE_DELETE, 0};
	uint32_t number = TM_FILE_NONE;

	assert_non_null(bpf_maps_file(index, &number));
	arguments[0] = number;
	assert_int_equal(change_file((void *)arguments), 1);
	assert_null(bpf_maps_file(index, &number));
}

/* Return: the cgroup that is charged for a new file. */
static uint64_t charged(void)
{
	uint64_t cgroup;
	uint32_t number;

	assert_true(bring());
	cgroup = bpf_maps_file(0, &number)->owners[0];
	delete (0);
	return cgroup;
}

static uint64_t charged_uid(void)
{
	uint64_t uid;
	uint32_t number;

	assert_true(bring());
	uid = bpf_maps_file(0, &number)->owners[1];
	delete (0);
	return uid & ~(1ull << 63);
}

static void owner_is_the_cgroup_at_level_two(void **state)
{
	in_cgroup(0);
	assert_int_equal(charged(), 100);
	in_cgroup(1);
	assert_int_equal(charged(), 101);
	in_cgroup(2);
	assert_int_equal(charged(), 102);
	in_cgroup(3);
	assert_int_equal(charged(), 102);
	in_cgroup(40);
	assert_int_equal(charged(), 102);
}

/* A user makes any number of cgroups below a directory that he owns. */
static void cgroups_below_a_users_directory_are_one_owner(void **state)
{
	in_cgroup(9);
	nodes[1].iattr = &of_user;
	assert_int_equal(charged(), 101);
	nodes[1].iattr = &of_root;
	nodes[2].iattr = &of_user;
	assert_int_equal(charged(), 102);
}

static void pod_is_the_owner_under_kubepods(void **state)
{
	static const struct {
		const char *first, *second;
		uint64_t owner;
	} cases[] = {
		{"kubepods", "burstable", 103},
		{"kubepods", "pod12345678-1234", 102},
		{"kubepods.slice", "kubepods-burstable.slice", 103},
		{"kubepods.slice", "kubepods-pod1234.slice", 102},
		{"system.slice", "burstable", 102},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		in_cgroup(5);
		nodes[1].name = cases[i].first;
		nodes[2].name = cases[i].second;
		assert_int_equal(charged(), cases[i].owner);
	}
	in_cgroup(5);
	nodes[1].name = "kubepods";
	nodes[2].name = "besteffort";
	nodes[2].iattr = &of_user;
	assert_int_equal(charged(), 102);
}

static void too_deep_cgroups_and_none_have_a_common_owner(void **state)
{
	const uint64_t common = 1ull << 62;

	assert_int_equal(charged(), common);
	in_cgroup(LEVELS - 1);
	assert_int_equal(charged(), common);
}

static void uid_is_that_of_who_made_the_outermost_namespace(void **state)
{
	struct user_namespace initial = {0};
	struct user_namespace outer = {&initial, 1, {1000}}, inner = {&outer, 2, {100005}};

	in_cgroup(2);
	sampled.user = &initial;
	assert_int_equal(charged_uid(), 0);
	sampled.uid = 33;
	assert_int_equal(charged_uid(), 33);
	sampled.uid = 100007;
	sampled.user = &outer;
	assert_int_equal(charged_uid(), 1000);
	sampled.user = &inner;
	assert_int_equal(charged_uid(), 1000);
}

static void cgroup_may_have_as_many_numbers_as_are_free(void **state)
{
	in_cgroup(2);
	files_known = FILES_MAX - 5;
	assert_true(bring() && bring() && bring()); /* it has 3, and 2 are free */
	assert_false(bring());
	assert_int_equal(bpf_maps_counts()->bpf.files_limited, 1);
	assert_int_equal(bpf_maps_counts()->bpf.files_full, 0);
	set.dfl_cgrp = &cgroups[1]; /* another owner */
	assert_true(bring());
	assert_false(bring()); /* of two that are free, it has one already */
	delete (0);
	assert_true(bring());
}

static void uid_may_have_half_as_many(void **state)
{
	in_cgroup(2);
	sampled.uid = 1000;
	files_known = FILES_MAX - 9;
	assert_true(bring() && bring() && bring()); /* 6 are free */
	assert_false(bring());
	sampled.uid = 1001;
	assert_true(bring() && bring()); /* 4 are free */
	assert_false(bring());
	sampled.uid = 0;
	files_known -= 4;
	assert_true(bring());
}

static void owner_brings_a_burst_and_then_by_time(void **state)
{
	unsigned brought = 0;

	in_cgroup(2);
	assert_true(bring()); /* it stays, so the owner is not forgotten */
	while (brought < BURST - 1 && bring()) {
		brought++;
		delete (1);
	}
	assert_int_equal(brought, BURST - 1);
	assert_false(bring());
	bpf_host_clock(INTERVAL);
	(void)bpf_ktime_get_ns();
	assert_true(bring());
	assert_false(bring());
}

/* So at once it may bring them all again. */
static void owner_without_numbers_is_forgotten(void **state)
{
	in_cgroup(2);
	for (unsigned i = 0; i < BURST + 100; i++) {
		assert_true(bring());
		delete (0);
	}
	assert_int_equal(files_known, 0);
}

/* What one owner has brought, others use without being charged. */
static void file_that_has_a_number_is_nobodys_new_file(void **state)
{
	in_cgroup(2);
	files_known = FILES_MAX - 2;
	assert_true(bring());
	__sync_fetch_and_add(&files_generation, 1);
	set.dfl_cgrp = &cgroups[1];
	sampled_expect_leaf(TM_STOP_NO_TABLE);
	assert_int_equal(bpf_maps_counts()->bpf.files_limited, 0);
	assert_false(bring() && bring());
}

/* So the collector can let them take turns. */
static void announced_file_says_whose_it_is(void **state)
{
	uint16_t first;

	in_cgroup(2);
	assert_true(bring());
	first = bpf_maps_announced_file()->owner;
	assert_true(bring());
	assert_int_equal(bpf_maps_announced_file()->owner, first);
	set.dfl_cgrp = &cgroups[1];
	assert_true(bring());
	assert_int_not_equal(bpf_maps_announced_file()->owner, first);
	in_cgroup(2);
	sampled.uid = 1000;
	assert_true(bring());
	assert_int_not_equal(bpf_maps_announced_file()->owner, first);
}

/* Nobody can know where the file of another one is. */
static void places_depend_on_a_salt_that_is_chosen_once(void **state)
{
	static struct task_struct self;
	uint32_t number, salted;
	uint64_t salt;

	(void)sampled_once();
	assert_non_null(bpf_maps_file(0, &number));
	delete (0);
	__sync_fetch_and_add(&files_generation, 1);
	bpf_host_run(&self, 1, 1);
	bpf_host_random(1);
	assert_int_equal(find_self(NULL), 0);
	assert_int_not_equal(files_salt, 0);
	salt = files_salt;
	(void)sampled_once();
	assert_non_null(bpf_maps_file(0, &salted));
	assert_int_not_equal(salted, number);
	bpf_host_run(&self, 1, 1);
	assert_int_equal(find_self(NULL), 0); /* of the next collector */
	assert_int_equal(files_salt, salt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(owner_is_the_cgroup_at_level_two),
		SAMPLED_TEST(cgroups_below_a_users_directory_are_one_owner),
		SAMPLED_TEST(pod_is_the_owner_under_kubepods),
		SAMPLED_TEST(too_deep_cgroups_and_none_have_a_common_owner),
		SAMPLED_TEST(uid_is_that_of_who_made_the_outermost_namespace),
		SAMPLED_TEST(cgroup_may_have_as_many_numbers_as_are_free),
		SAMPLED_TEST(uid_may_have_half_as_many),
		SAMPLED_TEST(owner_brings_a_burst_and_then_by_time),
		SAMPLED_TEST(owner_without_numbers_is_forgotten),
		SAMPLED_TEST(file_that_has_a_number_is_nobodys_new_file),
		SAMPLED_TEST(announced_file_says_whose_it_is),
		SAMPLED_TEST(places_depend_on_a_salt_that_is_chosen_once),
	};

	return cmocka_run_group_tests_name("maple tree", tests, sampled_on_maple, NULL);
}
