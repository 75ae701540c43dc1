/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reporter - the thread that makes reports, so that no output can stop the reader
 *
 * It names, builds and writes what it is given, one job after the other, and tells the command
 * about each output. It alone writes outputs: one that blocks holds up reports, and nothing else.
 *
 * Threads    reporter_start is called before the sandbox, the others by the thread that called it.
 * Limits     REPORTER_JOBS_MAX jobs; while there are as many, the open interval goes on and its
 *            report says so by its span.
 */

#include <pthread.h>

#include "symbolizer/report_notes.h"

#define REPORTER_JOBS_MAX 3u /* one that is made, two that wait */
/* Memory goes back to the kernel once in so long: the next report takes it again, page by page. */
#define REPORTER_TRIM_MS 30000u

struct reporter {
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct report_job *jobs[REPORTER_JOBS_MAX]; /* owned; the oldest first */
	unsigned count;
	unsigned done; /* the first so many are made */
	bool running;
	bool stopping;
	bool started;
	struct report_notes notes; /* the thread's own */
	uint64_t trimmed_ms;       /* of the thread that takes what is done */
	int control;               /* borrowed */
	int ready[2];              /* a socket pair: a message in [0] when a job is done */
};
#define REPORTER_NULL ((struct reporter){.control = -1, .ready = {-1, -1}})

/* @control: the command's socket. Return: 0, -errno. */
int reporter_start(struct reporter *reporter, int control);
/* Waits for what was submitted; frees what was not taken. */
void reporter_stop(struct reporter *reporter);
/* Whether there is no job. */
bool reporter_is_idle(struct reporter *reporter);
bool reporter_is_full(struct reporter *reporter);
/* Takes @job. Only while the reporter is not full. */
void reporter_submit(struct reporter *reporter, struct report_job *job);
/* The job that is done; NULL: none is. Never waits. The next job is begun after reporter_remove. */
struct report_job *reporter_done(struct reporter *reporter);
/* Frees the job that is done. */
void reporter_remove(struct reporter *reporter);
