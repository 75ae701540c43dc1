/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_loop - waits for whatever may happen in a recording: the only place that does
 */

#include "cli/session.h"

/* From "both programs run" to the end of both. Return: 0, or the exit_code, said. */
int event_loop_run(struct session *session);
