/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * along - reads the shared ring of a running collector along, unseen by it and by its symbolizer
 *
 * Use        as root: the collector's own mapping is opened once more through /proc.
 * Limits     the writer waits for the symbolizer, not for us: what was copied counts only while the ring
 *            is less than half full behind it, as the writer may be in the midst of its next round.
 * Errors     -ENOENT: no collector with a ring; -EOVERFLOW: the writer overtook us; -EBADMSG: a record
 *            that does not check; -errno.
 */

#include "shared/ring.h"

struct along {
	struct tm_ring_reader reader;
	struct tm_ring_reader_page page; /* our own: the writer does not know of us */
	_Alignas(8) uint8_t record[TM_EVENT_MAX_BYTES];
};

/* @pid: of a tidemark-collector, as text. Return: 0, -errno. */
int along_open(struct along *along, const char *pid);
/* Gives every record that has come to @take, until it returns < 0. Return: 0, -errno. */
int along_read(struct along *along, int (*take)(const struct tm_event *event, void *context),
	       void *context);
