/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_notes - what a report could not do, said to the command, or in the journal of a service
 *
 * Limits     in a journal each kind once in REPORT_NOTES_PAUSE_MS, with the number of that report:
 *            one file that can never be parsed would fill it, a line each interval for months.
 * Threads    the reporter's.
 */

#include <stdbool.h>

#include "symbolizer/report_job.h"

#define REPORT_NOTES_PAUSE_MS 3600000u
#define REPORT_NOTES_KINDS    10u

struct report_notes { /* all 0: nothing was said yet */
	uint64_t next_ms[REPORT_NOTES_KINDS];
};

/* Of that kind, which is noted if it is. */
bool report_notes_is_due(struct report_notes *notes, unsigned kind, uint64_t now_ms);
/* @control: the command's socket; -1: there is none, it is a service. */
void report_notes_send(struct report_notes *notes, const struct report_job *job, int control);
