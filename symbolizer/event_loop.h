/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_loop - reads the ring periodically and handles messages of command, collector and parser
 */

#include "symbolizer/session.h"

#define EVENT_LOOP_ROUND_MS      250 /* between reads of the ring, which holds seconds of records */
#define EVENT_LOOP_FAST_HZ       1000 /* from this sampling rate on it fills sooner */
#define EVENT_LOOP_ROUND_FAST_MS 20
#define EVENT_LOOP_CACHE_MS      30000 /* after the last report, for what the cache has queued */

enum {
	EVENT_LOOP_E_ABANDONED = 1, /* the command exited: no report is written */
	EVENT_LOOP_E_STOPPED = 2,   /* a signal stopped the service, and its report is made */
};

/*
 * Runs until the collector sends END or dies, and writes the intermediate reports.
 * Return: 0, EVENT_LOOP_E_ABANDONED, EVENT_LOOP_E_STOPPED.
 */
int event_loop_run(struct session *session);
/*
 * The last report, then what the cache has queued. Return: 0, EVENT_LOOP_E_ABANDONED, -errno
 * (no report could be built; its outputs' codes say so too, unless memory was short).
 */
int event_loop_finish(struct session *session);
