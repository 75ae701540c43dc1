/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command - the collector's end of its talk with the command `tidemark` (shared/control.h)
 *
 * Trust      the command started us and is trusted; a message of an unknown kind is ignored.
 * Wait       counts are skipped where the command is slow to read; all else may wait for it.
 */

#include "shared/control.h"

struct command {
	int fd;
};

/* Each returns 0, or -errno where the command is gone. */
int command_send(struct command *command, enum tm_control_kind kind, int code);
__attribute__((format(printf, 4, 5))) int command_say(struct command *command,
						      enum tm_control_kind kind, int code,
						      const char *format, ...);
int command_counts(struct command *command, const struct tm_counts *counts,
		   const struct tm_collector_cost *cost, int may_skip);
/* Return: 0, TM_FDPASS_E_CLOSED, TM_FDPASS_E_AGAIN, -errno. */
int command_receive(struct command *command, struct tm_control *ret_message);
