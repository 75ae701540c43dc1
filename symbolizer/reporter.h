/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reporter - makes a report: names, accounting, outputs, and the messages to the command
 */

#include "symbolizer/session.h"

/* The last report. Return: 0, -errno (no report could be built; said as each output's code too). */
int reporter_finish(struct session *session);
/* The report of what was counted in since the last one; then it is forgotten. */
void reporter_interval(struct session *session);
