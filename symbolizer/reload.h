/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reload - takes new values of the configuration from root, while the service goes on
 *
 * Shape      shared/reload.h. One caller at a time; the others wait in the listener's queue. A
 *            caller that has gone before its message was read wants nothing any more.
 * When       the limit of the CPU time changes at once. What is said in reports, and how long their
 *            intervals are, changes where the next interval begins: the open one ends at once, and
 *            its report has the values that it began with.
 * Trust      the socket's mode lets in root alone, and we ask the kernel who connected, too. The
 *            message may still be anything: what does not check is refused as a whole, counted,
 *            and the connection is closed.
 * Threads    the reader's. Never waits.
 * Limits     RELOAD_WAIT_MS for a message.
 */

#include <stdbool.h>
#include <stdint.h>

#define RELOAD_WAIT_MS 1000

struct session;

struct reload {
	int listener;          /* owned; -1: nobody can reload */
	int peer;              /* owned: who has connected, and has sent nothing yet; -1: nobody */
	uint64_t until_ms;     /* so long that may be so */
	uint64_t interval_ms;  /* in effect; of the options at first */
	uint64_t memory_bytes; /* as the options had it */
	uint64_t taken;        /* messages */
	uint64_t refused;
};
#define RELOAD_NULL ((struct reload){.listener = -1, .peer = -1})

/* What is readable when there is something to do; -1: nothing. */
int reload_fd(const struct reload *reload);
/* Return: whether the open interval is to end, and those behind it are `interval_ms` long. */
bool reload_round(struct session *session, struct reload *reload, uint64_t now_ms);
void reload_deinit(struct reload *reload);
