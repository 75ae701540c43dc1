/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_debug_fetches - what is fetched from servers names a file only with that file's build id
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/names/debug_fetches.h"
#include "tests/unit/symbolizer/make_symbols.h"

#define BUDGET   (1u << 20)
#define ID_BYTES 20u

static struct symbol_store store;
static struct hash_seed seed = {{4, 2}};
static struct parser_client parser;
static struct debuginfod_client client;
static struct debug_fetches fetches;
static int parser_end, server_end; /* of the two processes */

static int connect_to(int *ret_theirs)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	*ret_theirs = ends[1];
	return ends[0];
}

static int begin(void **state)
{
	assert_int_equal(symbol_store_init(&store, BUDGET, &seed), 0);
	symbol_debug_enable(&store);
	parser = PARSER_CLIENT_NULL;
	parser_client_attach(&parser, connect_to(&parser_end), 0);
	debuginfod_client_init(&client, connect_to(&server_end));
	debug_fetches_init(&fetches, &store, &parser, &client);
	return 0;
}

static int end(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	debug_fetches_deinit(&fetches);
	debuginfod_client_deinit(&client);
	parser_client_stop(&parser, &cpu_ns, &rss_bytes);
	(void)close(parser_end);
	(void)close(server_end);
	symbol_store_deinit(&store);
	return store.budget.used == 0 ? 0 : -1;
}

static struct tm_identity identity_of(uint64_t ino)
{
	return (struct tm_identity){.dev = 8, .ino = ino};
}

/* The result of the parser. @number: in the build id. Return: descriptor. */
static int make_table(uint8_t number, uint32_t flags)
{
	struct symbols symbols = make_symbols();
	int fd;

	symbols.header.flags = flags;
	symbols.header.build_id_bytes = ID_BYTES;
	memset(symbols.header.build_id, 0, sizeof(symbols.header.build_id));
	symbols.header.build_id[0] = number;
	fd = tm_region_seal_blob("symbols", &symbols, sizeof(symbols));
	assert_true(fd >= 0);
	return fd;
}

/* A sampled file without .symtab, whose debug file this host lacks. @ino: also in its build id. */
static void add_file(uint8_t ino)
{
	const struct tm_identity identity = identity_of(ino);
	struct symbol_debug_links links;

	assert_int_equal(symbol_store_begin(&store, &identity, 0), 0);
	symbol_store_put(&store, &identity, make_table(ino, 0), 0);
	assert_true(symbol_debug_is_wanted(&store, &identity));
	symbol_debug_end(&store, &identity, INT64_MAX);
	assert_int_equal(symbol_debug_links(&store, &identity, &links), 0);
	debug_fetches_add(&fetches, &identity, &links);
}

static void serve(void)
{
	parser_client_round(&parser);
	debuginfod_client_round(&client);
	debug_fetches_round(&fetches);
}

/* The server's answer to the next request, which is for @number. */
static void answer_fetch(uint8_t number, enum debuginfod_status status)
{
	int fd = status == DEBUGINFOD_OK ? tm_region_seal_blob("file", "ELF", 3) : -1;
	struct debuginfod_message message;

	serve();
	assert_int_equal(tm_fdpass_recv(server_end, &message, sizeof(message), NULL, MSG_DONTWAIT),
			 0);
	assert_int_equal(message.build_id[0], number);
	message = (struct debuginfod_message){DEBUGINFOD_RESULT, message.id, status, 0, {0}};
	assert_int_equal(tm_fdpass_send(server_end, &message, sizeof(message), fd, 0), 0);
	if (fd >= 0)
		(void)close(fd);
	serve();
}

/* The parser's answer to the next request. Takes @fd. */
static void answer_parse(enum parser_status status, int fd)
{
	struct parser_message message;
	int file = -1;

	assert_int_equal(tm_fdpass_recv(parser_end, &message, sizeof(message), &file, MSG_DONTWAIT),
			 0);
	assert_int_equal(message.kind, PARSER_SYMBOLS);
	assert_true(file >= 0);
	(void)close(file);
	message =
		(struct parser_message){.kind = PARSER_RESULT, .id = message.id, .status = status};
	assert_int_equal(tm_fdpass_send(parser_end, &message, sizeof(message), fd, 0), 0);
	if (fd >= 0)
		(void)close(fd);
	serve();
}

static bool has_debug_file(uint64_t ino)
{
	const struct tm_identity identity = identity_of(ino);

	return store.entries[symbol_entries_find(&store, &identity)].debug.header != NULL;
}

static bool is_asked_for(uint8_t ino)
{
	struct debuginfod_message message;
	struct symbol_debug_links links;
	const struct tm_identity identity = identity_of(ino);

	assert_int_equal(symbol_debug_links(&store, &identity, &links), 0);
	debug_fetches_add(&fetches, &identity, &links);
	serve();
	return tm_fdpass_recv(server_end, &message, sizeof(message), NULL, MSG_DONTWAIT) == 0;
}

