/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_loop - reads the ring round by round, and does what the command and the parser ask for
 */

#include "symbolizer/session.h"

#define EVENT_LOOP_ROUND_MS      250  /* between looks into the ring, which holds seconds */
#define EVENT_LOOP_FAST_HZ       1000 /* from this rate on it fills sooner */
#define EVENT_LOOP_ROUND_FAST_MS 20

enum {
	EVENT_LOOP_E_ABANDONED = 1, /* the command went away: nothing is to be written */
};

/* Until the collector's END or death, reports included. Return: 0, EVENT_LOOP_E_ABANDONED. */
int event_loop_run(struct session *session);
