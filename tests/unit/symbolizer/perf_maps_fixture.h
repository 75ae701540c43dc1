/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * perf_maps_fixture - a process with JIT code, whose map lies in a file of the test, and a parser
 * that the test plays
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
static uint32_t map_flags;  /* of the parser's table, besides those that it has */
static uint32_t map_cpu_ms; /* that the parser says it took */

static inline int begin_maps(void **state)
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

static inline int end_maps(void **state)
{
	perf_maps_deinit(&maps);
	jit_files_deinit(&jit);
	(void)unlink(path);
	return end(state);
}

static inline uint64_t boot_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A generation that began a second ago, whose announcement at @ktime says that it has JIT code. */
static inline void announce(uint32_t tgid, uint32_t exec_id, uint64_t ktime)
{
	make_process(&record, tgid, "node", TM_FILE_NONE, "", 0, "", 0);
	record.event.exec_id = exec_id;
	record.event.start_boottime = 1;
	record.event.flags |= TM_FLAG_ANONYMOUS;
	record.event.ktime = ktime;
	record.process.euid = getuid();
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
}

static inline struct process *process_at(uint64_t ktime)
{
	struct process *process = process_of_announcement(&recording.processes, TGID, ktime);

	assert_non_null(process);
	return process;
}

static inline void hand_over_to(uint32_t tgid, uint64_t ktime)
{
	const struct tm_wire message = {.kind = TM_WIRE_PERF_MAP, .number = tgid, .value = ktime};

	perf_maps_answer(&maps, &message, open(path, O_RDONLY | O_CLOEXEC));
}

#define hand_over(ktime) hand_over_to(TGID, ktime)

static inline void round_of_maps(void)
{
	parser_client_round(&client);
	perf_maps_round(&maps);
	jit_files_round(&jit, UINT64_MAX);
}

static inline uint32_t request(void)
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
static inline void answer_map(uint32_t id, uint32_t status, const char *name)
{
	const struct parser_message result = {
		.kind = PARSER_RESULT, .id = id, .status = status, .cpu_ms = map_cpu_ms};
	struct symbols symbols = make_symbols();
	int fd;

	symbols.header.segment_count = 0;
	symbols.header.flags |= map_flags;
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

static inline void append(const char *text)
{
	FILE *file = fopen(path, "ae");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The map is read as it is now, and then names ADDRESS. */
static inline void read_map(const char *name)
{
	jit_files_end_interval(&jit, UINT64_MAX);
	answer_map(request(), PARSER_OK, name);
}

static inline void sample_of(uint32_t tgid, uint32_t exec_id)
{
	const uint64_t words[] = {ANON_WORD(ADDRESS)};

	make_sample(&record, 1, tgid, "c", words, 0, 1);
	record.event.tgid = tgid;
	record.event.exec_id = exec_id;
	record.event.start_boottime = 1;
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

/* The name that the report gives the address in stack @stack. */
static inline const char *name_in(uint32_t stack, enum tm_unnamed *ret_reason)
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

static inline void expect_name(uint32_t stack, const char *name)
{
	enum tm_unnamed reason;

	assert_string_equal(name_in(stack, &reason), name);
}

static inline void expect_reason(uint32_t stack, enum tm_unnamed reason)
{
	enum tm_unnamed found;

	assert_string_equal(name_in(stack, &found), "");
	assert_int_equal(found, reason);
}

static inline void expect_refused(uint64_t ktime, enum tm_no_file reason)
{
	hand_over(ktime);
	assert_int_equal(process_at(ktime)->map_refused, reason);
	assert_int_equal(jit.open, 0);
	jit_files_end_interval(&jit, UINT64_MAX);
	round_of_maps();
	no_request();
}

#define with_maps(test) cmocka_unit_test_setup_teardown(test, begin_maps, end_maps)
