/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_line_requests - what reports miss is asked for once a minute for each file, whole
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "shared/clock.h"
#include "symbolizer/names/line_requests.h"

static const struct tm_identity file = {.ino = 7}, other = {.ino = 8};
static const struct line_requests_build_id build_id = {3, "\1\2\3"};
static struct line_requests requests;
static struct line_requests_result taken;
static int64_t now_ms;

static int begin(void **state)
{
	now_ms = (int64_t)tm_clock_ms() + 10000; /* files are new before it */
	return line_requests_init(&requests, NULL);
}

static int end(void **state)
{
	line_requests_deinit(&requests);
	return 0;
}

static void want(const struct tm_identity *identity, uint64_t first, uint64_t second)
{
	const uint64_t vaddrs[] = {first, second};

	assert_int_equal(line_requests_want(&requests, identity, &build_id, vaddrs, 2,
					    LINE_REQUESTS_ANY_COST),
			 0);
}

static int take(int64_t at_ms)
{
	return line_requests_take(&requests, at_ms, &taken);
}

/* Whether there is a result, which the test takes. */
static bool has_result(void)
{
	struct line_requests_result result;

	if (line_requests_next_result(&requests, 0, &result))
		return false;
	assert_int_equal(result.fd, -1);
	free(result.vaddrs);
	return true;
}

static void addresses_of_several_reports_are_merged(void **state)
{
	static const uint64_t merged[] = {1, 3, 5, 7};

	want(&file, 3, 7);
	want(&file, 1, 3);
	want(&file, 5, 7);
	assert_int_equal(requests.files.places, 4);
	assert_int_equal(take(now_ms), 0);
	assert_int_equal(taken.count, 4);
	assert_memory_equal(taken.vaddrs, merged, sizeof(merged));
	assert_memory_equal(&taken.identity, &file, sizeof(file));
	assert_memory_equal(&taken.build_id, &build_id, sizeof(build_id));
	assert_int_equal(take(now_ms), LINE_REQUESTS_E_NONE);
}

static void file_is_asked_for_once_a_minute(void **state)
{
	want(&file, 1, 2);
	assert_int_equal(take(now_ms), 0);
	line_requests_put(&requests, &file, -1, 0);
	want(&file, 3, 4);
	assert_int_equal(take(now_ms + LINE_REQUESTS_PAUSE_MS), LINE_REQUESTS_E_NONE); /* untaken */
	assert_true(has_result());
	assert_int_equal(requests.files.places, 2);
	assert_int_equal(take(now_ms + LINE_REQUESTS_PAUSE_MS - 1), LINE_REQUESTS_E_NONE);
	want(&other, 1, 2);
	assert_int_equal(take(now_ms + 1), 0); /* the other does not wait for it */
	assert_memory_equal(&taken.identity, &other, sizeof(other));
	assert_int_equal(take(now_ms + LINE_REQUESTS_PAUSE_MS), 0);
	assert_int_equal(taken.vaddrs[0], 3);
}

static void miss(uint32_t misses)
{
	const uint64_t vaddrs[] = {3, 4};

	assert_int_equal(line_requests_want(&requests, &file, &build_id, vaddrs, 2, misses), 0);
}

static void file_is_asked_for_when_it_is_worth_it(void **state)
{
	miss(LINE_REQUESTS_FIRST_MS * LINE_REQUESTS_MISSES_PER_MS - 1);
	assert_int_equal(line_requests_open(&requests), 0);
	assert_int_equal(take(now_ms), LINE_REQUESTS_E_NONE);
	miss(1);
	assert_int_equal(line_requests_open(&requests), 1);
	assert_int_equal(take(now_ms), 0);
	assert_int_equal(taken.count, 2);
}

static void what_it_cost_is_expected_again(void **state)
{
	const uint32_t cpu_ms = 3;

	want(&file, 1, 2);
	assert_int_equal(take(now_ms), 0);
	line_requests_put(&requests, &file, -1, cpu_ms);
	assert_true(has_result());
	miss(cpu_ms * LINE_REQUESTS_MISSES_PER_MS - 1);
	assert_int_equal(take(now_ms + LINE_REQUESTS_PAUSE_MS), LINE_REQUESTS_E_NONE);
	miss(1);
	assert_int_equal(take(now_ms + LINE_REQUESTS_PAUSE_MS - 1), LINE_REQUESTS_E_NONE);
	assert_int_equal(take(now_ms + LINE_REQUESTS_PAUSE_MS), 0);
}

