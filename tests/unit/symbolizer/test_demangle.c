/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_demangle - texts from the real parser and from the cache, around names that kill a worker
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "symbolizer/names/demangle.h"
#include "symbolizer/names/demangle_check.h"

#define NAMES 300u

static const char *program;
static struct hash_seed seed;
static struct parser_client client;
static struct parser_requests requests;
static struct demangle demangle;
static pthread_t reader;
static atomic_bool over;
static const char *names[NAMES];
static char *texts[NAMES];
static uint32_t calls;

static void *run_reader(void *context)
{
	while (!atomic_load(&over)) {
		struct pollfd ready[] = {
			{.fd = client.socket, .events = POLLIN},
			{.fd = requests.wake[0], .events = POLLIN},
		};

		(void)poll(ready, 2, 100);
		parser_client_round(&client);
		parser_requests_round(&requests, &client);
	}
	return NULL;
}

static int begin(void **state)
{
	int fd = open(program, O_PATH | O_CLOEXEC);

	client = PARSER_CLIENT_NULL;
	assert_int_equal(hash_seed_init(&seed), 0);
	assert_int_equal(parser_client_start(&client, fd), 0);
	(void)close(fd);
	assert_int_equal(parser_requests_init(&requests), 0);
	demangle_init(&demangle, &requests, &seed);
	atomic_store(&over, false);
	return pthread_create(&reader, NULL, run_reader, NULL);
}

static void forget(void)
{
	for (uint32_t i = 0; i < NAMES; i++) {
		free(texts[i]);
		texts[i] = NULL;
	}
	calls = 0;
}

static int end(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	atomic_store(&over, true);
	assert_int_equal(pthread_join(reader, NULL), 0);
	parser_client_stop(&client, &cpu_ns, &rss_bytes);
	demangle_deinit(&demangle);
	assert_int_equal(demangle.cache.budget.used, 0);
	parser_requests_deinit(&requests);
	forget();
	return 0;
}

static void on_text(void *context, uint32_t index, const char *text)
{
	assert_ptr_equal(context, &demangle);
	assert_null(texts[index]);
	texts[index] = strdup(text);
	calls++;
}

static uint32_t ask(uint32_t count)
{
	forget();
	return demangle_all(&demangle, names, count, on_text, &demangle);
}

static void mangled_names_have_texts_and_others_none(void **state)
{
	names[0] = "_ZN3foo3barEi";
	names[1] = "main";
	names[2] = "_start";
	names[3] = "_RNvC6_123foo3bar";
	names[4] = "_D8demangle4testFiZv";
	names[5] = "_Znope";
	assert_int_equal(ask(6), 0);
	assert_int_equal(calls, 3);
	assert_string_equal(texts[0], "foo::bar(int)");
	assert_string_equal(texts[3], "123foo::bar");
	assert_string_equal(texts[4], "demangle.test(int)");
}

/* What a parser was asked for is kept. */
static void names_that_no_demangler_takes_are_not_asked_for(void **state)
{
	names[0] = "__schedule";
	names[1] = "_raw_spin_lock";
	names[2] = "main";
	names[3] = "_";
	assert_int_equal(ask(4), 0);
	assert_int_equal(demangle.cache.count, 0);
	names[0] = "_Znope";
	assert_int_equal(ask(1), 0);
	assert_int_equal(demangle.cache.count, 1);
}

static void texts_are_kept(void **state)
{
	uint32_t ended;

	names[0] = "_ZN3foo3barEi";
	names[1] = "_Znope";
	assert_int_equal(ask(2), 0);
	ended = client.ended;
	assert_int_equal(ask(2), 0);
	assert_int_equal(client.ended, ended); /* nobody was asked */
	assert_int_equal(calls, 1);
	assert_string_equal(texts[0], "foo::bar(int)");
}

/* Types of D, each twice as long as the one before it: at the end 2^40 characters. */
static void make_endless(char *name, size_t bytes)
{
	int used = snprintf(name, bytes, "_D1fFHaaHQeQg");

	for (int i = 0; i < 40; i++)
		used += snprintf(name + used, bytes - (size_t)used, "HQgQi");
	(void)snprintf(name + used, bytes - (size_t)used, "Zv");
}

static void name_that_kills_its_worker_costs_no_other_its_text(void **state)
{
	static char made[NAMES][32], endless[512];

	for (uint32_t i = 0; i < NAMES; i++) {
		(void)snprintf(made[i], sizeof(made[i]), i % 2 ? "_D1d4t%03uFiZv" : "_Z4t%03ui", i);
		names[i] = made[i];
	}
	make_endless(endless, sizeof(endless));
	names[201] = endless;
	assert_true(ask(NAMES) >= 1);
	/* On a busy machine the time for one call passes before the worker's CPU time. */
	for (unsigned i = 0; i < 60 && calls < NAMES - 1; i++)
		(void)ask(NAMES);
	assert_int_equal(calls, NAMES - 1);
	assert_null(texts[201]);
	assert_string_equal(texts[200], "t200(int)");
	assert_string_equal(texts[203], "d.t203(int)");
	assert_int_equal(ask(NAMES), 0); /* it is not asked for again */
	assert_int_equal(calls, NAMES - 1);
}

