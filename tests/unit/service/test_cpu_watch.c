/* SPDX-License-Identifier: Apache-2.0 */
/* test_cpu_watch - which CPUs count as new at a look */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "service/cpu_watch.h"

#define NOW 100000u

static unsigned cpus[TM_CPUS_MAX];

static void each_cpu_is_new_once(void **state)
{
	struct cpu_watch watch;
	unsigned count;

	assert_int_equal(cpu_watch_open(&watch), 0);
	count = cpu_watch_look(&watch, NOW, 0, cpus);
	assert_true(count > 0);
	assert_int_equal(cpu_watch_look(&watch, NOW + CPU_WATCH_MS, 0, cpus), 0);
	watch.online[cpus[0] / 8] = 0; /* as if it had not been there */
	assert_int_equal(cpu_watch_look(&watch, NOW + 1, 0, cpus), 0); /* it is too early */
	assert_true(cpu_watch_look(&watch, NOW + 2 * CPU_WATCH_MS, 0, cpus) > 0);
}

static void all_are_new_behind_a_suspend(void **state)
{
	struct cpu_watch watch;
	const uint64_t slept = 7000, again = slept + CPU_WATCH_SUSPENDED_MS + 1;
	unsigned count;

	assert_int_equal(cpu_watch_open(&watch), 0);
	count = cpu_watch_look(&watch, NOW, slept, cpus);
	assert_int_equal(cpu_watch_look(&watch, NOW + CPU_WATCH_MS, slept - 1000, cpus), 0);
	assert_int_equal(cpu_watch_look(&watch, NOW + 2 * CPU_WATCH_MS, slept, cpus), 0);
	assert_int_equal(cpu_watch_look(&watch, NOW + 3 * CPU_WATCH_MS, again, cpus), count);
	assert_int_equal(cpu_watch_look(&watch, NOW + 4 * CPU_WATCH_MS, again, cpus), 0);
}

static void the_clocks_say_how_long_that_was(void **state)
{
	uint64_t suspended_ms = cpu_watch_suspended_ms();
	struct timespec boot;

	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &boot), 0);
	assert_true(suspended_ms <= (uint64_t)boot.tv_sec * 1000 + 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_is_new_once),
		cmocka_unit_test(all_are_new_behind_a_suspend),
		cmocka_unit_test(the_clocks_say_how_long_that_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
