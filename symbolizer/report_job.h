/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_job - a closed interval, and all that its report says besides
 *
 * The reader's thread makes it (interval_end) and frees it; in between the reporter's thread makes
 * the report of it and fills in what is marked so. What is borrowed does not change as long as
 * there is a job, or has a lock of its own.
 */

#include "shared/result.h"
#include "symbolizer/base/ksyms.h"
#include "symbolizer/names/demangle.h"
#include "symbolizer/names/line_names.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/options.h"
#include "symbolizer/output/report_delivery.h"
#include "symbolizer/profile/accounting.h"
#include "symbolizer/profile/interval.h"
#include "symbolizer/profile/threads.h"
#include "symbolizer/report_settings.h"

#define REPORT_JOB_NOTES_MAX 8

struct report_job {
	const struct options *options;    /* borrowed */
	struct report_settings *settings; /* one user of them; NULL: none */
	const struct ksyms *kernel;       /* borrowed */
	struct demangle *demangle; /* borrowed, the reporter's; NULL: names stay as they are */
	struct line_names *lines;  /* likewise; NULL: no source lines */
	struct report_delivery *delivery; /* likewise; NULL: reports go to files alone */
	struct interval *interval;        /* owned */
	struct name_table names;          /* owned */
	struct options_output outputs[OPTIONS_OUTPUTS_MAX]; /* owned, fd -1: none */
	struct accounting accounting;
	struct tm_counts counts;
	uint64_t start_unix_ns;
	uint64_t duration_ns;
	struct report_times times;
	uint64_t until_ktime;
	uint64_t late_records;
	struct tm_counts baseline; /* of the service: what was reported with this report */
	uint64_t conflicts;        /* file numbers that got a second meaning too early */
	uint64_t methods_full;     /* records and names of runtimes' functions without memory */
	uint64_t method_conflicts; /* such records that contradict earlier ones */
	const char *notes[REPORT_JOB_NOTES_MAX]; /* for the user; static text */
	unsigned note_count;
	struct threads_lost threads_lost;
	bool threads_missing; /* the collector did not answer what they do */
	bool last;
	struct tm_result result; /* the reader's part of it, then the reporter's */
	int code;                /* of the reporter: 0, -errno */
};

/* Closes its descriptors, too. Returns NULL. */
struct report_job *report_job_free(struct report_job *job);
