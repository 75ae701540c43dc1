/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ring - the one-writer, one-reader record ring in shared memory, with watermark and counts: its
 * layout and its writer
 *
 * Shape      two regions, each with exactly one writer (the MMU enforces it, shared/region.h):
 *            data region  (collector RW, symbolizer RO): header page(s), then data[capacity]
 *            reader page  (symbolizer RW, collector RO): head_pos
 *            Records are those of shared/event.h, 8-byte aligned and never wrapped: a record that
 *            would cross the end is preceded by a filler (type TM_RING_FILLER, bytes to the end).
 *            The first record pushed after the watermark has risen is preceded by a stamp (type
 *            TM_RING_STAMP) with that W. So a reader knows for each record which W was published
 *            before it was pushed, however many rounds it missed. Idle rounds write nothing.
 * Units      positions: bytes since creation, free-running u64, masked only to index.
 * Invariant  0 <= tail_pos - head_pos <= capacity; capacity a power of two, copied privately.
 * Order      W1 store-release tail_pos  -> R1 load-acquire tail_pos   (bytes before index)
 *            R2 store-release head_pos  -> W2 load-acquire head_pos   (read before reuse)
 *            W3 store-release watermark -> R3 load-acquire watermark  (records older than W before
 *            W) R3 is loaded before R1: everything older than that W lies below that tail.
 *            W4 store-release each count  -> R4 load-acquire each count (odd sequence number first)
 *            W5 store-release counts_seq -> R5 load-acquire counts_seq  (words before even number)
 * Trust      neither side trusts the other. The writer reads head_pos once per round; an impossible
 *            value is counted and treated as "nothing new was read". The reader copies each length
 *            once and then checks it.
 * Reserve    the last reserve_bytes of free space are for announcements and exits; a sample that
 *            would use them is refused.
 * Owner      the regions stay the caller's (shared/region.h) and must outlive both ends.
 * Threads    one thread per end. No system call, no allocation, no wait.
 * Errors     TM_RING_E_FULL (dropped, the caller counts), -EINVAL. The reader's end, with errors of
 *            its own, is shared/ring_reader.h.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/wire.h"

#define TM_RING_MAGIC          0x33474e5244494d54ull /* "TMIDRNG3" */
#define TM_RING_FILLER         0xffffu
#define TM_RING_STAMP          0xfffeu
#define TM_RING_HEADER_BYTES   4096u
#define TM_RING_MIN_BYTES      (128u << 10) /* so that the largest record fits behind any filler */
#define TM_RING_MAX_BYTES      (256u << 20)
#define TM_RING_RESERVE_PART   8u /* reserve_bytes = capacity / this */
#define TM_RING_COUNT_WORDS    (sizeof(struct tm_counts) / 8)
#define TM_RING_PROGRESS_WORDS (3 + TM_RING_COUNT_WORDS) /* shared/ring_progress.h */

enum {
	TM_RING_E_FULL = 1,
};

/* The first 8 bytes of every record, filler and stamp. */
struct tm_ring_head {
	uint32_t bytes;
	uint16_t type;
	uint16_t cpu;
};

/* The watermark that was published before the record behind it was pushed. */
struct tm_ring_stamp {
	struct tm_ring_head head;
	uint64_t watermark;
};

struct tm_ring_round {
	_Atomic uint64_t seq; /* 0: none, or being written */
	_Atomic uint64_t words[TM_RING_PROGRESS_WORDS];
};

struct tm_ring_header {
	uint64_t magic;      /* this and the next three are constant after creation */
	uint64_t version;    /* TM_EVENT_VERSION */
	uint64_t capacity;   /* bytes of data, power of two */
	uint64_t generation; /* random; a collector that goes on after another keeps it */
	_Alignas(64) _Atomic uint64_t tail_pos;       /* W1 */
	_Alignas(64) _Atomic uint64_t watermark;      /* W3, ns */
	_Alignas(64) _Atomic uint64_t counts_seq;     /* W5; odd: being written */
	_Atomic uint64_t counts[TM_RING_COUNT_WORDS]; /* W4; struct tm_counts */
	_Alignas(64) struct tm_ring_round rounds[2];  /* W6; struct tm_ring_progress */
};

struct tm_ring_reader_page {
	_Alignas(64) _Atomic uint64_t head_pos; /* R2 */
};

struct tm_ring_writer {
	struct tm_ring_header *header;
	const struct tm_ring_reader_page *reader;
	uint8_t *data;
	uint64_t capacity;
	uint64_t reserve_bytes;
	uint64_t tail_pos; /* the shared one is a copy of it */
	uint64_t head_pos; /* as last accepted from the reader */
	uint64_t published_pos;
	uint64_t watermark;
	uint64_t stamped; /* the watermark of the last stamp */
	uint64_t counts_seq;
	uint64_t violations; /* impossible head_pos values */
};

static inline bool tm_ring_is_capacity(uint64_t bytes)
{
	return bytes >= TM_RING_MIN_BYTES && bytes <= TM_RING_MAX_BYTES &&
	       (bytes & (bytes - 1)) == 0;
}

/* Return: bytes of a ring's data: @least, doubled until it is at least @wanted or reaches @most. */
static inline uint64_t tm_ring_bytes_for(uint64_t wanted, uint64_t least, uint64_t most)
{
	while (least < wanted && least < most)
		least *= 2;
	return least;
}

/* Initialises the header of a new region. Return: 0, -EINVAL (capacity no power of two or out of
 * bounds). */
int tm_ring_writer_init(struct tm_ring_writer *w, void *region, size_t region_bytes,
			const struct tm_ring_reader_page *reader, uint64_t generation);
/* Reads the reader's position once (W2); call once per round. */
void tm_ring_writer_refresh(struct tm_ring_writer *w);
/*
 * Copies one record in; visible to the reader only after tm_ring_publish.
 * @urgent: may use the reserve. Return: 0, TM_RING_E_FULL, -EINVAL (bytes 0, not a multiple of 8,
 * larger than TM_EVENT_MAX_BYTES, or not what the record's own head says). A stamp that is due is
 * pushed together with the record or not at all.
 */
int tm_ring_push(struct tm_ring_writer *w, const void *record, uint32_t bytes, bool urgent);
/* Publishes the records (W1), then the watermark (W3); a watermark lower than the last is ignored.
 */
void tm_ring_publish(struct tm_ring_writer *w, uint64_t watermark);
/* Publishes the counts under counts_seq. */
void tm_ring_publish_counts(struct tm_ring_writer *w, const struct tm_counts *counts);
