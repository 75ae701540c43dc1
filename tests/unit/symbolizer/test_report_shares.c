/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_shares - whose samples have a share of the spool of their own
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/output/report_bytes.h"
#include "symbolizer/output/report_shares.h"

#define HOUR_NS (3600ull * 1000000000)

enum {
	PROCESSES = 16,
	STACK = 4096, /* frames of a large stack: about 150 KiB */
	PLACES = PROCESSES * STACK,
};

static const char *strings[PROCESSES + 3];
static struct report_process processes[PROCESSES];
static struct report_sample samples[PROCESSES];
static struct report_stack stacks[PROCESSES];
static struct report_frame frames[PLACES];
static struct report_call calls[PLACES];
static uint32_t stack_frames[PLACES];
static struct report report;
static struct report_shares shares;
static uint8_t *given;

/* Each process has a stack and frames of its own. */
static int begin(void **state)
{
	memset(&shares, 0, sizeof(shares));
	memset(processes, 0, sizeof(processes));
	strings[0] = "";
	for (uint32_t i = 0; i < PLACES; i++) {
		frames[i] = (struct report_frame){
			.first_call = i, .call_count = 1, .file = REPORT_NO_FILE};
		calls[i] = (struct report_call){0};
		stack_frames[i] = i;
	}
	for (uint32_t i = 0; i < PROCESSES; i++) {
		strings[1 + i] = "";
		samples[i] = (struct report_sample){.process = i, .stack = i, .count = 1};
		stacks[i] = (struct report_stack){i * STACK, 1};
	}
	report = (struct report){
		.strings = strings,
		.processes = processes,
		.samples = samples,
		.stacks = stacks,
		.frames = frames,
		.calls = calls,
		.stack_frames = stack_frames,
		.string_count = PROCESSES + 1,
		.process_count = PROCESSES,
		.sample_count = PROCESSES,
		.stack_count = PROCESSES,
		.frame_count = PLACES,
		.call_count = PLACES,
		.stack_frame_count = PLACES,
		.duration_ns = REPORT_SHARES_TIME_NS,
	};
	return 0;
}

static int end(void **state)
{
	free(given);
	given = NULL;
	return 0;
}

/* A name has one string alone. */
static uint32_t string_of(const char *name)
{
	uint32_t i = 1;

	while (strings[i][0] && strcmp(strings[i], name) != 0)
		i++;
	strings[i] = name;
	return i;
}

static void process(uint32_t number, const char *owner, uint32_t euid, uint32_t depth)
{
	processes[number].owner = owner[0] ? string_of(owner) : 0;
	processes[number].euid = euid;
	stacks[number].count = depth;
}

/* Return: the share of each process, in digits. */
static const char *give(uint64_t now_ns)
{
	static char digits[PROCESSES + 1];

	free(given);
	given = NULL;
	assert_int_equal(report_shares_give(&shares, &report, now_ns, &given), 0);
	for (uint32_t i = 0; i < PROCESSES; i++)
		digits[i] = (char)('0' + (given ? given[i] : 0));
	return digits;
}

static char share_of(uint32_t number, uint64_t now_ns)
{
	return give(now_ns)[number];
}

static void a_report_that_is_small_is_not_divided(void **state)
{
	process(3, "/a", 0, 1000);
	assert_string_equal(give(1), "0000000000000000");
	assert_null(given);
}

static void who_brings_most_has_a_share_of_his_own(void **state)
{
	process(3, "/a/b", 0, STACK);
	process(4, "/a/b", 0, STACK);
	process(5, "/a/bc", 0, 10);
	process(6, "/a", 0, 10);
	process(7, "/a/b", 0, 10);
	const char *digits = give(1);

	assert_in_range(digits[3], '1', '0' + REPORT_SHARES_OWN);
	for (uint32_t i = 0; i < PROCESSES; i++)
		assert_int_equal(digits[i], i == 3 || i == 4 || i == 7 ? digits[3] : '0');
}