static void without_a_parser_names_are_counted_and_asked_for_again(void **state)
{
	uint64_t cpu_ns, rss_bytes;
	int fd;

	names[0] = "_ZN3foo3barEi";
	names[1] = "_ZN3foo3bazEi";
	names[2] = "main";
	atomic_store(&over, true);
	assert_int_equal(pthread_join(reader, NULL), 0);
	parser_client_stop(&client, &cpu_ns, &rss_bytes);
	client = PARSER_CLIENT_NULL;
	atomic_store(&over, false);
	assert_int_equal(pthread_create(&reader, NULL, run_reader, NULL), 0);
	assert_int_equal(ask(3), 2);
	assert_int_equal(calls, 0);
	atomic_store(&over, true);
	assert_int_equal(pthread_join(reader, NULL), 0);
	fd = open(program, O_PATH | O_CLOEXEC);
	assert_int_equal(parser_client_start(&client, fd), 0);
	(void)close(fd);
	atomic_store(&over, false);
	assert_int_equal(pthread_create(&reader, NULL, run_reader, NULL), 0);
	assert_int_equal(ask(3), 0);
	assert_int_equal(calls, 2);
}

static void cache_evicts_what_was_not_looked_up_for_longest(void **state)
{
	struct demangle_cache cache;
	static char text[4000];
	char name[32];
	uint32_t kept = 0;

	memset(text, 'x', sizeof(text) - 1);
	demangle_cache_init(&cache, &seed);
	demangle_cache_add(&cache, "_Zfirst", "first");
	for (uint32_t i = 0; i < 10000; i++) {
		(void)snprintf(name, sizeof(name), "_Z%u", i);
		demangle_cache_add(&cache, name, text);
		assert_string_equal(demangle_cache_find(&cache, "_Zfirst"), "first");
		assert_true(cache.budget.used <= DEMANGLE_CACHE_BYTES);
	}
	for (uint32_t i = 0; i < 10000; i++) {
		(void)snprintf(name, sizeof(name), "_Z%u", i);
		kept += demangle_cache_find(&cache, name) != NULL;
	}
	assert_in_range(kept, 1000, 9000);
	assert_non_null(demangle_cache_find(&cache, "_Z9999"));
	assert_null(demangle_cache_find(&cache, "_Z0"));
	demangle_cache_deinit(&cache);
	assert_int_equal(cache.budget.used, 0);
}

struct blob {
	struct parser_demangled header;
	uint32_t places[2];
	char texts[8];
};

static int check(const struct blob *blob, size_t bytes, uint32_t count)
{
	struct demangle_check checked;

	return demangle_check(&checked, blob, bytes, count);
}

static void each_field_of_a_result_is_checked(void **state)
{
	const struct blob good = {
		{PARSER_DEMANGLE_MAGIC, 2, 8, 0}, {4, PARSER_NO_NAME}, "abc\0def"};
	struct blob blob = good;

	assert_int_equal(check(&blob, sizeof(blob), 2), 0);
	assert_int_equal(check(&blob, sizeof(blob), 1), -EBADMSG);
	assert_int_equal(check(&blob, sizeof(blob) - 1, 2), -EBADMSG);
	assert_int_equal(check(&blob, sizeof(blob.header) - 1, 2), -EBADMSG);
	assert_int_equal(check(&blob, sizeof(blob), UINT32_MAX), -EBADMSG);
	blob.header.magic++;
	assert_int_equal(check(&blob, sizeof(blob), 2), -EBADMSG);
	blob = good;
	blob.places[1] = 8; /* behind the texts */
	assert_int_equal(check(&blob, sizeof(blob), 2), -EBADMSG);
	blob.places[1] = 7; /* empty */
	assert_int_equal(check(&blob, sizeof(blob), 2), -EBADMSG);
	blob = good;
	blob.texts[7] = 'x';
	assert_int_equal(check(&blob, sizeof(blob), 2), -EBADMSG);
}

static void text_of_a_result_is_not_longer_than_the_longest(void **state)
{
	struct {
		struct parser_demangled header;
		uint32_t place;
		char text[PARSER_DISPLAY_MAX + 2];
	} blob = {.header = {PARSER_DEMANGLE_MAGIC, 1, PARSER_DISPLAY_MAX + 2, 0}};
	struct demangle_check checked;

	memset(blob.text, 'x', PARSER_DISPLAY_MAX);
	assert_int_equal(demangle_check(&checked, &blob, sizeof(blob), 1), 0);
	blob.text[PARSER_DISPLAY_MAX] = 'x';
	assert_int_equal(demangle_check(&checked, &blob, sizeof(blob), 1), -EBADMSG);
}

#define with_parser(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_parser(mangled_names_have_texts_and_others_none),
		with_parser(names_that_no_demangler_takes_are_not_asked_for),
		with_parser(texts_are_kept),
		with_parser(name_that_kills_its_worker_costs_no_other_its_text),
		with_parser(without_a_parser_names_are_counted_and_asked_for_again),
		cmocka_unit_test(cache_evicts_what_was_not_looked_up_for_longest),
		cmocka_unit_test(each_field_of_a_result_is_checked),
		cmocka_unit_test(text_of_a_result_is_not_longer_than_the_longest),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
