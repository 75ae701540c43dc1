/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_jobs_fixture - symbol_jobs beside unwind_jobs, with the same parser and collector
 */

#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

#include <stdio.h>
#include <sys/mman.h>

#include "shared/cleanup.h"
#include "symbolizer/names/symbol_jobs.h"
#include "tests/unit/symbolizer/make_symbols.h"

static struct symbol_jobs symbols;
static int target; /* what each file's descriptor is open on */

static inline int begin_symbols(void **state)
{
	int r = begin(state);

	symbol_jobs_init(&symbols, &recording.files, &recording.store, &client, wire[0]);
	symbols.vdso_wanted = false;
	target = memfd_create("target", MFD_CLOEXEC);
	assert_int_equal(ftruncate(target, 100), 0);
	return r;
}

static inline int end_symbols(void **state)
{
	symbol_jobs_deinit(&symbols);
	(void)close(target);
	return end(state);
}

/* A descriptor for reading alone, as the collector's are. */
static inline int reopen_target(void)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", target);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Announced with @ino and the target's size and times, and its descriptor has arrived. */
static inline struct tm_identity hand_over(uint32_t number, uint64_t ino, uint64_t ktime)
{
	make_file(&record, number, ino, "x\0", 2);
	make_identity_of(&record, target);
	record.event.ktime = ktime;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_opened(&recording.files, number, ktime, reopen_target());
	return record.file.identity;
}

static inline void round_of_symbols(void)
{
	parser_client_round(&client);
	unwind_jobs_round(&jobs);
	symbol_jobs_round(&symbols, true);
}

static inline uint32_t request_of(enum parser_kind kind)
{
	struct parser_message request;
	int fd;

	assert_int_equal(take_request(&request, &fd), 0);
	assert_int_equal(request.kind, kind);
	assert_int_equal(request.count, 0);
	assert_int_equal(request.parts, 0);
	assert_true(fd >= 0);
	(void)close(fd);
	return request.id;
}

static inline void answer_symbols(uint32_t id, uint32_t status)
{
	const struct parser_message result = {.kind = PARSER_RESULT, .id = id, .status = status};
	const struct symbols good = make_symbols();
	int fd = status ? -1 : tm_region_seal_blob("symbols", &good, sizeof(good));

	assert_int_equal(tm_fdpass_send(parser[1], &result, sizeof(result), fd, 0), 0);
	if (fd >= 0)
		(void)close(fd);
}

/* Answers the unwind request. Return: the id of the one for symbols that follows. */
static inline uint32_t symbols_are_asked_for(void)
{
	const struct table table = good_table();

	answer(request_of(PARSER_ROWS), PARSER_OK, &table);
	round_of_symbols();
	return request_of(PARSER_SYMBOLS);
}

static inline enum tm_unnamed reason(const struct tm_identity *identity)
{
	struct symbol_store_pin pin;

	symbol_store_pin(&recording.store, identity, &pin);
	symbol_store_unpin(&recording.store, &pin);
	return pin.reason;
}

static inline bool has_table(const struct tm_identity *identity)
{
	struct symbol_store_pin pin;
	bool has;

	symbol_store_pin(&recording.store, identity, &pin);
	has = pin.entry != SYMBOL_STORE_NO_ENTRY;
	symbol_store_unpin(&recording.store, &pin);
	return has;
}

#define with_symbols(test) cmocka_unit_test_setup_teardown(test, begin_symbols, end_symbols)
