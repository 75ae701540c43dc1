/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command - the collector's end of its talk with the command `tidemark` (shared/control.h)
 *
 * Trust      the command started us and is trusted; a message of an unknown kind is ignored.
 * Wait       counts are skipped where the command is slow to read; all else may wait for it.
 * Fault      why the collector cannot go on: one sentence for a person, one code for the command.
 */

#include "shared/control.h"

struct command {
	int fd;
};

struct fault {
	int code; /* enum tm_failure; 0: none */
	char text[TM_CONTROL_TEXT];
};

/* Keeps the first one. Return: always -ECANCELED, so that a caller can return it. */
__attribute__((format(printf, 3, 4))) int fault_set(struct fault *fault, int code,
						    const char *format, ...);

/* Each returns 0, or -errno where the command is gone. */
int command_send(struct command *command, enum tm_control_kind kind, int code);
__attribute__((format(printf, 4, 5))) int command_say(struct command *command,
						      enum tm_control_kind kind, int code,
						      const char *format, ...);
int command_counts(struct command *command, const struct tm_counts *counts,
		   const struct tm_collector_cost *cost, int may_skip);
/* Return: 0, TM_FDPASS_E_CLOSED, TM_FDPASS_E_AGAIN, -errno. */
int command_receive(struct command *command, struct tm_control *ret_message);
