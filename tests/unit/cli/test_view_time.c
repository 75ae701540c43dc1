/* SPDX-License-Identifier: Apache-2.0 */
/* test_view_time - instants as users write them: forms, zones, and changes of the clock */

#include "tests/unit/cli/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/view_time.h"

#define S   1000000000ull
#define DAY (86400ull * S)

/* 2026-11-23 03:30:00 in Berlin. */
#define NOW_UTC (1795401000ull * S)

static char problem[PROBLEM_BYTES];

static void use_zone(const char *zone)
{
	assert_int_equal(setenv("TZ", zone, 1), 0);
	tzset();
}

static uint64_t parse_after(const char *text, uint64_t after)
{
	const struct view_time_reference reference = {NOW_UTC, after};
	uint64_t found = 0;

	problem[0] = '\0';
	if (view_time_parse("--from", text, &reference, &found, problem) != 0)
		fail_msg("%s", problem);
	return found;
}

static uint64_t parse(const char *text)
{
	return parse_after(text, 0);
}

static void refuse(const char *text, const char *sentence)
{
	const struct view_time_reference reference = {NOW_UTC, 0};
	uint64_t found;

	assert_int_equal(view_time_parse("--from", text, &reference, &found, problem),
			 VIEW_TIME_E_USAGE);
	assert_non_null(strstr(problem, sentence));
}

static void a_clock_time_is_the_last_one_that_was(void **state)
{
	use_zone("Europe/Berlin");
	assert_int_equal(parse("03:30"), NOW_UTC);
	assert_int_equal(parse("02:50"), NOW_UTC - 40 * 60 * S);
	assert_int_equal(parse("02:50:10"), NOW_UTC - 40 * 60 * S + 10 * S);
	assert_int_equal(parse("03:31"), NOW_UTC - DAY + 60 * S); /* yesterday's */
	assert_int_equal(parse("23:59"), NOW_UTC - (3 * 3600 + 31 * 60) * S);
}

static void the_end_of_a_window_is_the_first_such_time_after_its_beginning(void **state)
{
	use_zone("Europe/Berlin");
	assert_int_equal(parse_after("00:10", parse("23:50")), parse("23:50") + 20 * 60 * S);
	assert_int_equal(parse_after("03:10", parse("02:50")), parse("02:50") + 20 * 60 * S);
	assert_int_equal(parse_after("02:50", parse("02:50")), parse("02:50") + DAY);
}

static void a_date_is_local_unless_it_has_an_offset(void **state)
{
	use_zone("Europe/Berlin");
	assert_int_equal(parse("2026-11-23 03:30"), NOW_UTC);
	assert_int_equal(parse("2026-11-23T03:30:01"), NOW_UTC + S);
	assert_int_equal(parse("2026-11-23T02:30:00Z"), NOW_UTC);
	assert_int_equal(parse("2026-11-22t21:30:00-05:00"), NOW_UTC);
	assert_int_equal(parse("2026-11-23T08:00:00.25+05:30"), NOW_UTC + S / 4);
	assert_int_equal(parse("2026-07-01 12:00"), parse("2026-07-01T10:00:00Z")); /* summer */
	use_zone("America/New_York");
	assert_int_equal(parse("2026-11-22 21:30"), NOW_UTC);
	use_zone("UTC");
	assert_int_equal(parse("2026-11-23 02:30"), NOW_UTC);
	assert_int_equal(parse("2024-02-29 00:00"), parse("2024-02-28 00:00") + DAY);
}

static void a_time_that_was_left_out_is_refused_with_what_to_write(void **state)
{
	use_zone("Europe/Berlin");
	refuse("2026-03-29 02:30", "left this time out: write 2026-03-29T01:30:00+01:00 or "
				   "2026-03-29T03:30:00+02:00");
	refuse("2026-03-29 02:00", "left this time out");
	refuse("2026-03-29 02:59:59", "left this time out");
	assert_int_equal(parse("2026-03-29 03:00"), parse("2026-03-29 01:59:59") + S);
	use_zone("Australia/Lord_Howe"); /* by half an hour */
	refuse("2026-10-04 02:15", "left this time out: write 2026-10-04T01:45:00+10:30 or "
				   "2026-10-04T02:45:00+11:00");
	use_zone("Pacific/Apia"); /* a whole day, when it crossed the date line */
	refuse("2011-12-30 12:00", "left this time out");
}

static void a_time_that_was_there_twice_is_refused_with_what_to_write(void **state)
{
	use_zone("Europe/Berlin");
	refuse("2026-10-25 02:30", "showed this time twice: write 2026-10-25T02:30:00+02:00 or "
				   "2026-10-25T02:30:00+01:00");
	refuse("2026-10-25 02:00", "showed this time twice");
	refuse("2026-10-25 02:59:59", "showed this time twice");
	assert_int_equal(parse("2026-10-25T02:30:00+01:00") - parse("2026-10-25T02:30:00+02:00"),
			 3600 * S);
	assert_int_equal(parse("2026-10-25 03:00") - parse("2026-10-25 01:59:59"), 7201 * S);
	use_zone("Europe/Moscow"); /* the zone changed, and no summer ended */
	refuse("2014-10-26 01:30", "showed this time twice: write 2014-10-26T01:30:00+04:00 or "
				   "2014-10-26T01:30:00+03:00");
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"2",
		"2:50",
		"24:00",
		"02:60",
		"02:50:60",
		"02:50:1",
		"02:50 ",
		" 02:50",
		"02:50Z",
		"02:50+01:00",
		"2026-11-23",
		"2026-11-23 ",
		"2026-13-01 00:00",
		"2026-02-29 00:00",
		"2026-11-31 00:00",
		"1969-12-31 00:00",
		"2026-11-23T02:50:10+1:00",
		"2026-11-23T02:50:10+24:00",
		"2026-11-23T02:50:10.",
		"2026-11-23T02:50:10.1234567890",
		"2026-11-23T02:50:10Zx",
		"yesterday",
	};

	use_zone("UTC");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		refuse(texts[i], "a time is needed");
	refuse("1970-01-01T00:00:00+01:00", "before 1970");
}

static void an_instant_is_shown_in_local_time(void **state)
{
	char text[VIEW_TIME_TEXT_BYTES];

	use_zone("Europe/Berlin");
	view_time_format(NOW_UTC + 999999999, text);
	assert_string_equal(text, "2026-11-23 03:30:00");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_time_is_the_last_one_that_was),
		cmocka_unit_test(the_end_of_a_window_is_the_first_such_time_after_its_beginning),
		cmocka_unit_test(a_date_is_local_unless_it_has_an_offset),
		cmocka_unit_test(a_time_that_was_left_out_is_refused_with_what_to_write),
		cmocka_unit_test(a_time_that_was_there_twice_is_refused_with_what_to_write),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(an_instant_is_shown_in_local_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
