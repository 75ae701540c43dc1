/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collect - the names of all sampled places, for a report or before a file's descriptor is closed
 */

#include "symbolizer/names/name_table.h"
#include "symbolizer/names/symbol_cache.h"
#include "symbolizer/unwind/unwind_jobs.h"

struct collect { /* what a recording's names are collected from and by; all borrowed */
	struct symbol_cache_store *symbols;
	struct unwind_jobs *jobs;
	struct parser_client *parser;
	uint64_t unnamed_files; /* files that could not be parsed, since the caller made it 0 */
};

/* For a report. @ktime: now, by W. @last: no other report follows. The caller ends @names. */
void collect_names(struct collect *collect, struct name_table *names,
		   const struct aggregate *aggregate, uint64_t ktime, bool last);
/* Of files that ended: keeps their symbols until the report and closes their descriptors. */
void collect_pending(struct collect *collect, const struct aggregate *aggregate, uint64_t ktime);
