/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_counts - a report's completeness as text that is read again and added up
 *
 * Shape      "1 hz=99 kinds=1 taken=1980 exported=1975 drops.ring_full=5 ...": a version, then
 *            names and numbers, separated by one space. What is 0 is left out; a reader skips
 *            names that it does not know.
 * Trust      the text that is read may be anything; sums stop at UINT64_MAX.
 */

#include <stddef.h>

#include "symbolizer/output/report.h"

/* Every count with the longest name and number fits. */
#define REPORT_COUNTS_BYTES 16384

enum {
	REPORT_COUNTS_E_VERSION = 1, /* not such a text, or of another version */
};

void report_counts_format(const struct report *report, char text[static REPORT_COUNTS_BYTES]);
/*
 * Adds what @text says to the counts of @report; hz, period and kinds are taken over.
 * Return: 0, REPORT_COUNTS_E_VERSION.
 */
int report_counts_add(struct report *report, const char *text);
