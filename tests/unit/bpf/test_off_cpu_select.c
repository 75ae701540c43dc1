/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_off_cpu_select - what is chosen of times without a CPU stands for all of them, without bias
 *
 * Each pattern of times is run with 200 seeds. The mean of the estimates must be the sum of the
 * times but for four standard errors, and no estimate may be off by more than two strata for each
 * thread: that is what the strata are for.
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/bpf/bpf_host.h"
#include "tests/unit/bpf/programs.h"

#define RUNS         200u
#define SECOND_NS    1000000000ull
#define SHORT_NS     10000u /* of 10 us */
#define SHIFT_MIN    10u
#define SHIFT_MAX    36u

#define SHIFT_SKEWED 18u /* 262 us: each of the two kinds is chosen often enough */

/* Return: time @i of @count, in ns. */
typedef uint64_t (*pattern_fn)(unsigned i, unsigned count);

static uint64_t constant(unsigned i, unsigned count)
{
	return SHORT_NS;
}

/* A long one in the middle of short ones. */
static uint64_t bimodal(unsigned i, unsigned count)
{
	return i == count / 2 ? 10 * SECOND_NS : SHORT_NS;
}

/* 1 us at first, then longer and longer ones. */
static uint64_t ascending(unsigned i, unsigned count)
{
	return 1000u + (uint64_t)i * 20u;
}

/* In step with a stratum of 2^20 ns: a half, a third, and what is left. */
static uint64_t in_step(unsigned i, unsigned count)
{
	static const uint64_t parts[] = {524288, 349525, 174763};

	return parts[i % 3];
}

/* Many of almost nothing, and a few of a millisecond. */
static uint64_t skewed(unsigned i, unsigned count)
{
	return i % 100 ? 50 : 1000000;
}

struct estimates {
	double sum, squares; /* of the differences from the truth */
	double worst;
};

static void add_estimate(struct estimates *estimates, double difference)
{
	estimates->sum += difference;
	estimates->squares += difference * difference;
	if (fabs(difference) > estimates->worst)
		estimates->worst = fabs(difference);
}

/* @rounding: what the mean may lack, since a part of a stratum has 32 bits. */
static void expect_no_bias(const char *what, const struct estimates *estimates, double rounding)
{
	double mean = estimates->sum / RUNS;
	double variance = (estimates->squares - RUNS * mean * mean) / (RUNS - 1);
	double error = sqrt(fmax(variance, 0) / RUNS);

	if (fabs(mean) > 4 * error + rounding)
		fail_msg("%s: the mean of %u estimates is off by %.0f ns, its standard error is "
			 "%.0f ns",
			 what, RUNS, mean, error);
}

/* One thread with @count times. Return: its estimate less the truth, ns. */
static double difference_of(pattern_fn pattern, unsigned count, unsigned shift, uint64_t seed)
{
	struct program_off_cpu thread;
	uint64_t truth = 0, estimate = 0;

	bpf_host_random(seed);
	program_off_cpu_begin(shift, &thread);
	for (unsigned i = 0; i < count; i++) {
		uint64_t ns = pattern(i, count), value = program_off_cpu_select(&thread, ns);

		if (value && value < ns)
			fail_msg("%" PRIu64 " ns stand for %" PRIu64, ns, value);
		truth += ns;
		estimate += value;
	}
	return (double)estimate - (double)truth;
}

/* Of 2^@shift ns, in units of 2^-32 stratum, @count times may each lose one. */
static double rounding_of(unsigned shift, unsigned count)
{
	return shift > 32 ? count * (double)(1ull << (shift - 32)) : 0;
}

/* Strata that are so long that no run may have chosen anything say nothing about a bias. */
static bool is_rare(pattern_fn pattern, unsigned count, unsigned shift)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += pattern(i, count);
	return sum < 1ull << shift >> 2;
}

static void expect_pattern(const char *what, pattern_fn pattern, unsigned count)
{
	for (unsigned shift = SHIFT_MIN; shift <= SHIFT_MAX && !is_rare(pattern, count, shift);
	     shift += 2) {
		struct estimates estimates = {};

		for (uint64_t seed = 1; seed <= RUNS; seed++)
			add_estimate(&estimates, difference_of(pattern, count, shift, seed));
		expect_no_bias(what, &estimates, rounding_of(shift, count));
		if (estimates.worst > 2 * (double)(1ull << shift) + rounding_of(shift, count))
			fail_msg("%s: an estimate is off by %.0f ns, with strata of %llu ns", what,
				 estimates.worst, 1ull << shift);
	}
}

static void equal_times_have_no_bias(void **state)
{
	expect_pattern("constant", constant, 5000);
}

static void a_long_time_among_short_ones_has_no_bias(void **state)
{
	expect_pattern("bimodal", bimodal, 5000);
}