static void file_that_is_not_worth_it_waits_no_longer_than_so(void **state)
{
	miss(1);
	assert_int_equal(take(requests.files.items[0].next_ms + LINE_REQUESTS_WAIT_MS - 1),
			 LINE_REQUESTS_E_NONE);
	assert_int_equal(take(requests.files.items[0].next_ms + LINE_REQUESTS_WAIT_MS), 0);
}

/* The sum does not wrap. */
static void file_that_leaves_is_worth_any_cost(void **state)
{
	miss(1);
	miss(LINE_REQUESTS_ANY_COST);
	miss(1);
	assert_int_equal(take(now_ms), 0);
}

static void last_report_waits_for_no_minute(void **state)
{
	want(&file, 1, 2);
	assert_int_equal(take(now_ms), 0);
	line_requests_put(&requests, &file, -1, 0);
	assert_true(has_result());
	want(&file, 3, 4);
	assert_int_equal(take(now_ms), LINE_REQUESTS_E_NONE);
	line_requests_set_last(&requests);
	assert_int_equal(take(now_ms), 0);
	assert_int_equal(taken.count, 2);
}

static void failures_double_the_pause_and_say_why(void **state)
{
	int64_t at_ms = now_ms, pause = LINE_REQUESTS_PAUSE_MS;

	for (int i = 0; i < 9; i++) {
		want(&file, 1, 2);
		assert_int_equal(take(at_ms), 0);
		line_requests_fail(&requests, &file, TM_NO_LINE_NOT_OPENED, at_ms);
		assert_int_equal(line_requests_reason(&requests, &file), TM_NO_LINE_NOT_OPENED);
		want(&file, 1, 2);
		assert_int_equal(take(at_ms + pause - 1), LINE_REQUESTS_E_NONE);
		at_ms += pause;
		pause = 2 * pause < LINE_REQUESTS_PAUSE_MAX ? 2 * pause : LINE_REQUESTS_PAUSE_MAX;
	}
	assert_int_equal(take(at_ms), 0);
	line_requests_put(&requests, &file, -1, 0);
	assert_true(has_result());
	assert_int_equal(line_requests_reason(&requests, &file), TM_NO_LINE_PENDING);
}

/* The last argument of next_result is far away: a wait would show as a test that hangs. */
static void nobody_waits_for_what_cannot_come(void **state)
{
	const int64_t never_ms = now_ms + 3600000;
	struct line_requests_result result;

	assert_int_equal(line_requests_next_result(&requests, never_ms, &result),
			 LINE_REQUESTS_E_NONE); /* nothing is wanted */
	want(&file, 1, 2);
	line_requests_set_exhausted(&requests, true);
	assert_int_equal(line_requests_next_result(&requests, never_ms, &result),
			 LINE_REQUESTS_E_NONE); /* no CPU time is left */
	assert_int_equal(line_requests_reason(&requests, &file), TM_NO_LINE_CPU_TIME);
	line_requests_set_exhausted(&requests, false);
	assert_int_equal(take(now_ms), 0);
	line_requests_fail(&requests, &file, TM_NO_LINE_NOT_PARSED, now_ms);
	want(&file, 1, 2);
	assert_int_equal(line_requests_next_result(&requests, never_ms, &result),
			 LINE_REQUESTS_E_NONE); /* its pause is not over */
}

/* Return: as line_requests_want. */
static int want_one(const struct tm_identity *identity)
{
	const uint64_t one = 1;

	return line_requests_want(&requests, identity, &build_id, &one, 1, LINE_REQUESTS_ANY_COST);
}

