/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * start - makes the sockets between the programs of a recording, and has each of them started
 */

#include "cli/session.h"

#define START_SEND_SECONDS 5 /* a program that does not read for so long is not waited for */

/* Return: 0, or an exit code, after printing why; what was started is in @session either way. */
int start_programs(struct session *session);
/* One more symbolizer, for the collector that runs. Return: as above. */
int start_symbolizer_again(struct session *session);
