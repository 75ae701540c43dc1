/* SPDX-License-Identifier: Apache-2.0 */
/* test_parse - malformed numbers, sizes, durations and percentages are refused, and leave the value
 * unchanged */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shared/parse.h"
#include "shared/parse_units.h"

typedef int (*parse_fn)(const char *text, uint64_t least, uint64_t most, uint64_t *ret_value);

#define UNTOUCHED 0x5a5a5a5aull

static void accepts(parse_fn parse, const char *text, uint64_t expected)
{
	uint64_t value = UNTOUCHED;

	assert_int_equal(parse(text, 0, UINT64_MAX, &value), 0);
	assert_true(value == expected);
}

static void refuses(parse_fn parse, const char *text, int error)
{
	uint64_t value = UNTOUCHED;

	assert_int_equal(parse(text, 0, UINT64_MAX, &value), error);
	assert_true(value == UNTOUCHED);
}

static void numbers(void **state)
{
	accepts(tm_parse_number, "0", 0);
	accepts(tm_parse_number, "007", 7);
	accepts(tm_parse_number, "18446744073709551615", UINT64_MAX);
	refuses(tm_parse_number, "18446744073709551616", -ERANGE);
	refuses(tm_parse_number, "99999999999999999999999", -ERANGE);
	refuses(tm_parse_number, "", -EINVAL);
	refuses(tm_parse_number, "-1", -EINVAL);
	refuses(tm_parse_number, "+1", -EINVAL);
	refuses(tm_parse_number, " 1", -EINVAL);
	refuses(tm_parse_number, "1 ", -EINVAL);
	refuses(tm_parse_number, "0x10", -EINVAL);
	refuses(tm_parse_number, "1.5", -EINVAL);
	refuses(tm_parse_number, "ten", -EINVAL);
}

static void sizes(void **state)
{
	accepts(tm_parse_bytes, "4096", 4096);
	accepts(tm_parse_bytes, "64K", 65536);
	accepts(tm_parse_bytes, "16M", 16777216);
	accepts(tm_parse_bytes, "1G", 1073741824);
	refuses(tm_parse_bytes, "1T", -EINVAL);
	refuses(tm_parse_bytes, "1KB", -EINVAL);
	refuses(tm_parse_bytes, "1k", -EINVAL);
	refuses(tm_parse_bytes, "M", -EINVAL);
	refuses(tm_parse_bytes, "1.5M", -EINVAL);
	refuses(tm_parse_bytes, "18446744073709551615K", -ERANGE);
}

static void percentages(void **state)
{
	accepts(tm_parse_percent, "0", 0);
	accepts(tm_parse_percent, "1", 10000);
	accepts(tm_parse_percent, "0.1", 1000);
	accepts(tm_parse_percent, "12.3456", 123456);
	accepts(tm_parse_percent, "100.0", 1000000);
	refuses(tm_parse_percent, "", -EINVAL);
	refuses(tm_parse_percent, ".5", -EINVAL);
	refuses(tm_parse_percent, "1.", -EINVAL);
	refuses(tm_parse_percent, "1%", -EINVAL);
	refuses(tm_parse_percent, "-1", -EINVAL);
	refuses(tm_parse_percent, "0.00001", -EINVAL);
	refuses(tm_parse_percent, "1844674407370956", -ERANGE);
}

static void durations(void **state)
{
	accepts(tm_parse_duration, "10", 10000000000ull);
	accepts(tm_parse_duration, "10s", 10000000000ull);
	accepts(tm_parse_duration, "0.5", 500000000ull);
	accepts(tm_parse_duration, "0.25s", 250000000ull);
	accepts(tm_parse_duration, "1.000000001s", 1000000001ull);
	accepts(tm_parse_duration, "250ms", 250000000ull);
	accepts(tm_parse_duration, "1.5ms", 1500000ull);
	accepts(tm_parse_duration, "20us", 20000ull);
	accepts(tm_parse_duration, "2m", 120000000000ull);
	accepts(tm_parse_duration, "0.5m", 30000000000ull);
	accepts(tm_parse_duration, "1h", 3600000000000ull);
	accepts(tm_parse_duration, "1.00000000000s", 1000000000ull);
	refuses(tm_parse_duration, "", -EINVAL);
	refuses(tm_parse_duration, "s", -EINVAL);
	refuses(tm_parse_duration, ".5", -EINVAL);
	refuses(tm_parse_duration, "1.", -EINVAL);
	refuses(tm_parse_duration, "1.s", -EINVAL);
	refuses(tm_parse_duration, "1.2.3", -EINVAL);
	refuses(tm_parse_duration, "1.0000000001s", -EINVAL);
	refuses(tm_parse_duration, "1sec", -EINVAL);
	refuses(tm_parse_duration, "-1s", -EINVAL);
	refuses(tm_parse_duration, "1e3", -EINVAL);
	refuses(tm_parse_duration, "18446744073709551615h", -ERANGE);
	refuses(tm_parse_duration, "18446744074s", -ERANGE);
}

static void bounds_are_part_of_the_range(void **state)
{
	uint64_t value = UNTOUCHED;

	assert_int_equal(tm_parse_number("9", 10, 20, &value), -ERANGE);
	assert_int_equal(tm_parse_number("21", 10, 20, &value), -ERANGE);
	assert_true(value == UNTOUCHED);
	assert_int_equal(tm_parse_number("10", 10, 20, &value), 0);
	assert_int_equal(tm_parse_number("20", 10, 20, &value), 0);
	assert_int_equal(tm_parse_bytes("1K", 1025, 2048, &value), -ERANGE);
	assert_int_equal(tm_parse_bytes("2K", 1025, 2048, &value), 0);
	assert_int_equal(tm_parse_duration("1ms", 1000001, 2000000, &value), -ERANGE);
	assert_int_equal(tm_parse_duration("2ms", 1000001, 2000000, &value), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(percentages),
		cmocka_unit_test(bounds_are_part_of_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
