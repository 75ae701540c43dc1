/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * intervals - with --every: when each report is requested, into which files, and their sums
 *
 * Shape      the files of the next report are sent right behind the FLUSH for this one, so that the
 *            symbolizer always has files for the report at the end. A report that takes longer than
 *            its interval delays the next, and never the sampling. With jitter many hosts do not
 *            send at the same time.
 */

#include <stdbool.h>

#include "cli/accounting.h"
#include "cli/child.h"
#include "cli/outputs.h"

struct intervals {
	int timer;                  /* -1: one report, at the end */
	uint64_t every_ns;          /* between two reports, */
	unsigned jitter_percent;    /* by so much more or less; 0: exactly */
	struct outputs current;     /* of the report in the making */
	struct outputs next;        /* while `current` is being written */
	bool flush_pending;         /* FLUSH was sent, FLUSHED has not come yet */
	uint64_t from_ns, until_ns; /* CLOCK_MONOTONIC; what the report in the making spans */
	uint64_t idle_from_ns, idle_until_ns; /* idle time of the host since boot, then */
	uint64_t watermark;                   /* W at the end of the last stored report */
	struct accounting accounting;
	size_t files;   /* put in their place so far */
	size_t missing; /* that should have been */
	int exit_code;  /* of an earlier report that does not balance, printed; 0: all do */
};
#define INTERVALS_NULL ((struct intervals){.timer = -1})

/* Sampling began @now_ns. @every_ns: 0: one report. Return: 0, -errno. */
int intervals_begin(struct intervals *intervals, uint64_t every_ns, unsigned jitter_percent,
		    uint64_t now_ns);
/* From one report to the next, by a random number. */
uint64_t intervals_delay(uint64_t every_ns, unsigned jitter_percent, uint64_t random);
/* After `timer` became readable: requests a report, unless one is being made. */
void intervals_tick(struct intervals *intervals, const struct options *options,
		    struct child *symbolizer);
/* Sampling ends: no more reports are requested, so that the last one reaches to the end. */
void intervals_stop(struct intervals *intervals);
/* A symbolizer is ready: one that follows a dead one is sent what was reported. */
void intervals_resume(const struct intervals *intervals, struct child *symbolizer);
/* The report in the making is stored; the next one begins. @summary: of the stored one. */
void intervals_next(struct intervals *intervals, const struct summary *summary, uint64_t watermark);
/* The symbolizer died: what it was writing is gone, what it had reported is not. */
void intervals_on_death(struct intervals *intervals);
/* @stored: exit code of the last report's files. Return: that of all. */
int intervals_exit_code(const struct intervals *intervals, int stored);
/* Total. */
void intervals_close(struct intervals *intervals);
