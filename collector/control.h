/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - receives the messages of the command `tidemark` (shared/control.h)
 *
 * Trust      the command started the collector and is trusted. Still, only messages that the
 *            collector understands, with the descriptor that they need, reach the caller; others
 *            are skipped.
 * Owner      the descriptor of a received command is the caller's; that of a skipped one is closed.
 * Threads    one. Never waits.
 */

#include <stdint.h>

enum {
	CONTROL_E_NONE = 1,   /* no command is waiting */
	CONTROL_E_CLOSED = 2, /* the command is gone, or the socket is unusable */
};

enum control_kind {
	CONTROL_SELECT,  /* sample process `value` */
	CONTROL_START,   /* start sampling */
	CONTROL_STOP,    /* end the session */
	CONTROL_ADD_CPU, /* sample CPU `value` with the perf event `fd` */
	CONTROL_ATTACH,  /* continue with a new symbolizer over the socket `fd` */
};

struct control_command {
	enum control_kind kind;
	uint64_t value;
	int fd; /* -1: none, as for the first three kinds */
};

/* Return: 0, CONTROL_E_NONE, CONTROL_E_CLOSED. */
int control_receive(int socket, struct control_command *ret_command);
