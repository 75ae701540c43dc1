/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_names - gives the places of a report their inlined calls and source lines
 *
 * What is not in the cache is asked for, and waited for as long as the caller says. What has not
 * come by then, the next report finds.
 *
 * Trust      the parser's result is checked whole (lines_check.h) here, off the reader's thread.
 * Threads    the reporter's.
 */

#include "symbolizer/names/line_cache.h"
#include "symbolizer/names/line_requests.h"
#include "symbolizer/names/name_table.h"

struct line_names {
	struct line_requests *requests; /* borrowed */
	struct line_cache cache;
};

void line_names_init(struct line_names *lines, struct line_requests *requests,
		     const struct hash_seed *seed);
void line_names_deinit(struct line_names *lines);
/*
 * Gives calls to the places of @names, which are resolved, or a reason why they have none.
 * @files: those of the places.
 */
void line_names_resolve(struct line_names *lines, struct name_table *names,
			const struct files *files, int64_t timeout_ms);
/* Whether its lines are worth a request. @pin: of its symbols. */
bool line_names_may_have(const struct symbol_store_pin *pin);
struct line_requests_build_id line_names_build_id(const struct parser_symbol_table *header);
