/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbolizer_link - the collector's end of the wire to the symbolizer
 *
 * Shape      the messages of shared/wire.h over a SEQPACKET socket.
 * Trust      the symbolizer may be hostile: it may send HELLO once, CREDIT, UNWIND_TABLE with one
 *            descriptor, UNWIND_FAILED, FILE_AGAIN, DEBUG_FILE, ASK_THREADS and RATE, and AHEAD
 *            until it says that no other one comes, nothing else. The first invalid message closes
 *            the wire and is counted.
 * Hazard     a received descriptor must be closed, and closing a file that a process serves waits
 *            for that process. The symbolizer cannot open files, and file_requests.h sends it no
 *            such file.
 * Credit     at most TM_FILES_IN_FLIGHT descriptors are in flight; each CREDIT returns some.
 * Owner      struct symbolizer_link owns the socket.
 * Threads    one. Never waits: a full socket is SYMBOLIZER_LINK_E_AGAIN, and the caller tries again
 *            next round.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/wire.h"

#define SYMBOLIZER_LINK_NUMBERS 65536 /* file numbers are below it */

enum {
	SYMBOLIZER_LINK_E_AGAIN = 1,
	SYMBOLIZER_LINK_E_CLOSED = 2,
	SYMBOLIZER_LINK_E_TABLE = 3,
	SYMBOLIZER_LINK_E_FAILED = 4,
	SYMBOLIZER_LINK_E_DEBUG = 5,
	SYMBOLIZER_LINK_E_THREADS = 6,
	SYMBOLIZER_LINK_E_REPORTED = 7,
	SYMBOLIZER_LINK_E_AHEAD = 8,
};

struct symbolizer_link {
	int fd; /* -1: closed */
	uint32_t credit;
	bool greeted;     /* HELLO came */
	bool ahead_ended; /* the last AHEAD came */
	uint64_t violations;
	struct tm_wire rate; /* the last wish */
};

void symbolizer_link_init(struct symbolizer_link *link, int fd);
void symbolizer_link_deinit(struct symbolizer_link *link);
/*
 * Takes one message, if there is one. The caller decides how many, so that a flood of them cannot
 * hold it up. Return: 0; SYMBOLIZER_LINK_E_TABLE, with the UNWIND_TABLE message and its descriptor,
 * the caller's; the same with SYMBOLIZER_LINK_E_AHEAD, and with SYMBOLIZER_LINK_E_REPORTED, whose
 * descriptor is a blob (shared/region.h) of a size that is allowed; SYMBOLIZER_LINK_E_FAILED,
 * _DEBUG and _THREADS, with the message; SYMBOLIZER_LINK_E_CLOSED.
 */
int symbolizer_link_receive(struct symbolizer_link *link, struct tm_wire *ret_message, int *ret_fd);
/* The last message turned out to be invalid: closes the wire. */
void symbolizer_link_refuse(struct symbolizer_link *link);
/* @fd: -1: none; stays the caller's. FILE uses up credit, and REOPENED with @fd.
 * Return: 0, SYMBOLIZER_LINK_E_AGAIN, SYMBOLIZER_LINK_E_CLOSED. */
int symbolizer_link_send(struct symbolizer_link *link, const struct tm_wire *message, int fd);
