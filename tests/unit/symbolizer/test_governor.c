/* SPDX-License-Identifier: Apache-2.0 */
/* test_governor - where tidemark costs too much owners are limited, then the rate of all falls */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/profile/governor.h"

#define LIMIT_PPM 10000u /* 1 % */
#define CPUS      4u
#define SECOND    1000000000ull

struct host {
	struct governor governor;
	struct tm_counts counts;
	uint64_t own_ns;
	uint64_t parser_ns;
};

static struct host host_of(unsigned hz)
{
	struct host host = {.counts = {.measured_ns = SECOND, .cpus = CPUS}};

	governor_init(&host.governor, LIMIT_PPM, hz);
	assert_false(governor_decide(&host.governor, &host.counts, 0, 0)); /* since when? */
	return host;
}

/* One on which limits for owners have not helped: the next thing is the rate. */
static struct host limited_host_of(unsigned hz)
{
	struct host host = host_of(hz);

	host.governor.owner_level = GOVERNOR_OWNER_LEVELS;
	host.governor.owner_ns = SECOND;
	return host;
}

/* A second in which BPF programs, the collector and the symbolizer took these shares. */
static unsigned after(struct host *host, uint64_t bpf_ppm, uint64_t collector_ppm,
		      uint64_t symbolizer_ppm)
{
	const uint64_t ns_per_ppm = SECOND * CPUS / 1000000;

	host->counts.measured_ns += SECOND;
	host->counts.bpf_ns += bpf_ppm * ns_per_ppm;
	host->counts.cpu_ns += collector_ppm * ns_per_ppm;
	host->own_ns += symbolizer_ppm * ns_per_ppm;
	assert_true(governor_decide(&host->governor, &host->counts, host->own_ns, host->parser_ns));
	return host->governor.shift;
}

static void each_cost_counts_and_so_does_their_sum(void **state)
{
	static const struct {
		uint64_t bpf, collector, symbolizer;
		unsigned shift;
	} cases[] = {
		{0, 0, 0, 0},       {10000, 0, 0, 0}, /* just the limit */
		{10001, 0, 0, 1},   {0, 10001, 0, 1}, {0, 0, 10001, 1}, {4000, 4000, 4000, 1},
		{40000, 0, 0, 1},   {40001, 0, 0, 2}, /* more than four times the limit */
		{0, 0, 1000000, 2},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct host host = limited_host_of(99);

		assert_int_equal(
			after(&host, cases[i].bpf, cases[i].collector, cases[i].symbolizer),
			cases[i].shift);
	}
}

static void lower_limit_counts_from_the_next_decision_on(void **state)
{
	struct host host = limited_host_of(99);

	assert_int_equal(after(&host, 9000, 0, 0), 0);
	governor_set_limit(&host.governor, 1000);
	assert_int_equal(after(&host, 9000, 0, 0), 2);
	governor_set_limit(&host.governor, LIMIT_PPM);
	for (unsigned second = 1; second < GOVERNOR_CALM; second++)
		assert_int_equal(after(&host, 3000, 0, 0), 2);
	assert_int_equal(after(&host, 3000, 0, 0), 1);
}

/* A decision is sent each second, for one that is lost: so after the limit's end, too. */
static void rate_returns_when_there_is_no_limit_any_more(void **state)
{
	struct host host = limited_host_of(99);

	assert_int_equal(after(&host, 50000, 0, 0), 2);
	governor_set_limit(&host.governor, 0);
	assert_int_equal(host.governor.shift, 0);
	assert_int_equal(host.governor.owner_ns, 0);
	assert_int_equal(after(&host, 500000, 0, 0), 0);
	assert_int_equal(after(&host, 500000, 0, 0), 0);
}

static void recording_that_never_had_a_limit_gets_one(void **state)
{
	struct host host = {.counts = {.measured_ns = SECOND, .cpus = CPUS}};

	governor_init(&host.governor, 0, 99);
	host.counts.measured_ns += SECOND;
	assert_false(governor_decide(&host.governor, &host.counts, 0, 0));
	assert_false(host.governor.governs);
	governor_set_limit(&host.governor, LIMIT_PPM);
	assert_false(governor_decide(&host.governor, &host.counts, 0, 0)); /* since when? */
	(void)after(&host, 50000, 0, 0);
	assert_int_not_equal(host.governor.owner_ns, 0);
}

