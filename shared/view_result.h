/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_result - what tidemark-viewer says of the reports that it merged
 *
 * Shape      the body of a TM_CONTROL_RESULT. Times are Unix time in ns; 0: there is none.
 * Trust      the command does not trust the viewer: it prints these numbers and decides by them
 *            only whether there was something to show.
 */

#include "shared/control.h"

#define TM_VIEW_SIDES 2 /* of a comparison: what is shown, and what it is compared with */

struct tm_view_side {
	uint64_t reports;                        /* of the window */
	uint64_t start_unix_ns, end_unix_ns;     /* that they span */
	uint64_t covered_ns;                     /* of it, by a report */
	uint64_t available_start, available_end; /* of all reports, of whatever window */
	uint64_t samples, ns;                    /* on-CPU, after the selection */
	uint64_t waits, wait_ns;                 /* off-CPU, likewise */
	uint64_t missing; /* samples that the reports count and that are not in the files */
};

struct tm_view_result {
	struct tm_view_side sides[TM_VIEW_SIDES];
	uint64_t damaged; /* parts of files that cannot be read */
	uint64_t again;   /* profiles that were read twice */
	uint64_t foreign; /* profiles that are not tidemark's */
};

_Static_assert(sizeof(struct tm_view_result) <= TM_CONTROL_WORDS * sizeof(uint64_t),
	       "fits into a message");

static inline struct tm_view_result *tm_view_result(struct tm_control *message)
{
	return (struct tm_view_result *)message->body.words;
}
