/* SPDX-License-Identifier: Apache-2.0 */
/* test_off_cpu_rate - the length of a stratum follows the rate of off-CPU samples */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/off_cpu_rate.h"

#define TARGET 1000u

struct host {
	struct off_cpu_rate rate;
	uint64_t waits_ns; /* without a CPU, in each second of the host */
	uint64_t waits;    /* how many times that is */
	uint64_t taken;
	uint64_t ms;
};

static struct host host_of(uint64_t waits, uint64_t waits_ns)
{
	struct host host = {.waits = waits, .waits_ns = waits_ns, .ms = 1000};

	host.rate.target = TARGET;
	host.rate.shift = OFF_CPU_RATE_SHIFT_FIRST;
	host.rate.changed_ms = host.ms;
	return host;
}

/* Samples of a second: one a stratum, and never more than there are waits. */
static uint64_t a_second(const struct host *host)
{
	uint64_t strata = host->waits_ns >> host->rate.shift;

	return strata < host->waits ? strata : host->waits;
}

static void run(struct host *host, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		host->ms += OFF_CPU_RATE_MS;
		host->taken += a_second(host) * OFF_CPU_RATE_MS / 1000;
		off_cpu_rate_adapt(&host->rate, host->taken, 0, host->ms);
	}
}

static void a_busy_host_settles_below_the_target(void **state)
{
	struct host host = host_of(500000, 40000000000ull);

	run(&host, 100);
	for (unsigned i = 0; i < 100; i++) {
		run(&host, 1);
		assert_in_range(a_second(&host), TARGET / 4, TARGET + TARGET / 50);
	}
}

static void on_a_quiet_host_every_wait_is_sampled(void **state)
{
	struct host host = host_of(200, 1000000000);

	run(&host, 100);
	assert_int_equal(host.rate.shift, 0);
	assert_int_equal(a_second(&host), 200);
}

static void a_burst_is_met_at_once(void **state)
{
	struct host host = host_of(200, 1000000000);

	run(&host, 100);
	host.waits = 1000000;
	host.waits_ns = 40000000000ull;
	run(&host, 1);
	/* One step knows how many came, not how many would have come without a limit. */
	assert_true(host.rate.shift >= 9);
	run(&host, 10);
	assert_in_range(a_second(&host), TARGET / 4, TARGET + TARGET / 50);
}

static void a_full_ring_lengthens_it_below_the_target_too(void **state)
{
	struct host host = host_of(0, 0);
	uint32_t shift = host.rate.shift;

	off_cpu_rate_adapt(&host.rate, 10, 1, host.ms + OFF_CPU_RATE_MS);
	assert_int_equal(host.rate.shift, shift + 1);
	off_cpu_rate_adapt(&host.rate, 20, 1, host.ms + 2 * OFF_CPU_RATE_MS);
	assert_int_equal(host.rate.shift, shift);
}

static void it_stays_within_its_limits_and_is_changed_no_sooner(void **state)
{
	struct host host = host_of(0, 0);

	off_cpu_rate_adapt(&host.rate, UINT64_MAX, 1, host.ms + OFF_CPU_RATE_MS - 1);
	assert_int_equal(host.rate.shift, OFF_CPU_RATE_SHIFT_FIRST);
	off_cpu_rate_adapt(&host.rate, UINT64_MAX, 1, host.ms + OFF_CPU_RATE_MS);
	assert_int_equal(host.rate.shift, OFF_CPU_RATE_SHIFT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_host_settles_below_the_target),
		cmocka_unit_test(on_a_quiet_host_every_wait_is_sampled),
		cmocka_unit_test(a_burst_is_met_at_once),
		cmocka_unit_test(a_full_ring_lengthens_it_below_the_target_too),
		cmocka_unit_test(it_stays_within_its_limits_and_is_changed_no_sooner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
