/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener_client - exchanges messages with the opener and its workers (collector/opener/opener.h)
 *
 * Lifetime   whoever starts the collector starts the opener, with the capabilities that the
 *            collector never has, and another one when it dies. It exits when its socket closes.
 * Owner      struct opener_client owns the socket to the opener; those to workers are the caller's.
 * Trust      answers are checked.
 * Threads    one. Never waits.
 */

#include <stdbool.h>

#include "collector/opener/opener.h"

struct opener_client {
	int fd; /* -1: no opener */
};

/* Return: the socket to the worker of this request; -errno: nobody got it. */
int opener_client_ask(const struct opener_client *opener, const struct opener_request *request);
/* Accepts or refuses the file that the worker opened. Does nothing if that has ended. */
void opener_client_verdict(int worker, bool accepted);
/* Receives one answer, if there is one. @ret_fd: -1 if none came. Return: 0; TM_FDPASS_E_AGAIN:
 * none; TM_FDPASS_E_CLOSED: the worker has ended, or will never start; -errno: it was invalid. */
int opener_client_receive(int worker, struct opener_answer *ret_answer, int *ret_fd);
/* Closes the socket of an opener that has ended, which would wake every poll, or says anything. */
void opener_client_check(struct opener_client *opener);
