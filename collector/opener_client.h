/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener_client - starts the opener and exchanges its messages (collector/opener/opener.h)
 *
 * Privileges the opener is exec'd with CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE and
 * CAP_DAC_READ_SEARCH, as
 *            far as the command gave them to the collector, which keeps none of them.
 * Lifetime   the opener exits when its socket closes; should it hang, the kernel kills it when the
 *            collector exits (PR_SET_PDEATHSIG).
 * Owner      struct opener_client owns the socket and the pid until opener_client_stop.
 * Trust      answers are checked; an invalid one closes the socket.
 * Threads    one. Only opener_client_stop waits.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/opener/opener.h"
#include "shared/control.h"

struct opener_client {
	int fd; /* -1: no opener */
	pid_t pid;
	uint32_t id;   /* of the last request */
	bool awaiting; /* that request has no final answer yet */
};
#define OPENER_CLIENT_NULL ((struct opener_client){.fd = -1})

/* @program: descriptor of the executable; stays the caller's. Return: 0, -errno. */
int opener_client_start(struct opener_client *opener, int program);
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
/* Stops the opener; *cost is what it and its workers used. */
void opener_client_stop(struct opener_client *opener, struct tm_collector_cost *cost);
