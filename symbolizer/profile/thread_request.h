/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * thread_request - asks the collector what all threads do, and takes its answers
 *
 * Before an interval ends the collector is asked. Until it has answered the ring is not read, so
 * that no sample is counted that is younger than the end of the interval: what a sleep has beyond
 * that end belongs to the next one. That takes at most THREAD_REQUEST_WAIT_MS; an answer that comes
 * later is not used, since the ring has been read beyond it. When sampling stops, the collector
 * sends an answer without being asked: it is taken once the ring is read to its end.
 * Trust   the collector is hostile: thread_blob.h.
 */

#include "shared/wire.h"
#include "symbolizer/profile/interval.h"
#include "symbolizer/profile/thread_answer.h"

#define THREAD_REQUEST_WAIT_MS 1000

struct thread_request {
	int wire;                   /* borrowed; -1: off-CPU is not recorded */
	struct threads *threads;    /* borrowed */
	struct interval **interval; /* borrowed: the open one */
	bool asked;                 /* and not answered yet */
	bool begins;                /* that answer says what was before our first interval */
	bool late;                  /* that answer is not waited for any more */
	bool over;                  /* no answer will come any more */
	bool waits;                 /* the end of an interval waits for it */
	bool answered;              /* for the open interval */
	uint64_t until;             /* where that interval ends */
	uint64_t until_ms;          /* how long it waits */
	bool has_last;              /* the answer that came without being asked for, */
	struct thread_blob last;    /* owned; closed: there is no thread */
	bool complete;              /* that was taken: nothing comes after it */
};

/* @wire: -1: there is nothing to ask. */
void thread_request_init(struct thread_request *request, int wire, struct threads *threads,
			 struct interval **interval);
/* Our first interval begins after a predecessor's last one, at @ktime. */
void thread_request_resume(struct thread_request *request, uint64_t ktime);
/*
 * The open interval is to end at @ktime. Return: whether it can: the answer came, or was waited for
 * long enough. Else it is to be called again, and until then the ring must not be read.
 */
bool thread_request_round(struct thread_request *request, uint64_t ktime);
/* The collector is gone or has ended, and the ring is read: takes its last answer into the open
 * interval. */
void thread_request_finish(struct thread_request *request);
void thread_request_deinit(struct thread_request *request);
/* Takes a THREADS message of the collector, and @fd; -1: none. The context is the request. */
void thread_request_answer(void *context, const struct tm_wire *message, int fd);
/* The interval ends. Return: whether it lacks what the threads did. */
bool thread_request_end_interval(struct thread_request *request);
