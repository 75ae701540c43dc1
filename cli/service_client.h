/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * service_client - asks the symbolizer of the service over one of its sockets
 *
 * Errors     -ENOENT, -ECONNREFUSED: it does not run; -ETIMEDOUT: no answer in time;
 *            -ECONNRESET: it closed the connection; another -errno.
 */

#include <stddef.h>

/* @seconds: that each answer may take. Return: socket, the caller's; -errno. */
int service_client_open(const char *path, int seconds);
/* Return: 0, -errno. */
int service_client_receive(int socket, void *answer, size_t bytes);
/* Says on stderr why it failed. @whom: the socket at @path is for. */
void service_client_explain(const char *path, int r, const char *whom);
