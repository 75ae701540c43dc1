/* SPDX-License-Identifier: Apache-2.0 */
/* test_percpu - how large a CPU's ring is */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/percpu.h"

static void ring_is_a_power_of_two_within_its_limits(void **state)
{
	static struct options options;

	for (options.hz = 1; options.hz <= OPTIONS_HZ_MAX; options.hz += 7) {
		uint64_t bytes = percpu_ring_bytes(&options);

		assert_true(bytes >= PERCPU_RING_MIN && bytes <= PERCPU_RING_MAX);
		assert_int_equal(bytes & (bytes - 1), 0);
	}
}

static void ring_of_a_said_size_is_at_least_that(void **state)
{
	static struct options options = {.hz = 99, .ring_kib = 1};

	assert_int_equal(percpu_ring_bytes(&options), OPTIONS_RING_KIB_MIN << 10);
	options.ring_kib = 100;
	assert_int_equal(percpu_ring_bytes(&options), 128 << 10);
	options.ring_kib = OPTIONS_RING_KIB_MAX;
	assert_int_equal(percpu_ring_bytes(&options), (uint64_t)OPTIONS_RING_KIB_MAX << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_is_a_power_of_two_within_its_limits),
		cmocka_unit_test(ring_of_a_said_size_is_at_least_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
