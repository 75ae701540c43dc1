/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command - the collector's end of its talk with the command `tidemark` (shared/control.h)
 *
 * Trust      the command started us and is trusted; a message of an unknown kind is ignored.
 * Wait       counts are skipped where the command is slow to read; all else may wait for it.
 * Fault      why the collector cannot go on: one sentence for a person, one code for the command.
 */

#include <stdbool.h>

#include "shared/control.h"

struct session;

struct fault {
	int code; /* enum tm_failure; 0: none */
	char text[TM_CONTROL_TEXT];
};

/* Keeps the first one. Return: always -ECANCELED, so that a caller can return it. */
__attribute__((format(printf, 3, 4))) int fault_set(struct fault *fault, int code,
						    const char *format, ...);

/* @socket: to the command. Each returns 0, or -errno where the command is gone. */
int command_send(int socket, enum tm_control_kind kind);
__attribute__((format(printf, 2, 3))) int command_note(int socket, const char *format, ...);
int command_fail(int socket, const struct fault *fault);
int command_counts(int socket, const struct tm_counts *counts, const struct tm_collector_cost *cost,
		   bool may_skip);
/* Does what has come from it so far. */
void command_obey(struct session *session);
