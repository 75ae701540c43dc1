/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * status - sums over all reports of the service, for whoever connects to its status socket
 *
 * Threads    the reader's. Never waits: somebody who does not read gets nothing.
 */

#include "shared/status.h"
#include "symbolizer/lag_window.h"
#include "symbolizer/report_job.h"
#include "symbolizer/session.h"

/* One more report is made. */
void status_add(struct tm_status *status, const struct report_job *job);
/* Answers everybody who waits at @listener; -1: nobody can. */
void status_serve(struct session *session, struct tm_status *status, struct lag_window *lags,
		  int listener);