static void owners_keep_their_shares(void **state)
{
	static const char *const names[] = {"/a/b", "/system.slice/c.service", "/d"};
	char first[3];

	for (uint32_t i = 0; i < 3; i++)
		process(i, names[i], 0, STACK - i * 100);
	memcpy(first, give(1), 3);
	assert_true(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
	for (uint32_t i = 0; i < 3; i++)
		process(i, names[2 - i], 0, STACK - i * 100);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(share_of(i, 2), first[2 - i]);
	memset(&shares, 0, sizeof(shares)); /* a start */
	process(0, "", 0, 1);
	process(1, "", 0, 1);
	process(2, names[0], 0, STACK);
	assert_int_equal(share_of(2, 3), first[0]);
}

static void later_ones_have_one_share_until_another_is_free(void **state)
{
	static const char *const names[] = {"/a", "/b", "/c", "/d", "/e", "/f"};

	assert_int_equal(sizeof(names) / sizeof(names[0]), REPORT_SHARES_OWN);
	for (uint32_t i = 0; i < REPORT_SHARES_OWN; i++)
		process(i, names[i], 0, STACK);
	for (uint32_t i = 0; i < REPORT_SHARES_OWN; i++)
		assert_in_range(share_of(i, 1), '1', '0' + REPORT_SHARES_OWN);
	for (uint32_t i = 1; i < REPORT_SHARES_OWN; i++)
		process(i, "", 0, 1);
	process(0, "/later", 0, STACK);
	process(1, "/latest", 0, STACK);
	assert_int_equal(share_of(0, 1 + 24 * HOUR_NS), '0' + REPORT_SHARES_LATER);
	assert_int_equal(share_of(1, 1 + 24 * HOUR_NS), '0' + REPORT_SHARES_LATER);
	assert_in_range(share_of(0, 2 + 24 * HOUR_NS), '1', '0' + REPORT_SHARES_OWN);
	process(2, "/a", 0, STACK); /* it lost its own to one of them, or has it */
	assert_true(share_of(2, 3 + 24 * HOUR_NS) != share_of(0, 3 + 24 * HOUR_NS));
}

static void only_the_largest_have_their_own(void **state)
{
	char names[PROCESSES][8];
	unsigned own = 0;

	for (uint32_t i = 0; i < PROCESSES; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "/%u", i);
		process(i, names[i], 0, 2000 + 100 * i);
	}
	const char *digits = give(1);

	for (uint32_t i = 0; i < PROCESSES; i++) {
		assert_int_equal(digits[i] != '0', i >= PROCESSES - REPORT_SHARES_OWN);
		for (uint32_t j = 0; j < i; j++)
			own += digits[i] != '0' && digits[i] == digits[j];
	}
	assert_int_equal(own, 0); /* each another one */
}

static void who_brings_little_has_none(void **state)
{
	for (uint32_t i = 0; i < PROCESSES; i++)
		process(i, i % 2 ? "/a" : "/b", 0, 10);
	process(0, "/c", 0, 400); /* a little less than the 4th part of the limit */
	for (uint32_t i = 1; i < PROCESSES; i++)
		process(i, "/d", 0, STACK);
	assert_int_equal(share_of(0, 1), '0');
	assert_true(share_of(1, 1) != '0');
}

static void one_user_of_a_cgroup_is_an_owner(void **state)
{
	process(0, "/a", 1000, STACK);
	process(1, "/a", 0, 100);
	process(2, "/a/b", 1000, 100); /* another cgroup of two levels */
	process(3, "/a", 1000, 100);
	const char *digits = give(1);

	assert_true(digits[0] != '0' && digits[3] == digits[0]);
	assert_int_equal(digits[1], '0');
	assert_int_equal(digits[2], '0');
	process(3, "/a", 1001, STACK / 2); /* he brings much, too */
	process(4, "/a", 1002, 1);
	digits = give(2);
	assert_true(digits[0] != '0' && digits[3] == digits[0] && digits[4] == digits[0]);
	assert_int_equal(digits[1], '0');
}

