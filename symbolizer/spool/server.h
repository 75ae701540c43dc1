/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server - takes reports from the symbolizer, keeps them, and hands out those that are to be sent
 */

#include "symbolizer/spool/store.h"

/* Serves until the peer has closed its side. Return: 0, -errno (-EBADMSG: an invalid message). */
int server_run(struct store *store, int socket);