static void rate_never_falls_below_a_hit_a_second(void **state)
{
	static const struct {
		unsigned hz, shift_max;
	} cases[] = {{1, 0}, {2, 1}, {99, 6}, {1000, 9}, {1023, 9}, {1024, 10}, {10000, 10}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct host host = host_of(cases[i].hz);

		for (unsigned second = 0; second < 20; second++)
			(void)after(&host, 900000, 0, 0);
		assert_int_equal(host.governor.shift, cases[i].shift_max);
		assert_true(cases[i].hz >> cases[i].shift_max >= 1);
	}
}

static void rate_rises_again_after_calm_seconds_in_a_row_one_step_at_a_time(void **state)
{
	struct host host = limited_host_of(99);

	assert_int_equal(after(&host, 50000, 0, 0), 2);
	for (unsigned second = 1; second < GOVERNOR_CALM; second++)
		assert_int_equal(after(&host, 3000, 0, 0), 2);
	assert_int_equal(after(&host, 5000, 0, 0), 2); /* begins anew */
	for (unsigned second = 1; second < GOVERNOR_CALM; second++)
		assert_int_equal(after(&host, 3000, 0, 0), 2);
	assert_int_equal(after(&host, 3000, 0, 0), 1);
	for (unsigned second = 1; second < GOVERNOR_CALM; second++)
		assert_int_equal(after(&host, 3000, 0, 0), 1);
	assert_int_equal(after(&host, 3000, 0, 0), 0);
	assert_int_equal(after(&host, 0, 0, 0), 0);
}

static void rate_is_not_lowered_for_the_parser_where_sampling_costs_little(void **state)
{
	const uint64_t second_of_a_cpu = SECOND;
	struct host host = limited_host_of(99);

	for (unsigned second = 0; second < 5; second++) {
		host.parser_ns += second_of_a_cpu;
		assert_int_equal(after(&host, LIMIT_PPM / 8 - 1, 0, 0), 0);
	}
	host.parser_ns += second_of_a_cpu;
	assert_int_equal(after(&host, LIMIT_PPM / 4, 0, 0), 2);
	host.parser_ns += second_of_a_cpu;
	assert_int_equal(after(&host, LIMIT_PPM / 16, 0, 0), 2); /* nor is it calm */
	assert_int_equal(host.governor.calm, 0);
}

/* One owner may first cost as much as all may, then a quarter of it; the rate of all is last. */
static void owners_are_limited_before_the_rate_falls(void **state)
{
	const uint64_t share_ns = TM_NS_PER_SECOND * CPUS / 100;
	struct host host = host_of(99);

	assert_int_equal(after(&host, LIMIT_PPM, 0, 0), 0);
	assert_int_equal(host.governor.owner_ns, 0);
	for (unsigned second = 0; second < 3; second++) { /* until it shows */
		assert_int_equal(after(&host, 2 * LIMIT_PPM, 0, 0), 0);
		assert_in_range(host.governor.owner_ns, share_ns - 1, share_ns);
	}
	for (unsigned second = 0; second < 2; second++) {
		assert_int_equal(after(&host, 2 * LIMIT_PPM, 0, 0), 0);
		assert_in_range(host.governor.owner_ns, share_ns / 4 - 1, share_ns / 4);
	}
	assert_int_equal(after(&host, 2 * LIMIT_PPM, 0, 0), 1);
	assert_in_range(host.governor.owner_ns, share_ns / 4 - 1, share_ns / 4);
}

/* Of what the BPF programs take, as much may remain as of the whole. */
static void share_is_what_samples_may_take_in_the_kernel(void **state)
{
	struct host host = host_of(99);

	(void)after(&host, LIMIT_PPM, LIMIT_PPM, 0);
	assert_in_range(host.governor.owner_ns, TM_NS_PER_SECOND * CPUS / 200 - 1,
			TM_NS_PER_SECOND * CPUS / 200);
}

