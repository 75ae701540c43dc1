/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * handoff - the collector's end of the wire to the symbolizer (shared/record.h)
 *
 * Trust      the symbolizer is taken for hostile: it may say HELLO once and CREDIT, nothing else; the
 *            first thing that does not check closes the wire and is counted.
 * Credit     at most TM_FILES_IN_FLIGHT descriptors are on their way; each CREDIT gives some back.
 * Wait       never: a full socket is HANDOFF_E_AGAIN, and the caller tries again next round.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/record.h"

enum {
	HANDOFF_E_AGAIN = 1,
	HANDOFF_E_CLOSED = 2,
};

struct handoff {
	int fd; /* -1: closed */
	uint32_t credit;
	bool greeted;
	uint64_t violations;
};

/*
 * Closes a socket so that the peer still reads all that was sent to it: closing with unread messages
 * resets the connection, and its next read fails before it has seen our last words.
 * Total. Return: -1.
 */
int handoff_part(int socket);
void handoff_init(struct handoff *handoff, int fd);
void handoff_deinit(struct handoff *handoff);
/* The state rule of what the symbolizer may say. Return: 0, -EBADMSG (counted). */
int handoff_accept(struct handoff *handoff, const struct tm_wire *message);
/* Reads all that has come. Return: 0, HANDOFF_E_CLOSED. */
int handoff_receive(struct handoff *handoff);
/* @fd: -1 for none; stays the caller's. FILE uses up credit. Return: 0, HANDOFF_E_*. */
int handoff_send(struct handoff *handoff, const struct tm_wire *message, int fd);