static void root_and_the_others_of_a_cgroup_are_two_owners(void **state)
{
	process(0, "/a", 1000, STACK);
	process(1, "/a", 0, STACK);
	process(2, "/a", 1, 1);
	process(3, "/a", 0, 1);
	const char *digits = give(1);

	assert_true(digits[0] != '0' && digits[1] != '0' && digits[0] != digits[1]);
	assert_int_equal(digits[3], digits[1]);
	assert_int_equal(digits[2], '0'); /* what he brings is nearly nothing */
}

/* Such as the users of a user namespace. */
static void many_users_of_a_cgroup_are_one_owner(void **state)
{
	for (uint32_t i = 0; i < 8; i++)
		process(i, "/a", 100000 + i, STACK / 2);
	const char *digits = give(1);

	for (uint32_t i = 0; i < PROCESSES; i++)
		assert_int_equal(digits[i], i < 8 ? digits[0] : '0');
	assert_true(digits[0] != '0');
}

static void a_report_of_a_longer_time_may_be_larger(void **state)
{
	process(0, "/a", 0, STACK);
	report.duration_ns = 12 * REPORT_SHARES_TIME_NS;
	assert_int_equal(share_of(0, 1), '0');
	report.duration_ns = 0;
	assert_true(share_of(0, 2) != '0');
}

static void a_name_of_any_length_is_an_owners(void **state)
{
	static char name[2 * REPORT_SHARES_NAME];

	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	process(0, name, 0, STACK);
	assert_true(share_of(0, 1) != '0');
	assert_int_equal(share_of(0, 2), '0' + given[0]);
	assert_int_equal(strlen(shares.owners[given[0] - 1].cgroup), REPORT_SHARES_NAME - 1);
}

static void what_is_shared_counts_once(void **state)
{
	uint64_t bytes[PROCESSES];

	process(0, "/a", 0, STACK);
	stacks[1] = stacks[0];           /* the same frames, */
	samples[2].stack = 0;            /* and the same stack */
	strings[PROCESSES + 1] = "name"; /* which no other has */
	strings[PROCESSES + 2] = "a longer name";
	report.string_count = PROCESSES + 3;
	samples[3].comm = PROCESSES + 1;
	samples[4].comm = PROCESSES + 1;
	samples[5].comm = PROCESSES + 2;
	assert_int_equal(report_bytes_of_processes(&report, bytes), 0);
	assert_in_range(bytes[0], STACK * 20ull, STACK * 60ull);
	assert_in_range(bytes[1], STACK * 2ull, STACK * 4ull);
	assert_in_range(bytes[2], 1, 1000);
	assert_true(bytes[3] > bytes[4] && bytes[5] > bytes[3] + 8);
	assert_true(bytes[6] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_report_that_is_small_is_not_divided, begin, end),
		cmocka_unit_test_setup_teardown(who_brings_most_has_a_share_of_his_own, begin, end),
		cmocka_unit_test_setup_teardown(owners_keep_their_shares, begin, end),
		cmocka_unit_test_setup_teardown(later_ones_have_one_share_until_another_is_free,
						begin, end),
		cmocka_unit_test_setup_teardown(only_the_largest_have_their_own, begin, end),
		cmocka_unit_test_setup_teardown(who_brings_little_has_none, begin, end),
		cmocka_unit_test_setup_teardown(one_user_of_a_cgroup_is_an_owner, begin, end),
		cmocka_unit_test_setup_teardown(root_and_the_others_of_a_cgroup_are_two_owners,
						begin, end),
		cmocka_unit_test_setup_teardown(many_users_of_a_cgroup_are_one_owner, begin, end),
		cmocka_unit_test_setup_teardown(a_report_of_a_longer_time_may_be_larger, begin,
						end),
		cmocka_unit_test_setup_teardown(a_name_of_any_length_is_an_owners, begin, end),
		cmocka_unit_test_setup_teardown(what_is_shared_counts_once, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
