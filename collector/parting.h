/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parting - closes a socket so that the peer still reads all that was sent to it
 *
 * Why        closing with unread messages resets the connection, and the peer's next read fails before
 *            it has seen our last words.
 */

/* Total. Return: -1. */
int parting_close(int socket);
