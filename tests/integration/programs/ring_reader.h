/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ring_reader - a second reader of a running collector's shared ring, unknown to it and to its
 * symbolizer
 *
 * Use        as root: the collector's own mapping is opened once more through /proc.
 * Limits     the writer waits for the symbolizer, not for us: what was copied counts only while
 *            the ring is less than half full behind it, as the writer may be in the midst of its
 *            next round.
 * Errors     -ENOENT: no collector with a ring; -EOVERFLOW: the writer overtook us; -EBADMSG: a
 *            record that does not check; -errno.
 */

#include "shared/ring_reader.h"

struct ring_reader {
	struct tm_ring_reader reader;
	struct tm_ring_reader_page page; /* our own: the writer does not know of us */
	_Alignas(8) uint8_t record[TM_EVENT_MAX_BYTES];
};

/* @pid: of a tidemark-collector, as text. Return: 0, -errno. */
int ring_reader_open(struct ring_reader *ring, const char *pid);
/* Gives every record that has come to @take, until it returns < 0. Return: 0, -errno. */
int ring_reader_read(struct ring_reader *ring,
		     int (*take)(const struct tm_event *event, void *context), void *context);
