/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ring - the one-writer, one-reader record ring in shared memory, and the watermark beside it
 *
 * Shape      two regions, each with exactly one writer (the MMU enforces it, shared/region.h):
 *            data region  (collector RW, symbolizer RO): header page(s), then data[capacity]
 *            reader page  (symbolizer RW, collector RO): head_pos
 *            Records are those of shared/event.h: 8-byte aligned, never wrapped: a record that would
 *            cross the end is preceded by a filler (type TM_RING_FILLER, bytes to the end).
 *            Before the first record pushed after a rise of the watermark stands a stamp (type
 *            TM_RING_STAMP) with that W. So a reader knows for each record which W was out already
 *            when it was pushed, however many rounds it has slept through; idle rounds cost nothing.
 * Units      positions: bytes since creation, free-running u64, masked only to index.
 * Invariant  0 <= tail_pos - head_pos <= capacity; capacity a power of two, copied privately.
 * Order      W1 store-release tail_pos  -> R1 load-acquire tail_pos   (bytes before index)
 *            R2 store-release head_pos  -> W2 load-acquire head_pos   (read before reuse)
 *            W3 store-release watermark -> R3 load-acquire watermark  (records older than W before W)
 *            R3 is loaded before R1: everything older than that W lies below that tail.
 *            W4 store-release each count  -> R4 load-acquire each count (odd sequence number first)
 *            W5 store-release counts_seq -> R5 load-acquire counts_seq  (words before even number)
 * Trust      the writer never believes head_pos: read once per round and clamped; an impossible one
 *            counts as "nothing read" and is counted. The reader never believes a length: it is
 *            copied once, then checked.
 * Room       announcements and exits may use the last reserve_bytes of the free room; samples
 *            stop short of it.
 * Threads    one thread per end. No system call, no allocation, no wait.
 * Errors     TM_RING_E_FULL (dropped, the caller counts), TM_RING_E_EMPTY, TM_RING_E_TORN, -EINVAL,
 *            -EBADMSG.
 */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/wire.h"

#define TM_RING_MAGIC        0x32474e5244494d54ull /* "TMIDRNG2" */
#define TM_RING_FILLER       0xffffu
#define TM_RING_STAMP        0xfffeu
#define TM_RING_HEADER_BYTES 4096u
#define TM_RING_MIN_BYTES    (128u << 10) /* the largest record fits behind any filler */
#define TM_RING_MAX_BYTES    (256u << 20)
#define TM_RING_RESERVE_PART 8u /* reserve_bytes = capacity / this */
#define TM_RING_COUNTS_TRIES 100u

enum {
	TM_RING_E_FULL = 1,
	TM_RING_E_EMPTY = 2,
	TM_RING_E_TORN = 3,
};

struct tm_ring_header {
	uint64_t magic;                         /* constant after creation, as are the next three */
	uint64_t version;                       /* TM_EVENT_VERSION */
	uint64_t capacity;                      /* bytes of data, power of two */
	uint64_t generation;                    /* random, one per collector life */
	_Alignas(64) _Atomic uint64_t tail_pos; /* W1 */
	_Alignas(64) _Atomic uint64_t watermark;  /* W3, ns */
	_Alignas(64) _Atomic uint64_t counts_seq; /* W5; even: stable; odd: being written */
	_Atomic uint64_t counts[sizeof(struct tm_counts) / 8]; /* W4; struct tm_counts */
};

struct tm_ring_reader_page {
	_Alignas(64) _Atomic uint64_t head_pos; /* R2 */
};

/* --- writer ------------------------------------------------------------------------------------ */

struct tm_ring_writer {
	struct tm_ring_header *header;
	const struct tm_ring_reader_page *reader;
	uint8_t *data;
	uint64_t capacity;
	uint64_t reserve_bytes;
	uint64_t tail_pos; /* private truth */
	uint64_t head_pos; /* as last accepted from the reader */
	uint64_t published_pos;
	uint64_t watermark;
	uint64_t stamped; /* the watermark of the last stamp */
	uint64_t counts_seq;
	uint64_t violations; /* impossible head_pos values */
};

/* @least doubled until it holds @wanted, or is @most: bytes of a ring's data. */
static inline uint64_t tm_ring_bytes_for(uint64_t wanted, uint64_t least, uint64_t most)
{
	while (least < wanted && least < most)
		least *= 2;
	return least;
}

/* Lays out a fresh region. Return: 0, -EINVAL (capacity not a power of two or out of bounds). */
int tm_ring_writer_init(struct tm_ring_writer *w, void *region, size_t region_bytes,
			const struct tm_ring_reader_page *reader, uint64_t generation);
/* Reads the peer's head once (W2); call once per round. */
void tm_ring_writer_refresh(struct tm_ring_writer *w);
/*
 * Copies one record in; visible to the reader only after tm_ring_publish.
 * @urgent: may use the reserve. Return: 0, TM_RING_E_FULL, -EINVAL (bytes 0, not a multiple of 8,
 * larger than TM_EVENT_MAX_BYTES, or not what the record's own head says). A stamp that is due comes
 * with the record or not at all.
 */
int tm_ring_push(struct tm_ring_writer *w, const void *record, uint32_t bytes, int urgent);
/* Publishes the records (W1), then the watermark (W3); a lower watermark is kept at its old value. */
void tm_ring_publish(struct tm_ring_writer *w, uint64_t watermark);
/* Publishes the counts under counts_seq. */
void tm_ring_publish_counts(struct tm_ring_writer *w, const struct tm_counts *counts);

/* --- reader ------------------------------------------------------------------------------------ */

struct tm_ring_reader {
	const struct tm_ring_header *header;
	struct tm_ring_reader_page *page;
	const uint8_t *data;
	uint64_t capacity;
	uint64_t head_pos; /* private truth */
	uint64_t tail_pos; /* snapshot of the round */
	uint64_t watermark;
	uint64_t passed; /* W that was out before the record last popped was pushed; 0: none */
};

/* Checks magic, version, sizes. Return: 0, -EBADMSG. */
int tm_ring_reader_init(struct tm_ring_reader *r, const void *region, size_t region_bytes,
			struct tm_ring_reader_page *page);
/* Starts a round: loads the watermark (R3), then the tail (R1). Return: 0, -EBADMSG (tail or
 * watermark impossible: the ring is unusable). @ret_watermark: never decreases. */
int tm_ring_reader_begin(struct tm_ring_reader *r, uint64_t *ret_watermark);
/*
 * Copies the next record of the round into @buffer (8-aligned, TM_EVENT_MAX_BYTES). Return: 0 and
 * *ret_bytes, TM_RING_E_EMPTY (round is over), -EBADMSG (a length or a stamp lied; the ring is
 * unusable). Afterwards r->passed is what was published before that record was pushed: a record with
 * an older ktime broke the promise of W, and all records older than it have been popped.
 */
int tm_ring_pop(struct tm_ring_reader *r, void *buffer, size_t buffer_bytes, uint32_t *ret_bytes);
/* Gives the room back (R2). */
void tm_ring_reader_commit(struct tm_ring_reader *r);
/* A stable copy of the counts. Return: 0, TM_RING_E_TORN (TM_RING_COUNTS_TRIES in vain, as when
 * the writer died in mid-write: *ret_counts stays as it was, the last stable copy). */
int tm_ring_counts(const struct tm_ring_reader *r, struct tm_counts *ret_counts);