static void a_fetched_file_with_the_right_build_id_names_its_file(void **state)
{
	add_file(1);
	add_file(2);
	add_file(3);
	answer_fetch(1, DEBUGINFOD_OK);
	answer_parse(PARSER_OK, make_table(1, PARSER_SYMBOLS_HAS_SYMTAB));
	assert_true(has_debug_file(1));
	assert_false(has_debug_file(2));
	answer_fetch(2, DEBUGINFOD_NOT_FOUND);
	answer_fetch(3, DEBUGINFOD_OK);
	answer_parse(PARSER_OK, make_table(3, PARSER_SYMBOLS_HAS_SYMTAB));
	assert_false(has_debug_file(2));
	assert_true(has_debug_file(3));
	assert_int_equal(fetches.used, 2);
}

static void a_file_with_another_build_id_names_nothing_and_is_not_fetched_again(void **state)
{
	add_file(1);
	answer_fetch(1, DEBUGINFOD_OK);
	answer_parse(PARSER_OK, make_table(2, PARSER_SYMBOLS_HAS_SYMTAB));
	assert_false(has_debug_file(1));
	assert_int_equal(client.counts[TM_DEBUGINFOD_REFUSED], 1);
	assert_false(is_asked_for(1));
}

static void nonsense_is_refused(void **state)
{
	add_file(1);
	answer_fetch(1, DEBUGINFOD_OK);
	answer_parse(PARSER_NOT_ELF, -1);
	add_file(2);
	answer_fetch(2, DEBUGINFOD_OK);
	answer_parse(PARSER_OK, make_table(2, PARSER_SYMBOLS_HAS_DYNSYM));
	add_file(3);
	answer_fetch(3, DEBUGINFOD_OK);
	answer_parse(PARSER_OK, tm_region_seal_blob("table", "nonsense", 8));
	for (uint8_t i = 1; i <= 3; i++) {
		assert_false(has_debug_file(i));
		assert_false(is_asked_for(i));
	}
	assert_int_equal(client.counts[TM_DEBUGINFOD_REFUSED], 3);
}

static void a_file_that_could_not_be_parsed_for_now_is_fetched_again(void **state)
{
	add_file(1);
	answer_fetch(1, DEBUGINFOD_OK);
	answer_parse(PARSER_TIMEOUT, -1);
	assert_false(has_debug_file(1));
	assert_true(is_asked_for(1));
}

static void a_lost_parser_frees_the_answer(void **state)
{
	add_file(1);
	answer_fetch(1, DEBUGINFOD_OK);
	(void)close(parser_end);
	serve();
	assert_int_equal(fetches.slots[0].stage + fetches.slots[1].stage, DEBUG_FETCHES_FREE);
	assert_int_equal(fetches.slots[0].fd, -1);
	assert_int_equal(fetches.slots[1].fd, -1);
}

static void a_file_without_a_build_id_is_not_asked_for(void **state)
{
	const struct symbol_debug_links links = {.link = "a.debug"};
	const struct tm_identity identity = identity_of(1);

	debug_fetches_add(&fetches, &identity, &links);
	assert_int_equal(fetches.head, fetches.tail);
}

static void files_beyond_the_queue_are_forgotten(void **state)
{
	const struct symbol_debug_links links = {.build_id_bytes = ID_BYTES};
	const struct tm_identity identity = identity_of(1);

	for (unsigned i = 0; i < DEBUG_FETCHES_QUEUE + 1; i++)
		debug_fetches_add(&fetches, &identity, &links);
	assert_int_equal(fetches.tail - fetches.head, DEBUG_FETCHES_QUEUE);
}

static void a_process_that_dies_costs_what_it_would_have_fetched(void **state)
{
	add_file(1);
	serve();
	(void)close(server_end);
	serve();
	assert_int_equal(fetches.slots[0].stage, DEBUG_FETCHES_FREE);
	assert_false(has_debug_file(1));
	add_file(2);
	serve();
	assert_false(has_debug_file(2));
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CLAIM(a_fetched_file_with_the_right_build_id_names_its_file),
		CLAIM(a_file_with_another_build_id_names_nothing_and_is_not_fetched_again),
		CLAIM(nonsense_is_refused),
		CLAIM(a_file_that_could_not_be_parsed_for_now_is_fetched_again),
		CLAIM(a_lost_parser_frees_the_answer),
		CLAIM(a_file_without_a_build_id_is_not_asked_for),
		CLAIM(files_beyond_the_queue_are_forgotten),
		CLAIM(a_process_that_dies_costs_what_it_would_have_fetched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
