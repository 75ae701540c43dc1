/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_jobs_fixture - unwind_jobs between two sockets, whose other ends play the parser and the
 * collector
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/unwind_map.h"
#include "shared/wire.h"
#include "symbolizer/unwind/table_cache_write.h"
#include "symbolizer/unwind/unwind_jobs.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_table.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct unwind_jobs jobs;
static struct parser_client client;
static struct table_cache cache;
static union make_record record;
static int parser[2], wire[2]; /* ours, theirs */

static inline struct table good_table(void)
{
	return table_at(0x1000);
}

static inline int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, parser), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire), 0);
	client = PARSER_CLIENT_NULL;
	client.socket = parser[0];
	cache = TABLE_CACHE_NULL;
	assert_int_equal(unwind_jobs_init(&jobs, &recording.files, &cache, &client, wire[0]), 0);
	jobs.vdso_wanted = false;
	return 0;
}

static inline int end(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	unwind_jobs_deinit(&jobs);
	parser_client_stop(&client, &cpu_ns, &rss_bytes);
	assert_int_equal(recording_end(&recording), 0);
	(void)close(parser[1]);
	(void)close(wire[0]);
	(void)close(wire[1]);
	return 0;
}

/* One round of the session: first answers, then new requests. */
static inline void round_of_jobs(void)
{
	parser_client_round(&client);
	unwind_jobs_round(&jobs);
}

/* Announces the file and delivers its descriptor. */
static inline void open_file(uint32_t number, uint64_t ktime)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	make_file(&record, number, number + 100, "x\0", 2);
	make_identity_of(&record, fd);
	record.event.ktime = ktime;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_opened(&recording.files, number, ktime, fd);
}

/* Receives the next request. Return: 0, TM_FDPASS_E_AGAIN: there is none. */
static inline int take_request(struct parser_message *request, int *ret_target)
{
	return tm_fdpass_recv(parser[1], request, sizeof(*request), ret_target, MSG_DONTWAIT);
}

static inline uint32_t request_for_a_file(void)
{
	struct parser_message request;
	int target;

	assert_int_equal(take_request(&request, &target), 0);
	assert_int_equal(request.kind, PARSER_ROWS);
	assert_int_equal(request.count, 0);
	assert_true(target >= 0);
	(void)close(target);
	return request.id;
}

static inline void no_request(void)
{
	struct parser_message request;
	int target;

	assert_int_equal(take_request(&request, &target), TM_FDPASS_E_AGAIN);
}

static inline void answer(uint32_t id, uint32_t status, const struct table *table)
{
	struct parser_message result = {.kind = PARSER_RESULT, .id = id, .status = status};
	int fd = table ? tm_region_seal_blob("table", table, sizeof(*table)) : -1;

	assert_int_equal(tm_fdpass_send(parser[1], &result, sizeof(result), fd, 0), 0);
	if (fd >= 0)
		(void)close(fd);
}

/* Receives and checks the next table for the collector. Return: its pages. */
static inline uint32_t pages_of(uint32_t number, uint64_t value)
{
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;
	struct tm_wire message;
	uint32_t pages;
	int fd;

	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_UNWIND_TABLE);
	assert_int_equal(message.number, number);
	assert_int_equal(message.value, value);
	assert_int_equal(tm_region_open_blob(&region, fd, TM_UNWIND_TABLE_BYTES_MAX), 0);
	assert_int_equal(tm_unwind_table_check(&view, region.addr, region.bytes), 0);
	pages = view.header->pages;
	tm_region_close(&region);
	return pages;
}

/* The collector's next message must be that the file could not be parsed and has no table yet. */
static inline void says_failed(uint32_t number, uint64_t value)
{
	struct tm_wire message;
	int fd;

	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(message.kind, TM_WIRE_UNWIND_FAILED);
	assert_int_equal(message.number, number);
	assert_int_equal(message.value, value);
	assert_int_equal(fd, -1);
}

static inline void nothing_is_sent(void)
{
	struct tm_wire message;
	int fd;

	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
}

#define of_its_own(test) cmocka_unit_test_setup_teardown(test, begin, end)
