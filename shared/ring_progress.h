/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ring_progress - how far a collector had come at each round, for the one that goes on after it
 *
 * Shape      two records in the ring's header, written in turn. A round writes one, then publishes
 *            its tail (W1). The record of the last round that was published is the newest one that
 *            is complete and has the tail of the header; what a killed writer left of a further
 *            round is thereby ignored. The low bit of the sequence number also says which of the
 *            two drained positions of each CPU (struct tm_cpu_slot) belongs to it.
 * Order      W6 store-release the words, then the number: read by nobody before the writer's death.
 * Errors     -ENODATA: there is no such record, -EBADMSG: not such a ring.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/ring.h"

struct tm_ring_progress {
	uint64_t tail_pos;
	uint64_t weighed_ns; /* ktime until which weight_ns of the counts says the period */
	uint64_t generation; /* goes on with the kernel's side */
	struct tm_counts counts;
};

/* Writes the record of a round that is about to be published. @seq: 1, 2, .. */
void tm_ring_note_progress(struct tm_ring_header *header, uint64_t seq,
			   const struct tm_ring_progress *progress);
/* Of the ring of a writer that has ended. Return: 0, -ENODATA, -EBADMSG. */
int tm_ring_read_progress(const struct tm_ring_header *header, size_t region_bytes,
			  uint64_t *ret_seq, struct tm_ring_progress *ret_progress);