static void places_and_files_have_limits(void **state)
{
	uint64_t *many = calloc(LINE_REQUESTS_PLACES, sizeof(*many));
	struct tm_identity identity = {.dev = 1};

	assert_non_null(many);
	for (uint32_t i = 0; i < LINE_REQUESTS_PLACES; i++)
		many[i] = i;
	assert_int_equal(line_requests_want(&requests, &file, &build_id, many, LINE_REQUESTS_PLACES,
					    LINE_REQUESTS_ANY_COST),
			 0);
	assert_int_equal(want_one(&other), LINE_REQUESTS_E_FULL);
	assert_int_equal(take(now_ms), 0);
	line_requests_fail(&requests, &file, TM_NO_LINE_NOT_PARSED, now_ms);
	want(&file, 1, 2);
	for (identity.ino = 1; identity.ino < LINE_REQUESTS_FILES; identity.ino++)
		assert_int_equal(want_one(&identity), 0);
	assert_int_equal(want_one(&identity), LINE_REQUESTS_E_FULL);
	assert_int_equal(line_requests_reason(&requests, &identity), TM_NO_LINE_MEMORY);
	requests.files.items[5].wanted_count = 0; /* one that nobody needs any more makes room */
	free(requests.files.items[5].wanted);
	requests.files.items[5].wanted = NULL;
	assert_int_equal(want_one(&identity), 0);
	free(many);
}

/* Who makes ever new files keeps nobody's lines away. */
static void file_that_is_missed_least_makes_room(void **state)
{
	struct tm_identity identity = {.dev = 1};
	const uint64_t one = 1;

	for (identity.ino = 1; identity.ino <= LINE_REQUESTS_FILES; identity.ino++)
		assert_int_equal(line_requests_want(&requests, &identity, &build_id, &one, 1,
						    identity.ino == 7 ? 1 : 2),
				 0);
	assert_int_equal(line_requests_want(&requests, &file, &build_id, &one, 1, 2), 0);
	assert_int_equal(line_requests_want(&requests, &other, &build_id, &one, 1, 2),
			 LINE_REQUESTS_E_FULL);
	identity.ino = 7;
	assert_int_equal(line_requests_reason(&requests, &identity), TM_NO_LINE_MEMORY);
	assert_int_equal(line_requests_reason(&requests, &file), TM_NO_LINE_PENDING);
	assert_int_equal(requests.files.places, LINE_REQUESTS_FILES);
	assert_int_equal(want_one(&file), 0);
	assert_int_equal(take(now_ms), 0);
	assert_memory_equal(&taken.identity, &file, sizeof(file));
}

/* New programs come for ever. */
static void entry_that_nobody_needs_is_used_again_first(void **state)
{
	struct tm_identity identity = {.dev = 1};

	for (identity.ino = 1; identity.ino <= 3; identity.ino++) {
		assert_int_equal(want_one(&identity), 0);
		assert_int_equal(take(now_ms), 0);
		line_requests_fail(&requests, &identity, TM_NO_LINE_NOT_PARSED, now_ms);
		assert_int_equal(requests.files.count, 1);
		requests.files.items[0].next_ms = 0; /* its pause is over */
	}
	assert_int_equal(want_one(&identity), 0);
	assert_int_equal(want_one(&other), 0); /* the first one is wanted */
	assert_int_equal(requests.files.count, 2);
}

static void answers_that_nobody_waits_for_are_dropped(void **state)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	line_requests_put(&requests, &file, ends[1], 0);
	assert_int_equal(read(ends[0], &byte, 1), 0); /* it is closed */
	(void)close(ends[0]);
	line_requests_fail(&requests, &file, TM_NO_LINE_NOT_PARSED, now_ms);
	assert_false(has_result());
}

#define of_its_own(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(addresses_of_several_reports_are_merged),
		of_its_own(file_is_asked_for_once_a_minute),
		of_its_own(last_report_waits_for_no_minute),
		of_its_own(file_is_asked_for_when_it_is_worth_it),
		of_its_own(what_it_cost_is_expected_again),
		of_its_own(file_that_is_not_worth_it_waits_no_longer_than_so),
		of_its_own(file_that_leaves_is_worth_any_cost),
		of_its_own(failures_double_the_pause_and_say_why),
		of_its_own(nobody_waits_for_what_cannot_come),
		of_its_own(places_and_files_have_limits),
		of_its_own(file_that_is_missed_least_makes_room),
		of_its_own(entry_that_nobody_needs_is_used_again_first),
		of_its_own(answers_that_nobody_waits_for_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
