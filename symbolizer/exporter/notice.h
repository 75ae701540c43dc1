/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * notice - prints lines to stderr, one in an interval, and counts those left out
 *
 * Why        a receiver that refuses everything would fill a log. What was lost is in the OUTCOMEs;
 *            these lines only say why.
 */

#include <stdint.h>

#define NOTICE_INTERVAL_MS 60000

struct notice {
	int64_t next_ms; /* nothing is printed before */
	uint64_t left_out;
};

/* One line, without a newline, of valid UTF-8. @now_ms: CLOCK_MONOTONIC. */
__attribute__((format(printf, 3, 4))) void notice_print(struct notice *notice, int64_t now_ms,
							const char *format, ...);
