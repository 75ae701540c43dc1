/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * full_socket - a peer that does not read: fills the socket to it, and reads that again
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/socket.h>

/* @fd: our end. Return: messages that are in it now. */
static inline unsigned full_socket_fill(int fd)
{
	unsigned count = 0;

	while (send(fd, "", 1, MSG_DONTWAIT) == 1)
		count++;
	assert_true(count > 0);
	return count;
}

/* @fd: the peer's end. */
static inline void full_socket_empty(int fd, unsigned count)
{
	char byte;

	while (count-- > 0)
		assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), 1);
}
