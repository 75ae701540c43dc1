/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_perf_maps - maps of processes: when they are read, which frames they name
 */

#include "tests/unit/symbolizer/perf_maps_fixture.h"

static void map_is_read_when_an_interval_ends_if_it_has_changed(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	expect_reason(0, TM_UNNAMED_ANONYMOUS);
	hand_over(10);
	round_of_maps();
	no_request();
	read_map("main");
	expect_name(0, "main");
	jit_files_end_interval(&jit, UINT64_MAX);
	round_of_maps();
	no_request();
	append("20 8 g\n");
	read_map("next");
	expect_name(0, "next");
}

static void map_of_an_exited_process_is_read_once_more(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	read_map("main");
	append("20 8 g\n");
	process_at(10)->exit_ktime = tm_clock_ns();
	answer_map(request(), PARSER_OK, "last");
	expect_name(0, "last");
	round_of_maps();
	no_request();
}

static void map_that_takes_long_to_read_is_left_alone_until_its_process_exits(void **state)
{
	assert_int_equal(jit_files_pause_ms(JIT_FILES_CHEAP_MS), 0);
	assert_int_equal(jit_files_pause_ms(2000), 2000 * JIT_FILES_PAUSE_TIMES);
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	map_cpu_ms = 3600000; /* for days */
	read_map("main");
	map_cpu_ms = 0;
	append("20 8 g\n");
	jit_files_end_interval(&jit, UINT64_MAX);
	round_of_maps();
	no_request();
	process_at(10)->exit_ktime = tm_clock_ns();
	answer_map(request(), PARSER_OK, "last");
	expect_name(0, "last");
}

/* The answer comes after an hour, of which reading took a millisecond; the map has grown then. */
static void answer_late(uint32_t status, const char *name)
{
	uint32_t id;

	jit_files_end_interval(&jit, UINT64_MAX);
	id = request();
	jit.entries[0].begun_ms -= 3600000;
	map_cpu_ms = 1;
	answer_map(id, status, name);
	map_cpu_ms = 0;
	append("20 8 g\n");
}

/* As while a new process's map is read beside all the files of the host. */
static void map_that_waited_long_for_the_parser_is_read_again_at_once(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	answer_late(PARSER_OK, "main");
	read_map("next");
	expect_name(0, "next");
}

static void map_whose_reading_failed_late_is_left_alone(void **state)
{
	announce(TGID, 1, 10);
	hand_over(10);
	answer_late(PARSER_TIMEOUT, "none");
	jit_files_end_interval(&jit, UINT64_MAX);
	round_of_maps();
	no_request();
}

static void what_a_map_of_which_a_part_is_read_does_not_name_is_too_large(void **state)
{
	struct name_table names;

	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	map_flags = PARSER_SYMBOLS_TRUNCATED;
	read_map("main");
	map_flags = 0;
	expect_name(0, "main");
	name_table_init(&names, &recording.strings, &recording.store);
	jit_names_prepare(&names.jit, &recording.aggregate, 0);
	assert_int_equal(jit_names_find(&names.jit, recording.aggregate.stacks[0].process,
					ANON_WORD(2 * ADDRESS))
				 .reason,
			 TM_UNNAMED_TOO_LARGE);
	name_table_deinit(&names);
}

/* As when a report misses it: the store asks for it again. */
static void miss(const struct tm_identity *identity)
{
	struct tm_identity again;

	symbol_store_reclaim(&recording.store, UINT64_MAX);
	expect_reason(0, TM_UNNAMED_EVICTED);
	assert_int_equal(symbol_store_next_again(&recording.store, &again), 0);
	assert_memory_equal(&again, identity, sizeof(again));
	assert_true(jit_files_again(&jit, &again));
}

static void evicted_map_of_an_exited_process_is_read_again(void **state)
{
	struct tm_identity identity;

	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	process_at(10)->exit_ktime = tm_clock_ns();
	answer_map(request(), PARSER_OK, "last");
	identity = jit_files_identity(process_at(10), JIT_FILES_MAP, 1);
	miss(&identity);
	answer_map(request(), PARSER_OK, "last");
	expect_name(0, "last");
	append("20 8 g\n"); /* by another one: it is not what was sampled any more */
	miss(&identity);
	round_of_maps();
	no_request();
}

static void place_of_an_exited_process_is_taken_when_it_is_needed(void **state)
{
	jit.max = 1;
	announce(TGID, 1, 10);
	hand_over(10);
	announce(TGID + 1, 1, 20);
	hand_over_to(TGID + 1, 20);
	assert_int_equal(jit.entries[0].key.tgid, TGID);
	process_at(10)->exit_ktime = tm_clock_ns();
	answer_map(request(), PARSER_OK, "last");
	hand_over_to(TGID + 1, 20);
	assert_int_equal(jit.entries[0].key.tgid, TGID + 1);
}

static void address_in_two_processes_has_two_names(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	read_map("main");
	sample_of(TGID, 2); /* another program in the same process */
	sample_of(TGID + 1, 1);
	expect_name(0, "main");
	expect_reason(1, TM_UNNAMED_ANONYMOUS);
	expect_reason(2, TM_UNNAMED_ANONYMOUS);
}

static void map_that_could_not_be_read_leaves_the_version_before(void **state)
{
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	hand_over(10);
	jit_files_end_interval(&jit, UINT64_MAX);
	answer_map(request(), PARSER_CRASHED, "none");
	expect_reason(0, TM_UNNAMED_NOT_PARSED);
	append("20 8 g\n");
	read_map("main");
	append("30 8 h\n");
	jit_files_end_interval(&jit, UINT64_MAX);
	for (int i = 0; i < JIT_FILES_TRIES; i++) /* it became shorter each time */
		answer_map(request(), PARSER_CHANGED, "none");
	round_of_maps();
	no_request();
	expect_name(0, "main");
}

static void descriptor_may_come_before_its_announcement(void **state)
{
	hand_over(10);
	assert_int_equal(jit.open, 0);
	announce(TGID, 1, 10);
	sample_of(TGID, 1);
	round_of_maps();
	assert_int_equal(jit.open, 1);
	read_map("main");
	expect_name(0, "main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_maps(map_is_read_when_an_interval_ends_if_it_has_changed),
		with_maps(map_of_an_exited_process_is_read_once_more),
		with_maps(map_that_takes_long_to_read_is_left_alone_until_its_process_exits),
		with_maps(map_that_waited_long_for_the_parser_is_read_again_at_once),
		with_maps(map_whose_reading_failed_late_is_left_alone),
		with_maps(what_a_map_of_which_a_part_is_read_does_not_name_is_too_large),
		with_maps(evicted_map_of_an_exited_process_is_read_again),
		with_maps(place_of_an_exited_process_is_taken_when_it_is_needed),
		with_maps(address_in_two_processes_has_two_names),
		with_maps(map_that_could_not_be_read_leaves_the_version_before),
		with_maps(descriptor_may_come_before_its_announcement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