static void ascending_times_have_no_bias(void **state)
{
	expect_pattern("ascending", ascending, 5000);
}

static void times_in_step_with_the_strata_have_no_bias(void **state)
{
	expect_pattern("in step", in_step, 3000);
}

static void skewed_times_have_no_bias(void **state)
{
	expect_pattern("skewed", skewed, 5000);
}

/* The estimate of a part must be right, too: here of the long ones alone. */
static void each_kind_of_time_has_no_bias(void **state)
{
	for (unsigned shift = SHIFT_MIN; shift <= SHIFT_SKEWED; shift += 2) {
		struct estimates longer = {}, shorter = {};

		for (uint64_t seed = 1; seed <= RUNS; seed++) {
			double sums[2] = {0, 0};
			struct program_off_cpu thread;

			bpf_host_random(seed);
			program_off_cpu_begin(shift, &thread);
			for (unsigned i = 0; i < 5000; i++) {
				uint64_t ns = skewed(i, 5000);

				sums[ns > 50] +=
					(double)program_off_cpu_select(&thread, ns) - (double)ns;
			}
			add_estimate(&shorter, sums[0]);
			add_estimate(&longer, sums[1]);
		}
		expect_no_bias("short ones", &shorter, rounding_of(shift, 5000));
		expect_no_bias("long ones", &longer, rounding_of(shift, 5000));
	}
}

/* Threads that wait once: each begins anywhere in a stratum. */
static void threads_that_wait_once_have_no_bias(void **state)
{
	for (unsigned shift = SHIFT_MIN; !is_rare(ascending, 2000, shift); shift += 2) {
		struct estimates estimates = {};

		for (uint64_t seed = 1; seed <= RUNS; seed++) {
			double sum = 0;

			bpf_host_random(seed);
			for (unsigned i = 0; i < 2000; i++) {
				struct program_off_cpu thread;
				uint64_t ns = ascending(i, 2000);

				program_off_cpu_begin(shift, &thread);
				sum += (double)program_off_cpu_select(&thread, ns) - (double)ns;
			}
			add_estimate(&estimates, sum);
		}
		expect_no_bias("once", &estimates, rounding_of(shift, 2000));
	}
}

static void times_chosen_alone_have_no_bias(void **state)
{
	struct program_off_cpu thread;

	for (unsigned shift = SHIFT_MIN; !is_rare(bimodal, 2000, shift); shift += 2) {
		struct estimates estimates = {};

		program_off_cpu_begin(shift, &thread);
		for (uint64_t seed = 1; seed <= RUNS; seed++) {
			double sum = 0;

			bpf_host_random(seed);
			for (unsigned i = 0; i < 2000; i++) {
				uint64_t ns = bimodal(i, 2000);

				sum += (double)program_off_cpu_select_one(ns) - (double)ns;
			}
			add_estimate(&estimates, sum);
		}
		expect_no_bias("alone", &estimates, rounding_of(shift, 2000));
	}
}

/* The collector changes the length of the strata while threads wait. */
static void changing_strata_have_no_bias(void **state)
{
	struct estimates estimates = {};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct program_off_cpu thread, other;
		double sum = 0;

		bpf_host_random(seed);
		program_off_cpu_begin(24, &thread);
		for (unsigned i = 0; i < 5000; i++) {
			if (i % 250 == 249)
				program_off_cpu_begin(14 + i / 250 % 12, &other);
			sum += (double)program_off_cpu_select(&thread, SHORT_NS) - SHORT_NS;
		}
		add_estimate(&estimates, sum);
	}
	expect_no_bias("changing strata", &estimates, 0);
}

static void what_is_as_long_as_a_stratum_stands_for_itself(void **state)
{
	struct program_off_cpu thread;

	for (unsigned shift = 0; shift <= SHIFT_MAX; shift++) {
		uint64_t stratum = 1ull << shift;

		program_off_cpu_begin(shift, &thread);
		assert_int_equal(program_off_cpu_select(&thread, stratum), stratum);
		assert_int_equal(program_off_cpu_select(&thread, 3 * stratum + 1), 3 * stratum + 1);
		assert_int_equal(program_off_cpu_select_one(stratum), stratum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_times_have_no_bias),
		cmocka_unit_test(a_long_time_among_short_ones_has_no_bias),
		cmocka_unit_test(ascending_times_have_no_bias),
		cmocka_unit_test(times_in_step_with_the_strata_have_no_bias),
		cmocka_unit_test(skewed_times_have_no_bias),
		cmocka_unit_test(each_kind_of_time_has_no_bias),
		cmocka_unit_test(threads_that_wait_once_have_no_bias),
		cmocka_unit_test(times_chosen_alone_have_no_bias),
		cmocka_unit_test(changing_strata_have_no_bias),
		cmocka_unit_test(what_is_as_long_as_a_stratum_stands_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
