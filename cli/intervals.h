/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * intervals - the reports in between: when each is asked for, into which files, and what it tells
 *
 * Shape      the files of the next report are handed over right behind the FLUSH of this one, so that
 *            the symbolizer has some whenever the end comes. A report that takes longer than its
 *            interval delays the next, and never the sampling.
 */

#include "cli/accounting.h"
#include "cli/outputs.h"

struct session;

struct intervals {
	int timer;                  /* -1: one report, at the end */
	struct outputs now;         /* of the report in the making */
	struct outputs next;        /* while `now` is being written */
	int asked;                  /* FLUSH was said, FLUSHED not yet heard */
	uint64_t from_ns, until_ns; /* CLOCK_MONOTONIC; what the report in the making spans */
	uint64_t idle_from_ns, idle_until_ns; /* idle time of the host since boot, then */
	uint64_t watermark;                   /* W at the end of the last stored report */
	struct accounting ledger;
	size_t files;   /* put in their place so far */
	size_t missing; /* that should have been */
	int outcome;    /* accounts of a report in between that do not balance, said */
};
#define INTERVALS_NULL ((struct intervals){.timer = -1})

/* Sampling began: time runs. Return: 0, -errno. */
int intervals_begin(struct session *session);
/* After `timer` became readable: asks for a report, unless one is being made. */
void intervals_tick(struct session *session);
/* A symbolizer says READY: one that follows a dead one is told what was reported. */
void intervals_resume(struct session *session);
/* The symbolizer has said FLUSHED: stores and tells the report. */
void intervals_flushed(struct session *session, uint64_t watermark);
/* The symbolizer died: what it was writing is gone, what it had reported is not. */
void intervals_on_death(struct session *session);
/* @stored: what became of the last report's files. Return: what became of all. */
int intervals_outcome(const struct intervals *series, int stored);
/* Total. */
void intervals_close(struct intervals *series);
