/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fdpass - fixed-size messages over a SEQPACKET socket, with exactly zero or one descriptor
 *
 * Trust      a message of another length, a truncated control buffer, or more than one descriptor is
 *            refused whole: whatever arrived is closed.
 * Errors     TM_FDPASS_E_CLOSED (peer gone), TM_FDPASS_E_AGAIN (non-blocking and nothing to do),
 *            -EBADMSG (peer broke the form), -errno.
 */

#include <stddef.h>

enum {
	TM_FDPASS_E_CLOSED = 1,
	TM_FDPASS_E_AGAIN = 2,
};

/*
 * Closes a socket so that the peer still reads all that was sent to it: closing with unread messages
 * resets the connection, and its next read fails before it has seen our last words.
 * Total. Return: -1.
 */
int tm_fdpass_part(int socket);
/* @fd: -1 for none; stays the caller's. @flags: 0 or MSG_DONTWAIT. */
int tm_fdpass_send(int socket, const void *message, size_t bytes, int fd, int flags);
/* @ret_fd: -1 when none came; CLOEXEC. NULL: a descriptor is a broken form. */
int tm_fdpass_recv(int socket, void *message, size_t bytes, int *ret_fd, int flags);
