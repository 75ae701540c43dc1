/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_perf_maps_refused - maps that are not those of their process, and are not read
 */

#include "tests/unit/symbolizer/perf_maps_fixture.h"

static void map_of_another_user_is_refused(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	process_at(10)->euid++;
	expect_refused(10, TM_NO_FILE_OWNER);
	expect_reason(0, TM_UNNAMED_MAP_REFUSED);
}

static void map_with_two_links_is_refused(void **state)
{
	char other[sizeof(path) + 2];

	(void)snprintf(other, sizeof(other), "%s.2", path);
	assert_int_equal(link(path, other), 0);
	announce(TGID, 1, 10);
	expect_refused(10, TM_NO_FILE_OTHER);
	(void)unlink(other);
}

static void map_that_is_older_than_its_process_is_refused(void **state)
{
	announce(TGID, 1, 10);
	process_at(10)->start_boottime = boot_ns() + 1000000000;
	expect_refused(10, TM_NO_FILE_STALE);
}

/* The same process ran another program when the map was last written. */
static void map_of_the_program_before_exec_is_refused(void **state)
{
	announce(TGID, 1, tm_clock_ns() + 1000000000);
	announce(TGID, 2, 20);
	expect_refused(20, TM_NO_FILE_STALE);
}

/* It was opened before the exit of its process was known; another one has its number now. */
static void map_that_was_written_after_the_exit_is_not_read(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	jit_files_end_interval(&jit, 5); /* not known yet */
	round_of_maps();
	no_request();
	process_at(10)->exit_ktime = tm_clock_ns() - 1000000000;
	round_of_maps();
	round_of_maps();
	no_request();
	expect_reason(0, TM_UNNAMED_MAP_REFUSED);
}

static void reason_of_the_collector_is_kept(void **state)
{
	struct tm_wire message = {
		.kind = TM_WIRE_PERF_MAP, .number = TGID, .value = 10, .form = TM_NO_FILE_TYPE};

	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	perf_maps_answer(&maps, &message, -1);
	expect_reason(0, TM_UNNAMED_MAP_REFUSED);
	message.form = TM_NO_FILE_GONE; /* it has none */
	perf_maps_answer(&maps, &message, -1);
	expect_reason(0, TM_UNNAMED_ANONYMOUS);
	message.form = UINT16_MAX;
	perf_maps_answer(&maps, &message, -1);
	assert_int_equal(process_at(10)->map_refused, TM_NO_FILE_ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_maps(map_of_another_user_is_refused),
		with_maps(map_with_two_links_is_refused),
		with_maps(map_that_is_older_than_its_process_is_refused),
		with_maps(map_of_the_program_before_exec_is_refused),
		with_maps(map_that_was_written_after_the_exit_is_not_read),
		with_maps(reason_of_the_collector_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
