/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control_receive - receives the command's messages, and notices its end, without waiting
 *
 * Owner      a received descriptor is the caller's.
 * Threads    one per socket.
 */

#include "shared/control.h"

enum {
	TM_CONTROL_E_NONE = 1,   /* no message is there */
	TM_CONTROL_E_CLOSED = 2, /* the other end is closed, or sent an invalid message */
};

/* Never waits. @ret_fd: -1 if none came, else the caller's. Return: 0, TM_CONTROL_E_*. */
int tm_control_receive(int socket, struct tm_control *ret_message, int *ret_fd);
/* Whether the other end is closed; messages from it may still be waiting. */
bool tm_control_is_closed(int socket);
