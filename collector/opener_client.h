/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener_client - exchanges messages with the opener (collector/opener/opener.h)
 *
 * Lifetime   whoever starts the collector starts the opener, with the capabilities that the
 *            collector never has, and another one when it dies. It exits when its socket closes.
 * Owner      struct opener_client owns the socket.
 * Trust      answers are checked; an invalid one closes the socket.
 * Threads    one. Never waits.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/opener/opener.h"

struct opener_client {
	int fd;        /* -1: no opener */
	uint32_t id;   /* of the last request */
	bool awaiting; /* that request has no final answer yet */
};

/* Sends ASK or PATHS, in which it fills in the id. Return: 0, -errno (the opener is gone and its
 * socket closed). */
int opener_client_ask(struct opener_client *opener, struct opener_request *request);
/* Accepts or refuses the opened file. Return: as opener_client_ask. */
int opener_client_verdict(struct opener_client *opener, bool accepted);
/* Receives one answer, if there is one. @ret_fd: -1 if none came. Return: 0: an answer to the last
 * request; TM_FDPASS_E_AGAIN: none, or a late one, which is dropped; -errno: the opener is gone, or
 * its answer was invalid; the socket is closed. */
int opener_client_receive(struct opener_client *opener, struct opener_answer *ret_answer,
			  int *ret_fd);
