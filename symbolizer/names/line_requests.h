/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_requests - the addresses whose source lines reports have missed, by file, and what came
 *
 * The reporter's thread adds what it misses and takes the results; the reader's asks for it
 * (line_jobs.h).
 *
 * Pace       one request a file in LINE_REQUESTS_PAUSE_MS, for all that was missed until then;
 *            but one waits up to LINE_REQUESTS_WAIT_MS longer, until what reports lack is worth it:
 *            LINE_REQUESTS_MISSES_PER_MS of CPU time, as the request before it cost. Failures
 *            double the pause. The last report of a recording waits for neither.
 * Build id   that of the file goes with its request and its result: what was read of a separate
 *            debug file must bear it.
 * Limits     those of line_requests_files.h.
 * Threads    one mutex, held for a copy of addresses at most.
 */

#include <pthread.h>
#include <stdbool.h>

#include "symbolizer/names/line_requests_files.h"

#define LINE_REQUESTS_PAUSE_MS  60000
#define LINE_REQUESTS_PAUSE_MAX 3600000
#define LINE_REQUESTS_WAIT_MS   540000

struct line_requests {
	pthread_mutex_t lock; /* of all that follows, but for `wake` */
	pthread_cond_t changed;
	struct line_requests_files files;
	bool last;                    /* the last report: no pauses */
	bool finished;                /* nothing more will be wanted */
	bool exhausted;               /* the CPU time for it is spent */
	struct parser_requests *wake; /* borrowed: wakes the reader; NULL: nobody reads */
};

struct line_requests_result {
	struct tm_identity identity;
	struct line_requests_build_id build_id;
	uint64_t *vaddrs; /* the caller's, as `fd` is */
	uint32_t count;
	int fd;
};

/* Return: 0, -errno. */
int line_requests_init(struct line_requests *requests, struct parser_requests *wake);
void line_requests_deinit(struct line_requests *requests);

/* --- the reporter's thread --- */

/*
 * @vaddrs: ascending, each once. @misses: by them, or LINE_REQUESTS_ANY_COST: the file soon cannot
 * be opened any more. Return: 0, LINE_REQUESTS_E_FULL.
 */
int line_requests_want(struct line_requests *requests, const struct tm_identity *identity,
		       const struct line_requests_build_id *build_id, const uint64_t *vaddrs,
		       uint32_t count, uint64_t misses);
/* Of the last report: no pause is kept. */
void line_requests_set_last(struct line_requests *requests);
/*
 * Waits until @end_ms (tm_clock_ms) for a result, as long as one may come.
 * Return: 0, LINE_REQUESTS_E_NONE.
 */
int line_requests_next_result(struct line_requests *requests, int64_t end_ms,
			      struct line_requests_result *ret_result);
/* Why what is missing of a file is missing. */
enum tm_no_line line_requests_reason(struct line_requests *requests,
				     const struct tm_identity *identity);
/* The last result of it does not check. */
void line_requests_refuse(struct line_requests *requests, const struct tm_identity *identity);
/* Nothing will be wanted any more. */
void line_requests_finish(struct line_requests *requests);

/* --- the reader's thread, which may also call line_requests_want --- */

/* Files that are to be read as soon as may be, or whose result waits for a report. */
uint32_t line_requests_open(struct line_requests *requests);
bool line_requests_is_finished(struct line_requests *requests);
/*
 * Takes what is due. @ret_result: the addresses, borrowed until put or fail; its fd is -1.
 * Return: 0, LINE_REQUESTS_E_NONE.
 */
int line_requests_take(struct line_requests *requests, int64_t now_ms,
		       struct line_requests_result *ret_result);
/* Takes @fd. @cpu_ms: what the request cost. */
void line_requests_put(struct line_requests *requests, const struct tm_identity *identity, int fd,
		       uint32_t cpu_ms);
void line_requests_fail(struct line_requests *requests, const struct tm_identity *identity,
			enum tm_no_line reason, int64_t now_ms);
/* Whether CPU time for it is left; while there is none, nobody waits. */
void line_requests_set_exhausted(struct line_requests *requests, bool exhausted);
bool line_requests_is_last(struct line_requests *requests);
