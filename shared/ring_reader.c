/* SPDX-License-Identifier: Apache-2.0 */
/* ring_reader - the reader's end of the record ring (shared/ring.h) */

#include "shared/ring_reader.h"

#include <errno.h>
#include <string.h>

int tm_ring_reader_init(struct tm_ring_reader *r, const void *region, size_t region_bytes,
			struct tm_ring_reader_page *page)
{
	const struct tm_ring_header *header = region;
	struct {
		uint64_t magic, version, capacity, generation;
	} copy;
	uint64_t head_pos;

	if (region_bytes < TM_RING_HEADER_BYTES)
		return -EBADMSG;
	memcpy(&copy, header, sizeof(copy));
	if (copy.magic != TM_RING_MAGIC || copy.version != TM_EVENT_VERSION ||
	    copy.capacity != region_bytes - TM_RING_HEADER_BYTES ||
	    !tm_ring_is_capacity(copy.capacity))
		return -EBADMSG;
	/* relaxed: only readers of this process write it; 0, or where the last one stopped */
	head_pos = atomic_load_explicit(&page->head_pos, memory_order_relaxed);
	*r = (struct tm_ring_reader){
		.header = header,
		.page = page,
		.data = (const uint8_t *)region + TM_RING_HEADER_BYTES,
		.capacity = copy.capacity,
		.head_pos = head_pos,
		.tail_pos = head_pos,
	};
	return 0;
}

int tm_ring_reader_begin(struct tm_ring_reader *r, uint64_t *ret_watermark)
{
	uint64_t watermark, tail_pos;

	/* R3 <- W3: before R1, so that everything older than it lies below the tail loaded next */
	watermark = atomic_load_explicit(&r->header->watermark, memory_order_acquire);
	/* R1 <- W1: the bytes below it are complete */
	tail_pos = atomic_load_explicit(&r->header->tail_pos, memory_order_acquire);
	if (tail_pos - r->head_pos > r->capacity || tail_pos % 8 != 0)
		return -EBADMSG;
	if (tail_pos - r->head_pos < r->tail_pos - r->head_pos || watermark < r->watermark)
		return -EBADMSG;
	if (tail_pos - r->head_pos > r->most)
		r->most = tail_pos - r->head_pos;
	r->tail_pos = tail_pos;
	r->watermark = watermark;
	*ret_watermark = watermark;
	return 0;
}

/* Reads the head of the record at head_pos once, and checks it. */
static int check_head(const struct tm_ring_reader *r, struct tm_ring_head *ret_head)
{
	uint64_t at = r->head_pos & (r->capacity - 1);
	uint64_t to_end = r->capacity - at;
	struct tm_ring_head head;

	memcpy(&head, r->data + at, sizeof(head));
	if (head.bytes == 0 || head.bytes % 8 != 0 || head.bytes > r->tail_pos - r->head_pos ||
	    head.bytes > to_end)
		return -EBADMSG;
	if (head.type == TM_RING_FILLER ? at == 0 || head.bytes != to_end
					: head.bytes > TM_EVENT_MAX_BYTES)
		return -EBADMSG;
	*ret_head = head;
	return 0;
}

/* Reads the stamp at head_pos. Return: 0, -EBADMSG (wrong size, or its watermark fell). */
static int take_stamp(struct tm_ring_reader *r, const struct tm_ring_head *head)
{
	struct tm_ring_stamp stamp;

	if (head->bytes != sizeof(stamp))
		return -EBADMSG;
	memcpy(&stamp, r->data + (r->head_pos & (r->capacity - 1)), sizeof(stamp));
	if (stamp.watermark < r->passed)
		return -EBADMSG;
	r->passed = stamp.watermark;
	return 0;
}

int tm_ring_pop(struct tm_ring_reader *r, void *buffer, size_t buffer_bytes, uint32_t *ret_bytes)
{
	struct tm_ring_head head = {0};
	int error;

	for (;;) {
		if (r->head_pos == r->tail_pos)
			return TM_RING_E_EMPTY;
		error = check_head(r, &head);
		if (error == 0 && head.type == TM_RING_STAMP)
			error = take_stamp(r, &head);
		if (error < 0)
			return error;
		if (head.type != TM_RING_FILLER && head.type != TM_RING_STAMP)
			break;
		r->head_pos += head.bytes;
	}
	if (head.bytes > buffer_bytes)
		return -EBADMSG;
	memcpy(buffer, r->data + (r->head_pos & (r->capacity - 1)), head.bytes);
	/* The writer may have changed the head between the two copies: the checked one is used. */
	memcpy(buffer, &head, sizeof(head));
	r->head_pos += head.bytes;
	*ret_bytes = head.bytes;
	return 0;
}

void tm_ring_reader_commit(struct tm_ring_reader *r)
{
	/* R2 -> W2: everything below has been copied out */
	atomic_store_explicit(&r->page->head_pos, r->head_pos, memory_order_release);
}

static uint64_t get_count(const struct tm_ring_header *header, size_t word)
{
	/* R4 <- W4: with a count of a newer set comes its odd sequence number */
	return atomic_load_explicit(&header->counts[word], memory_order_acquire);
}

static uint64_t get_counts_seq(const struct tm_ring_header *header)
{
	/* R5 <- W5: with an even number come the counts of its set */
	return atomic_load_explicit(&header->counts_seq, memory_order_acquire);
}

int tm_ring_counts(const struct tm_ring_reader *r, struct tm_counts *ret_counts)
{
	uint64_t words[TM_RING_COUNT_WORDS], seq;
	size_t i, tries;

	for (tries = 0; tries < TM_RING_COUNTS_TRIES; tries++) {
		seq = get_counts_seq(r->header);
		if (seq % 2 != 0)
			continue;
		for (i = 0; i < TM_RING_COUNT_WORDS; i++)
			words[i] = get_count(r->header, i);
		if (get_counts_seq(r->header) != seq)
			continue;
		memcpy(ret_counts, words, sizeof(words));
		return 0;
	}
	return TM_RING_E_TORN;
}
