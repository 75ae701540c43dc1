/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fdpass - sends and receives fixed-size messages, each with at most one descriptor
 *
 * Shape      one message is one packet of a SEQPACKET socket; a descriptor travels as SCM_RIGHTS.
 * Trust      the peer may be hostile. A message of another length, with a truncated control buffer,
 *            with more than one descriptor or with another control message is refused whole, and
 *            every descriptor that came with it is closed.
 * Owner      the sender keeps its descriptor; a received one is the caller's and CLOEXEC.
 * Threads    any; each call is one sendmsg(2) or recvmsg(2), repeated on EINTR. SIGPIPE is never
 *            raised.
 * Errors     TM_FDPASS_E_CLOSED (the peer is gone), TM_FDPASS_E_AGAIN (MSG_DONTWAIT and the socket
 *            is full, or empty; or, in any case, the kernel has no memory for the message now, or
 *            the account too many descriptors in flight), -EBADMSG (refused message), -errno.
 * Source     unix(7), cmsg(3).
 */

#include <stddef.h>

/*
 * RLIMIT_NOFILE of who sends descriptors, however few it has itself: the kernel compares it with
 * what is in flight of the whole account (too_many_unix_fds, net/unix), so of each recording on the
 * host that uses the same one: what fits into the buffers of their sockets.
 */
#define TM_FDPASS_DESCRIPTORS 4096u

enum {
	TM_FDPASS_E_CLOSED = 1,
	TM_FDPASS_E_AGAIN = 2,
};

/*
 * Closes a socket so that the peer can still read what was sent to it. A plain close(2) with unread
 * messages resets the connection, and the peer's next read fails before it has seen our last
 * message. Accepts -1. Return: -1.
 */
int tm_fdpass_close(int socket);
/* @fd: -1: none. @flags: 0 or MSG_DONTWAIT. */
int tm_fdpass_send(int socket, const void *message, size_t bytes, int fd, int flags);
/* @ret_fd: -1 if none came. NULL: a message with a descriptor is refused. @flags: 0 or
 * MSG_DONTWAIT. */
int tm_fdpass_recv(int socket, void *message, size_t bytes, int *ret_fd, int flags);
