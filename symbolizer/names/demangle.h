/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * demangle - the texts of mangled names, from the parser, and kept from one report to the next
 *
 * Hostile    a name that kills its worker is found by asking again for parts of the request that
 *            failed, and is not asked for again while it is kept; D's names, the only ones without
 *            a bound of their own, are asked for by themselves.
 * Limits     DEMANGLE_WAIT_MS and DEMANGLE_REQUESTS_MAX for one call. Names that have no answer
 *            then are counted and stay as they are; the next call asks for them again.
 * Threads    the reporter's; the reader's sends what it asks for (parser_requests.h).
 */

#include "symbolizer/names/demangle_cache.h"
#include "symbolizer/names/parser_requests.h"

#define DEMANGLE_WAIT_MS      10000
#define DEMANGLE_REQUESTS_MAX 512u
#define DEMANGLE_PARTS        16u /* of a request whose worker died */

struct demangle {
	struct parser_requests *requests; /* borrowed */
	struct demangle_cache cache;
};

/* @index: of the name. @text: its own, until the function returns. */
typedef void (*demangle_fn)(void *context, uint32_t index, const char *text);

void demangle_init(struct demangle *demangle, struct parser_requests *requests,
		   const struct hash_seed *seed);
void demangle_deinit(struct demangle *demangle);
/*
 * @names: distinct. Calls @fn for each one that is mangled.
 * Return: how many have no answer.
 */
uint32_t demangle_all(struct demangle *demangle, const char *const *names, uint32_t count,
		      demangle_fn fn, void *context);
