/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle - the texts of mangled names, from the parser, and kept from one report to the next
 */

#include "symbolizer/names/demangle.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/region.h"
#include "symbolizer/names/demangle_check.h"

struct work {
	struct demangle *demangle;
	const char *const *names;
	uint32_t *missing; /* owned: indices of names */
	uint32_t missing_count;
	demangle_fn fn;
	void *context;
	int64_t end_ms;
	uint32_t requests;
	uint32_t unanswered;
};

enum {
	E_DIED = 1, /* the worker did */
	E_NONE = 2, /* there is no answer */
};

void demangle_init(struct demangle *demangle, struct parser_requests *requests,
		   const struct hash_seed *seed)
{
	demangle->requests = requests;
	demangle_cache_init(&demangle->cache, seed);
}

void demangle_deinit(struct demangle *demangle)
{
	demangle_cache_deinit(&demangle->cache);
}

/* Whether it can be mangled at all: most names are not, and need no worker. */
static bool is_candidate(const char *name)
{
	return name[0] == '_' && name[1] && strchr("ZRDG", name[1]) &&
	       strlen(name) <= PARSER_NAME_MAX;
}

static bool is_of_d(const char *name)
{
	return name[1] == 'D';
}

static void take_text(struct work *work, uint32_t index, const char *text)
{
	demangle_cache_add(&work->demangle->cache, work->names[index], text);
	if (*text)
		work->fn(work->context, index, text);
}

/* Return: a sealed blob of the names; -ENOMEM, -errno. */
static int seal_names(const struct work *work, const uint32_t *missing, uint32_t count)
{
	char *blob, *at;
	size_t bytes = 0;
	int fd;

	for (uint32_t i = 0; i < count; i++)
		bytes += strlen(work->names[missing[i]]) + 1;
	blob = malloc(bytes);
	if (!blob)
		return -ENOMEM;
	at = blob;
	for (uint32_t i = 0; i < count; i++)
		at = stpcpy(at, work->names[missing[i]]) + 1;
	fd = tm_region_seal_blob("tidemark-names", blob, bytes);
	free(blob);
	return fd;
}

/* Takes @fd. Return: 0, E_NONE: the answer is malformed. */
static int take_answer(struct work *work, int fd, const uint32_t *missing, uint32_t count)
{
	_cleanup_(tm_region_close) struct tm_region region = TM_REGION_NULL;
	struct demangle_check checked;

	if (tm_region_open_blob(&region, fd, DEMANGLE_CHECK_MAX_BYTES) < 0) {
		(void)tm_close(fd);
		return E_NONE;
	}
	if (demangle_check(&checked, region.addr, region.bytes, count) < 0)
		return E_NONE;
	for (uint32_t i = 0; i < count; i++)
		take_text(work, missing[i],
			  checked.places[i] == PARSER_NO_NAME ? ""
							      : checked.texts + checked.places[i]);
	return 0;
}

/* Return: 0, E_DIED, E_NONE. */
static int ask(struct work *work, const uint32_t *missing, uint32_t count)
{
	_cleanup_(tm_closep) int names = seal_names(work, missing, count);
	const struct parser_client_request request = {
		.kind = PARSER_DEMANGLE,
		.target = -1,
		.parts = {names, -1},
		.part_count = 1,
		.count = count,
	};
	struct parser_client_answer answer;
	int64_t left_ms = work->end_ms - (int64_t)tm_clock_ms();

	if (names < 0 || left_ms <= 0 || work->requests++ == DEMANGLE_REQUESTS_MAX ||
	    parser_requests_ask(work->demangle->requests, &request, left_ms, &answer)) {
		work->end_ms = 0; /* nor for the others */
		return E_NONE;
	}
	if (answer.fd >= 0)
		return take_answer(work, answer.fd, missing, count);
	return answer.failure == TM_PARSE_CRASHED || answer.failure == TM_PARSE_CPU ||
			       answer.failure == TM_PARSE_DEADLINE
		       ? E_DIED
		       : E_NONE;
}

/* At most four calls deep: a part is a sixteenth. */
static void ask_in_parts(struct work *work, const uint32_t *missing, uint32_t count)
{
	const uint32_t part = (count + DEMANGLE_PARTS - 1) / DEMANGLE_PARTS;
	int r = ask(work, missing, count);

	if (r == 0)
		return;
	if (r == E_DIED && count == 1)
		take_text(work, missing[0], "");
	if (r == E_NONE || count == 1) {
		work->unanswered += count;
		return;
	}
	for (uint32_t first = 0; first < count; first += part)
		ask_in_parts(work, missing + first, part < count - first ? part : count - first);
}

/* The names that are not kept: those of D, or the others. */
static void find_missing(struct work *work, uint32_t count, bool of_d)
{
	work->missing_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *text;

		if (!is_candidate(work->names[i]) || is_of_d(work->names[i]) != of_d)
			continue;
		text = demangle_cache_find(&work->demangle->cache, work->names[i]);
		if (!text)
			work->missing[work->missing_count++] = i;
		else if (*text)
			work->fn(work->context, i, text);
	}
}

static void ask_for_missing(struct work *work)
{
	uint32_t at = 0;

	while (at < work->missing_count) {
		uint32_t left = work->missing_count - at;
		uint32_t count = left < PARSER_DEMANGLE_MAX ? left : PARSER_DEMANGLE_MAX;

		ask_in_parts(work, work->missing + at, count);
		at += count;
	}
}

uint32_t demangle_all(struct demangle *demangle, const char *const *names, uint32_t count,
		      demangle_fn fn, void *context)
{
	struct work work = {
		.demangle = demangle,
		.names = names,
		.missing = calloc(count ? count : 1, sizeof(*work.missing)),
		.fn = fn,
		.context = context,
		.end_ms = (int64_t)tm_clock_ms() + DEMANGLE_WAIT_MS,
	};

	if (!work.missing)
		return count;
	for (int of_d = 0; of_d < 2; of_d++) {
		find_missing(&work, count, of_d);
		ask_for_missing(&work);
	}
	free(work.missing);
	return work.unanswered;
}
