/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_notes - what a report could not do, said to the command, or in the journal of a service
 *
 * Limits     in a journal each text once in REPORT_NOTES_PAUSE_MS, with the number of that report:
 *            one file that can never be parsed would fill it, a line each interval for months. More
 *            than REPORT_NOTES_MAX texts: the others are not limited.
 * Threads    the reporter's.
 */

#include <stdbool.h>

#include "symbolizer/report_job.h"

#define REPORT_NOTES_PAUSE_MS 3600000u
#define REPORT_NOTES_MAX      32u

struct report_notes { /* all 0: nothing was said yet */
	struct {
		const char *what; /* static text, known by its address */
		uint64_t next_ms;
	} said[REPORT_NOTES_MAX];
};

/* Whether it may be said, which is noted then. */
bool report_notes_is_due(struct report_notes *notes, const char *what, uint64_t now_ms);
/* @control: the command's socket; -1: there is none, it is a service. */
void report_notes_send(struct report_notes *notes, const struct report_job *job, int control);
