/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_loop - waits for the events of a recording and calls whom they concern
 */

#include "cli/session.h"

/* From the start of both programs to their end. Return: 0, or an exit code, after printing why. */
int event_loop_run(struct session *session);
