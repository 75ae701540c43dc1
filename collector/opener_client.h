/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener_client - starts the opener and speaks with it (collector/opener/opener.h)
 *
 * Rights     the opener is exec'd with CAP_SYS_PTRACE and, where the command gave them, the opt-in
 *            CAP_CHECKPOINT_RESTORE and CAP_DAC_READ_SEARCH; none of these stays with the collector.
 * End        the opener ends with its socket, and with the collector if it hangs.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/opener/opener.h"
#include "shared/control.h"

struct opener_client {
	int fd; /* -1: no opener */
	pid_t pid;
	uint32_t id; /* of the last ask */
	bool open;   /* it has no final answer yet */
};
#define OPENER_CLIENT_NULL ((struct opener_client){.fd = -1})

/* @program: descriptor of the opener, stays the caller's. Return: 0, -errno. */
int opener_client_start(struct opener_client *asker, int program);
/* Fills in kind and id. Return: 0, -errno (the opener is gone and closed). */
int opener_client_ask(struct opener_client *asker, struct opener_request *request);
int opener_client_verdict(struct opener_client *asker, bool accepted);
/* Return: 0 and an answer to the open ask; TM_FDPASS_E_AGAIN (none, or a late one); -errno (the opener is gone and closed).
 * @ret_fd: -1 when none came. */
int opener_client_receive(struct opener_client *asker, struct opener_answer *ret_answer,
			  int *ret_fd);
/* Ends the opener and says what it used. */
void opener_client_stop(struct opener_client *asker, struct tm_collector_cost *cost);
