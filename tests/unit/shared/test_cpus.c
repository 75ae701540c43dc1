/* SPDX-License-Identifier: Apache-2.0 */
/* test_cpus - parses the kernel's list of online CPUs */

#include "tests/unit/cli/check.h"

#include <errno.h>

#include "shared/cpus.h"

static unsigned cpus[TM_CPUS_MAX];

static void ranges_and_single_numbers(void **state)
{
	assert_int_equal(tm_cpus_parse("0\n", cpus), 1);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(tm_cpus_parse("0-2,5,7-8\n", cpus), 6);
	assert_int_equal(cpus[2], 2);
	assert_int_equal(cpus[3], 5);
	assert_int_equal(cpus[5], 8);
	assert_int_equal(tm_cpus_parse("0-8191\n", cpus), TM_CPUS_MAX);
}

static void malformed_list_is_refused(void **state)
{
	static const char *const lists[] = {
		"",     "\n", "a",      "1-",          "-1",  "3-2",
		"1,,2", "1,", "0-8192", "99999999999", "1 2", "0-8191,0",
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (tm_cpus_parse(lists[i], cpus) != -EINVAL)
			fail_msg("taken: \"%s\"", lists[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_and_single_numbers),
		cmocka_unit_test(malformed_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
