/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_time - instants as users write them
 *
 * Forms      02:50 or 02:50:10, local time: the last such time (or the first one after another
 *            instant); 2026-11-23 02:50 or 02:50:10, local time, with a blank or T;
 *            2026-11-23T02:50:10+01:00 or Z, of RFC 3339, seconds with a fraction.
 * Local      time by TZ or the host's zone. A time that a change of the clock leaves out or repeats
 *            is refused, and the problem says what to write instead.
 * Errors     VIEW_TIME_E_USAGE, with the sentence in the problem.
 */

#include <stdint.h>

#include "cli/problem.h"

#define VIEW_TIME_TEXT_BYTES 48

enum {
	VIEW_TIME_E_USAGE = PROBLEM_E_USAGE,
};

struct view_time_reference { /* what a time without a date is relative to */
	uint64_t now_unix_ns;
	uint64_t after_unix_ns; /* the first one after this; 0: the last one until now */
};

/* @what: the option, for the problem. Return: 0, VIEW_TIME_E_USAGE. */
int view_time_parse(const char *what, const char *text, const struct view_time_reference *reference,
		    uint64_t *ret_unix_ns, char *ret_problem);
/* Local time, "2026-11-23 02:50:10". */
void view_time_format(uint64_t unix_ns, char ret_text[VIEW_TIME_TEXT_BYTES]);
