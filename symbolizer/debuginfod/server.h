/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server - answers requests for build ids: asks one server after the other, several at once
 *
 * Order      the servers as they were given; the first that has the file is not followed by
 *            another. One that could not be reached is left out for SERVER_PAUSE_MS, so that a
 *            server that never answers delays few requests.
 * Messages   the first failure of each server is printed, in one line, to stderr.
 * Limits     DEBUGINFOD_REQUEST_MS for a request, whatever number of servers it takes.
 */

#include "symbolizer/debuginfod/options.h"
#include "symbolizer/network/network.h"

#define SERVER_PAUSE_MS 60000

/* Serves until the peer closes the socket. Return: 0, -errno (-EBADMSG: an invalid request). */
int server_run(const struct options *options, const struct network *network);
