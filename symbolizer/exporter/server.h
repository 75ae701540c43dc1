/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server - takes bodies from the symbolizer, has them delivered, and sends back what became of them
 *
 * Waits      never for the symbolizer, but at the end, until the deadline, for it to read its
 *            OUTCOMEs. When it is gone, they are dropped.
 * End        as exporter.h says.
 */

#include "symbolizer/exporter/delivery.h"

/* Serves until the peer has closed its side and the queue is empty, or the deadline has passed.
 * Return: 0, -errno (-EBADMSG: an invalid message). */
int server_run(const struct options *options, const struct network *network,
	       struct delivery *delivery);
