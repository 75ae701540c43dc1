/* SPDX-License-Identifier: Apache-2.0 */
/* ring - the writer's end of the record ring */

#include "shared/ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static_assert(sizeof(struct tm_ring_head) == 8, "a filler fits wherever a record may start");
static_assert(offsetof(struct tm_event, type) == offsetof(struct tm_ring_head, type),
	      "one head for both");
static_assert(sizeof(struct tm_ring_header) <= TM_RING_HEADER_BYTES, "header fits its page");
static_assert(sizeof(struct tm_counts) % 8 == 0, "counts are 64-bit words");
static_assert(TM_EVENT_MAX_BYTES % 8 == 0, "records are 64-bit words");
/* Behind a stamp and a filler of almost its own size, the largest sample fits into an empty ring.
 */
static_assert(2 * TM_EVENT_MAX_BYTES + 2 * sizeof(struct tm_ring_stamp) +
			      TM_RING_MIN_BYTES / TM_RING_RESERVE_PART <=
		      TM_RING_MIN_BYTES,
	      "every record fits");

int tm_ring_writer_init(struct tm_ring_writer *w, void *region, size_t region_bytes,
			const struct tm_ring_reader_page *reader, uint64_t generation)
{
	struct tm_ring_header *header = region;
	uint64_t capacity = region_bytes - TM_RING_HEADER_BYTES;

	if (region_bytes < TM_RING_HEADER_BYTES || !tm_ring_is_capacity(capacity))
		return -EINVAL;
	memset(region, 0, TM_RING_HEADER_BYTES);
	header->magic = TM_RING_MAGIC;
	header->version = TM_EVENT_VERSION;
	header->capacity = capacity;
	header->generation = generation;
	*w = (struct tm_ring_writer){
		.header = header,
		.reader = reader,
		.data = (uint8_t *)region + TM_RING_HEADER_BYTES,
		.capacity = capacity,
		.reserve_bytes = capacity / TM_RING_RESERVE_PART,
	};
	return 0;
}

void tm_ring_writer_refresh(struct tm_ring_writer *w)
{
	uint64_t head_pos;

	/* W2 <- R2: the reader has copied everything below; those bytes may be overwritten */
	head_pos = atomic_load_explicit(&w->reader->head_pos, memory_order_acquire);
	if (head_pos - w->head_pos > w->tail_pos - w->head_pos || head_pos % 8 != 0) {
		w->violations++;
		return;
	}
	w->head_pos = head_pos;
}

/* Where @bytes go that come next at @pos: there, or behind a filler. */
static uint64_t place(const struct tm_ring_writer *w, uint64_t pos, uint64_t bytes)
{
	uint64_t to_end = w->capacity - (pos & (w->capacity - 1));

	return bytes > to_end ? pos + to_end : pos;
}

/* Writes @bytes at the tail, behind a filler where they would cross the end. */
static void put(struct tm_ring_writer *w, const void *record, uint64_t bytes)
{
	uint64_t pos = place(w, w->tail_pos, bytes);
	const struct tm_ring_head filler = {.bytes = (uint32_t)(pos - w->tail_pos),
					    .type = TM_RING_FILLER};

	if (filler.bytes > 0)
		memcpy(w->data + (w->tail_pos & (w->capacity - 1)), &filler, sizeof(filler));
	memcpy(w->data + (pos & (w->capacity - 1)), record, bytes);
	w->tail_pos = pos + bytes;
}

int tm_ring_push(struct tm_ring_writer *w, const void *record, uint32_t bytes, bool urgent)
{
	const struct tm_ring_stamp stamp = {.head = {.bytes = sizeof(stamp), .type = TM_RING_STAMP},
					    .watermark = w->watermark};
	uint64_t free_bytes = w->capacity - (w->tail_pos - w->head_pos);
	uint64_t reserved = urgent ? 0 : w->reserve_bytes;
	uint64_t end_pos = w->tail_pos;
	struct tm_ring_head head;

	if (bytes == 0 || bytes % 8 != 0 || bytes > TM_EVENT_MAX_BYTES)
		return -EINVAL;
	memcpy(&head, record, sizeof(head));
	if (head.bytes != bytes || head.type == TM_RING_FILLER || head.type == TM_RING_STAMP)
		return -EINVAL;
	if (w->stamped != w->watermark)
		end_pos = place(w, end_pos, sizeof(stamp)) + sizeof(stamp);
	end_pos = place(w, end_pos, bytes) + bytes;
	if (end_pos - w->tail_pos + reserved > free_bytes)
		return TM_RING_E_FULL;
	if (w->stamped != w->watermark)
		put(w, &stamp, sizeof(stamp));
	w->stamped = w->watermark;
	put(w, record, bytes);
	return 0;
}

void tm_ring_publish(struct tm_ring_writer *w, uint64_t watermark)
{
	/* Without new records the cache line of tail_pos stays valid in the reader's cache. */
	if (w->published_pos != w->tail_pos) {
		/* W1 -> R1: publishes the bytes of the records below it */
		atomic_store_explicit(&w->header->tail_pos, w->tail_pos, memory_order_release);
		w->published_pos = w->tail_pos;
	}
	if (watermark > w->watermark) {
		w->watermark = watermark;
		/* W3 -> R3: the tail above, and with it every older record, comes before */
		atomic_store_explicit(&w->header->watermark, watermark, memory_order_release);
	}
}

/*
 * The counts are a seqlock without fences: a reader that loads one count of a newer set acquires
 * (R4) what was stored before that count (W4), the odd sequence number, and so finds the number
 * changed.
 */
static void put_count(struct tm_ring_header *header, size_t word, uint64_t value)
{
	/* W4 -> R4: the odd sequence number comes before each count */
	atomic_store_explicit(&header->counts[word], value, memory_order_release);
}

static void put_counts_seq(struct tm_ring_header *header, uint64_t seq)
{
	/* W5 -> R5: an even number comes after the counts of its set */
	atomic_store_explicit(&header->counts_seq, seq, memory_order_release);
}

void tm_ring_publish_counts(struct tm_ring_writer *w, const struct tm_counts *counts)
{
	uint64_t words[TM_RING_COUNT_WORDS];
	size_t i;

	memcpy(words, counts, sizeof(words));
	put_counts_seq(w->header, w->counts_seq + 1);
	for (i = 0; i < TM_RING_COUNT_WORDS; i++)
		put_count(w->header, i, words[i]);
	w->counts_seq += 2;
	put_counts_seq(w->header, w->counts_seq);
}
