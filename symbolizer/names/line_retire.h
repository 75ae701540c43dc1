/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_retire - asks for the lines of files before their numbers are retired
 *
 * Reason     a file can be opened once more only while a number stands for it, and its number is
 *            retired two epochs after its last announcement. A report that is made later than that
 *            finds the lines that were read until then (line_requests.h).
 * Shape      a file of the open interval that nothing has named for LINE_RETIRE_QUIET_NS is asked
 *            for, with all its sampled addresses, once until it is named again. They are found in
 *            one pass over the stacks, at most one in LINE_RETIRE_SCAN_NS.
 * Limits     LINE_RETIRE_PLACES addresses in one pass; LINE_RETIRE_FILES files whose lines are read
 *            or wait for a report. The CPU time is that of line_jobs.h. What is left out has the
 *            reason `not_opened` in the report.
 * Threads    the reader's.
 */

#include "symbolizer/names/line_requests.h"
#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/aggregate.h"

#define LINE_RETIRE_QUIET_NS 8000000000ull /* less than an epoch, in which no sample may come */
#define LINE_RETIRE_SCAN_NS  3000000000ull
#define LINE_RETIRE_PLACES   65536u
#define LINE_RETIRE_FILES    64u

struct line_retire {
	struct files *files; /* borrowed, as are the others */
	struct symbol_store *store;
	struct line_requests *requests;
	uint64_t scanned_ns;
};

/* @now_ns: of CLOCK_MONOTONIC. @aggregate: of the open interval. */
void line_retire_round(struct line_retire *retire, const struct aggregate *aggregate,
		       uint64_t now_ns);
