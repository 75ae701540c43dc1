/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - receives the messages of the command `tidemark` (shared/control.h)
 *
 * Trust      the command started the collector and is trusted. Still, a message that lacks its
 *            descriptor does not reach the caller, who ignores a kind that is not for him.
 * Owner      the descriptor of a received command is the caller's; that of a skipped one is closed.
 * Threads    one. Never waits.
 */

#include <stdint.h>

#include "shared/control.h"

enum {
	CONTROL_E_NONE = 1,   /* no command is waiting */
	CONTROL_E_CLOSED = 2, /* the command is gone, or the socket is unusable */
};

struct control_command {
	enum tm_control_kind kind;
	int32_t code;
	uint64_t value;
	int fd; /* of CPU and ATTACH; else -1 */
};

/* Return: 0, CONTROL_E_NONE, CONTROL_E_CLOSED. */
int control_receive(int socket, struct control_command *ret_command);
