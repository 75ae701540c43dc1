/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command - the collector's end of its talk with the command `tidemark` (shared/control.h)
 *
 * Trust      the command started us and is trusted; a message of an unknown kind is ignored.
 * Wait       counts are skipped where the command is slow to read; all else may wait for it.
 */

#include <stdbool.h>

#include "shared/control.h"

struct session;

/* @socket: to the command. Return: 0, or -errno where the command is gone. */
int command_counts(int socket, const struct tm_counts *counts, const struct tm_collector_cost *cost,
		   bool may_skip);
/* Does what has come from it so far. */
void command_obey(struct session *session);