/* Their samples would cost what they did; only the collector knows how many are not taken. */
static void owners_are_free_again_once_all_their_samples_would_be_cheap(void **state)
{
	struct host host = limited_host_of(99);

	host.governor.shift = 1;
	for (unsigned second = 0; second < GOVERNOR_CALM; second++)
		(void)after(&host, 3000, 0, 0);
	assert_int_equal(host.governor.shift, 0); /* first the rate of all */
	for (unsigned second = 0; second < 4 * GOVERNOR_CALM; second++) {
		host.counts.taken += 100;
		host.counts.bpf.thinned += 100;
		(void)after(&host, 3000, 0, 0);
	}
	assert_int_equal(host.governor.owner_ns, SECOND);
	for (unsigned second = 0; second < GOVERNOR_CALM; second++) {
		host.counts.taken += 100;
		(void)after(&host, 3000, 0, 0);
	}
	assert_int_equal(host.governor.owner_ns, 4 * SECOND);
	for (unsigned second = 0; second < GOVERNOR_CALM; second++)
		(void)after(&host, 3000, 0, 0);
	assert_int_equal(host.governor.owner_ns, 0);
}

/* The cost of a host whose samples alone cost something: @ppm at the full rate. */
static unsigned settle(struct host *host, uint64_t ppm, unsigned seconds)
{
	unsigned changes = 0;

	for (unsigned second = 0; second < seconds; second++) {
		unsigned before = host->governor.shift;

		changes += after(host, ppm >> before, 0, 0) != before;
	}
	return changes;
}

static void steady_cost_gives_a_steady_rate_below_the_limit(void **state)
{
	for (uint64_t ppm = 1000; ppm < 500000; ppm += 3000) {
		struct host host = host_of(10000);

		(void)settle(&host, ppm, 20);
		assert_int_equal(settle(&host, ppm, 100), 0);
		assert_true(ppm >> host.governor.shift <= LIMIT_PPM);
		/* and no lower than it must be */
		assert_true(!host.governor.shift || ppm >> host.governor.shift > LIMIT_PPM / 4);
	}
}

static void without_a_limit_or_a_new_measurement_nothing_is_decided(void **state)
{
	struct host host = host_of(99);

	host.counts.cpu_ns += 100 * SECOND;
	assert_false(governor_decide(&host.governor, &host.counts, 0, 0)); /* measured when? */
	host.counts.measured_ns += GOVERNOR_NS - 1;
	assert_false(governor_decide(&host.governor, &host.counts, 0, 0));
	governor_init(&host.governor, 0, 99);
	host.counts.measured_ns += SECOND;
	assert_false(governor_decide(&host.governor, &host.counts, 0, 0));
	assert_int_equal(host.governor.shift, 0);
}

static void counts_that_are_lies_leave_it_within_its_limits(void **state)
{
	static const struct tm_counts lies[] = {
		{.measured_ns = UINT64_MAX, .bpf_ns = UINT64_MAX, .cpu_ns = UINT64_MAX, .cpus = 1},
		{.measured_ns = 0, .cpus = UINT64_MAX},
		{.measured_ns = 5 * SECOND, .cpus = 0},
		{.measured_ns = 7 * SECOND, .cpus = UINT64_MAX},
		{.measured_ns = 9 * SECOND, .bpf_ns = UINT64_MAX, .cpus = CPUS},
		{.measured_ns = 11 * SECOND, .bpf_ns = 1, .cpus = CPUS},
	};

	for (unsigned from = 0; from < sizeof(lies) / sizeof(*lies); from++) {
		struct host host = host_of(99);

		for (unsigned i = from; i < sizeof(lies) / sizeof(*lies); i++)
			(void)governor_decide(&host.governor, &lies[i], UINT64_MAX, UINT64_MAX);
		assert_in_range(host.governor.shift, 0, host.governor.shift_max);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lower_limit_counts_from_the_next_decision_on),
		cmocka_unit_test(rate_returns_when_there_is_no_limit_any_more),
		cmocka_unit_test(recording_that_never_had_a_limit_gets_one),
		cmocka_unit_test(each_cost_counts_and_so_does_their_sum),
		cmocka_unit_test(rate_never_falls_below_a_hit_a_second),
		cmocka_unit_test(rate_rises_again_after_calm_seconds_in_a_row_one_step_at_a_time),
		cmocka_unit_test(rate_is_not_lowered_for_the_parser_where_sampling_costs_little),
		cmocka_unit_test(owners_are_limited_before_the_rate_falls),
		cmocka_unit_test(share_is_what_samples_may_take_in_the_kernel),
		cmocka_unit_test(owners_are_free_again_once_all_their_samples_would_be_cheap),
		cmocka_unit_test(steady_cost_gives_a_steady_rate_below_the_limit),
		cmocka_unit_test(without_a_limit_or_a_new_measurement_nothing_is_decided),
		cmocka_unit_test(counts_that_are_lies_leave_it_within_its_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
