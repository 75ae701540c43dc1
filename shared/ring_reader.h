/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ring_reader - the reader's end of the record ring (shared/ring.h)
 *
 * Trust      the writer is hostile: each length is copied once and then checked.
 * Owner      the regions stay the caller's (shared/region.h) and must outlive the reader.
 * Threads    one thread. No system call, no allocation, no wait.
 * Errors     TM_RING_E_EMPTY, TM_RING_E_TORN, -EBADMSG.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/ring.h"

#define TM_RING_COUNTS_TRIES 100u

enum {
	TM_RING_E_EMPTY = 2,
	TM_RING_E_TORN = 3,
};

struct tm_ring_reader {
	const struct tm_ring_header *header;
	struct tm_ring_reader_page *page;
	const uint8_t *data;
	uint64_t capacity;
	uint64_t head_pos; /* the shared one is a copy of it */
	uint64_t tail_pos; /* as loaded at the start of the round */
	uint64_t watermark;
	uint64_t most;   /* bytes that waited at the start of a round so far */
	uint64_t passed; /* W published before the record last popped was pushed; 0: none */
};

/* Checks magic, version, sizes. Return: 0, -EBADMSG. */
int tm_ring_reader_init(struct tm_ring_reader *r, const void *region, size_t region_bytes,
			struct tm_ring_reader_page *page);
/* Starts a round: loads the watermark (R3), then the tail (R1). @ret_watermark: never decreases.
 * Return: 0, -EBADMSG (impossible tail or watermark: the ring is unusable). */
int tm_ring_reader_begin(struct tm_ring_reader *r, uint64_t *ret_watermark);
/*
 * Copies the next record of the round into @buffer (8-aligned, TM_EVENT_MAX_BYTES). Return: 0 and
 * *ret_bytes, TM_RING_E_EMPTY (the round is over), -EBADMSG (impossible length or stamp: the ring
 * is unusable). Afterwards r->passed is the W published before that record was pushed: every record
 * older than it has been popped, so a record with an older ktime came too late.
 */
int tm_ring_pop(struct tm_ring_reader *r, void *buffer, size_t buffer_bytes, uint32_t *ret_bytes);
/* Lets the writer overwrite what was popped (R2). */
void tm_ring_reader_commit(struct tm_ring_reader *r);
/* Copies one consistent set of counts. Return: 0, TM_RING_E_TORN (the set changed during each of
 * TM_RING_COUNTS_TRIES attempts, as when the writer died while writing it; *ret_counts is
 * unchanged). */
int tm_ring_counts(const struct tm_ring_reader *r, struct tm_counts *ret_counts);
