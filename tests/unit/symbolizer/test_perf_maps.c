/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_perf_maps - maps of processes: whose they are, when they are read, which frames they name
 */

#include "symbolizer/names/name_table.h"
#include "symbolizer/names/perf_maps.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define TGID    42u
#define ADDRESS 0x10018u /* in `main` of make_symbols() */

static struct jit_files jit;
static struct perf_maps maps;
static char path[] = "/tmp/tidemark-map-XXXXXX";

static int begin_maps(void **state)
{
	int fd;

	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	assert_int_equal(write(fd, "10010 10 f\n", 11), 11);
	(void)close(fd);
	jit_files_init(&jit, &recording.processes, &recording.store, &client);
	perf_maps_init(&maps, &jit);
	return begin(state);
}

static int end_maps(void **state)
{
	perf_maps_deinit(&maps);
	jit_files_deinit(&jit);
	(void)unlink(path);
	return end(state);
}

static uint64_t boot_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A generation that began a second ago, whose announcement at @ktime says that it has JIT code. */
static void announce(uint32_t tgid, uint32_t exec_id, uint64_t ktime)
{
	make_process(&record, tgid, "node", TM_FILE_NONE, "", 0, "", 0);
	record.event.exec_id = exec_id;
	record.event.start_boottime = 1;
	record.event.flags |= TM_FLAG_ANONYMOUS;
	record.event.ktime = ktime;
	record.process.euid = getuid();
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
}

static struct process *process_at(uint64_t ktime)
{
	struct process *process = process_of_announcement(&recording.processes, TGID, ktime);

	assert_non_null(process);
	return process;
}

static void hand_over_to(uint32_t tgid, uint64_t ktime)
{
	const struct tm_wire message = {.kind = TM_WIRE_PERF_MAP, .number = tgid, .value = ktime};

	perf_maps_answer(&maps, &message, open(path, O_RDONLY | O_CLOEXEC));
}

#define hand_over(ktime) hand_over_to(TGID, ktime)

static void round_of_maps(void)
{
	parser_client_round(&client);
	perf_maps_round(&maps);
	jit_files_round(&jit, UINT64_MAX);
}

static uint32_t request(void)
{
	struct parser_message message;
	int fd;

	round_of_maps();
	assert_int_equal(take_request(&message, &fd), 0);
	assert_int_equal(message.kind, PARSER_PERF_MAP);
	assert_true(fd >= 0);
	(void)close(fd);
	return message.id;
}

/* @name: of four bytes, in place of `main`. */
static void answer_map(uint32_t id, uint32_t status, const char *name)
{
	const struct parser_message result = {.kind = PARSER_RESULT, .id = id, .status = status};
	struct symbols symbols = make_symbols();
	int fd;

	symbols.header.segment_count = 0;
	memcpy(symbols.names + 1, name, 4);
	memmove(symbols.segments, symbols.symbols,
		sizeof(symbols) - offsetof(struct symbols, symbols));
	fd = status ? -1
		    : tm_region_seal_blob("map", &symbols,
					  sizeof(symbols) - sizeof(symbols.segments));
	assert_int_equal(tm_fdpass_send(parser[1], &result, sizeof(result), fd, 0), 0);
	if (fd >= 0)
		(void)close(fd);
	round_of_maps();
}

static void append(const char *text)
{
	FILE *file = fopen(path, "ae");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The map is read as it is now, and then names ADDRESS. */
static void read_map(const char *name)
{
	jit_files_end_interval(&jit, UINT64_MAX);
	answer_map(request(), PARSER_OK, name);
}

static void sample_of(uint32_t tgid, uint32_t exec_id)
{
	const uint64_t words[] = {ANON_WORD(ADDRESS)};

	make_sample(&record, 1, tgid, "c", words, 0, 1);
	record.event.tgid = tgid;
	record.event.exec_id = exec_id;
	record.event.start_boottime = 1;
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

/* The name that the report gives the address in stack @stack. */
static const char *name_in(uint32_t stack, enum tm_unnamed *ret_reason)
{
	static char name[16];
	struct name_table names;
	struct jit_name found;

	name_table_init(&names, &recording.strings, &recording.store);
	jit_names_prepare(&names.jit, &recording.aggregate, 0);
	found = jit_names_find(&names.jit, recording.aggregate.stacks[stack].process,
			       ANON_WORD(ADDRESS));
	*ret_reason = found.reason;
	(void)snprintf(name, sizeof(name), "%s", found.text ? found.text : "");
	name_table_deinit(&names);
	return name;
}

static void expect_name(uint32_t stack, const char *name)
{
	enum tm_unnamed reason;

	assert_string_equal(name_in(stack, &reason), name);
}

static void expect_reason(uint32_t stack, enum tm_unnamed reason)
{
	enum tm_unnamed found;

	assert_string_equal(name_in(stack, &found), "");
	assert_int_equal(found, reason);
}

static void expect_refused(uint64_t ktime, enum tm_no_file reason)
{
	hand_over(ktime);
	assert_int_equal(process_at(ktime)->map_refused, reason);
	assert_int_equal(jit.open, 0);
	jit_files_end_interval(&jit, UINT64_MAX);
	round_of_maps();
	no_request();
}

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

#define with_maps(test) cmocka_unit_test_setup_teardown(test, begin_maps, end_maps)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_maps(map_is_read_when_an_interval_ends_if_it_has_changed),
		with_maps(map_of_an_exited_process_is_read_once_more),
		with_maps(evicted_map_of_an_exited_process_is_read_again),
		with_maps(place_of_an_exited_process_is_taken_when_it_is_needed),
		with_maps(address_in_two_processes_has_two_names),
		with_maps(map_that_could_not_be_read_leaves_the_version_before),
		with_maps(descriptor_may_come_before_its_announcement),
		with_maps(map_of_another_user_is_refused),
		with_maps(map_with_two_links_is_refused),
		with_maps(map_that_is_older_than_its_process_is_refused),
		with_maps(map_of_the_program_before_exec_is_refused),
		with_maps(map_that_was_written_after_the_exit_is_not_read),
		with_maps(reason_of_the_collector_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
