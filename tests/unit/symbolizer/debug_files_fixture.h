/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_files_fixture - debug_files between a fake collector and a fake parser, and one stripped
 * file
 */

#include "symbolizer/names/debug_files.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

#include <stdio.h>

#define NUMBER 1u
#define KTIME  10u
#define CRC    0x12345678u

static struct debug_files debug;
static struct tm_identity identity;

struct handed { /* to debug_files_request's listener */
	unsigned count;
	uint32_t file;
	int fd;
	enum tm_no_file reason;
};
static struct handed handed;

static void listen_to(void *context, uint32_t file, enum debug_files_kind kind, int fd,
		      enum tm_no_file reason)
{
	handed = (struct handed){handed.count + 1, file, fd, reason};
	if (fd >= 0)
		(void)close(fd);
}

static int begin_debug(void **state)
{
	int r = begin(state);

	debug_files_init(&debug, &recording.files, &recording.store, &client, wire[0], true);
	debug_files_listen(&debug, listen_to, NULL);
	handed = (struct handed){.fd = -1};
	make_file(&record, NUMBER, 7, "x\0", 2);
	record.event.ktime = KTIME;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_opened(&recording.files, NUMBER, KTIME, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	identity = record.file.identity;
	return r;
}

static int end_debug(void **state)
{
	debug_files_deinit(&debug);
	return end(state);
}

/* A stripped file: its link is `main`, its alternative file `help`. */
static struct symbols stripped(void)
{
	struct symbols made = make_symbols();

	made.header.flags = PARSER_SYMBOLS_HAS_DYNSYM;
	made.header.build_id_bytes = 8;
	made.header.debuglink = 1;
	made.header.debuglink_crc = CRC;
	return made;
}

/* Its debug file, with another name at 0x10010. */
static struct symbols debug_of(const struct symbols *file)
{
	struct symbols made = *file;

	made.header.flags = PARSER_SYMBOLS_HAS_SYMTAB;
	made.header.debuglink = PARSER_NO_NAME;
	made.header.segment_count = 2;
	made.symbols[0].name = 11; /* "last" */
	return made;
}

static int seal(const struct symbols *made)
{
	return tm_region_seal_blob("symbols", made, sizeof(*made));
}

static void put_file(const struct symbols *made)
{
	assert_int_equal(symbol_store_begin(&recording.store, &identity, 0), 0);
	symbol_store_put(&recording.store, &identity, seal(made), 0);
	debug_files_add(&debug, 0, &identity);
}

static void round_of_debug(void)
{
	parser_client_round(&client);
	debug_files_round(&debug, /* serves= */ true);
}

static struct tm_wire asked(enum tm_debug_form form, const void *text, size_t bytes)
{
	struct tm_wire message;
	int fd;

	assert_int_equal(tm_fdpass_recv(wire[1], &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(message.kind, TM_WIRE_DEBUG_FILE);
	assert_int_equal(message.number, NUMBER);
	assert_int_equal(message.value, KTIME);
	assert_int_equal(message.form, form);
	assert_int_equal(message.text_bytes, bytes);
	assert_memory_equal(message.text, text, bytes);
	message.kind = TM_WIRE_OPENED;
	message.form = 0;
	return message;
}

static struct tm_wire build_id_is_asked(void)
{
	return asked(TM_DEBUG_BUILD_ID, "\xab\x01\0\0\0\0\0\0", 8);
}

static void is_missing(struct tm_wire answer)
{
	answer.form = TM_NO_FILE_GONE;
	debug_files_opened(&debug, &answer, -1);
}

static void is_opened(const struct tm_wire *answer)
{
	debug_files_opened(&debug, answer, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

/* The parser is asked for the symbols of what was opened, and answers. */
static void is_parsed(const struct symbols *made, bool with_crc)
{
	struct parser_message result = {.kind = PARSER_RESULT}, request;
	int fd, target;

	assert_int_equal(take_request(&request, &target), 0);
	assert_int_equal(request.kind, PARSER_SYMBOLS);
	assert_int_equal(request.count, with_crc);
	assert_true(target >= 0);
	(void)close(target);
	fd = seal(made);
	result.id = request.id;
	assert_int_equal(tm_fdpass_send(parser[1], &result, sizeof(result), fd, 0), 0);
	(void)close(fd);
}

static bool reports_wait(void)
{
	return !symbol_store_wait(&recording.store, &identity, 1, 0);
}

/* The name at @vaddr in the debug file; "": there is no debug file, or none there. */
static const char *debug_name(uint64_t vaddr)
{
	static char name[16];
	const struct parser_symbol *symbol = NULL;
	struct symbol_store_pin pin;

	symbol_store_pin(&recording.store, &identity, &pin);
	if (pin.debug.header)
		symbol = symbol_table_find(&pin.debug, vaddr);
	(void)snprintf(name, sizeof(name), "%s",
		       symbol ? symbol_table_name(&pin.debug, symbol) : "");
	symbol_store_unpin(&recording.store, &pin);
	return name;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin_debug, end_debug)
