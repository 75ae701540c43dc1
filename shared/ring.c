/* SPDX-License-Identifier: Apache-2.0 */
/* ring - the one-writer, one-reader record ring in shared memory, with watermark and counts */

#include "shared/ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* The first 8 bytes of every record, filler and stamp. */
struct head {
	uint32_t bytes;
	uint16_t type;
	uint16_t cpu;
};

/* The watermark that was published before the record behind it was pushed. */
struct stamp {
	struct head head;
	uint64_t watermark;
};

#define COUNT_WORDS (sizeof(struct tm_counts) / 8)

static_assert(sizeof(struct head) == 8, "a filler fits wherever a record may start");
static_assert(offsetof(struct tm_event, type) == offsetof(struct head, type), "one head for both");
static_assert(sizeof(struct tm_ring_header) <= TM_RING_HEADER_BYTES, "header fits its page");
static_assert(sizeof(struct tm_counts) % 8 == 0, "counts are 64-bit words");
static_assert(TM_EVENT_MAX_BYTES % 8 == 0, "records are 64-bit words");
/* Behind a stamp and a filler of almost its own size, the largest sample fits into an empty ring.
 */
static_assert(2 * TM_EVENT_MAX_BYTES + 2 * sizeof(struct stamp) +
			      TM_RING_MIN_BYTES / TM_RING_RESERVE_PART <=
		      TM_RING_MIN_BYTES,
	      "every record fits");

static bool is_capacity(uint64_t bytes)
{
	return bytes >= TM_RING_MIN_BYTES && bytes <= TM_RING_MAX_BYTES &&
	       (bytes & (bytes - 1)) == 0;
}

/* --- writer --- */

int tm_ring_writer_init(struct tm_ring_writer *w, void *region, size_t region_bytes,
			const struct tm_ring_reader_page *reader, uint64_t generation)
{
	struct tm_ring_header *header = region;
	uint64_t capacity = region_bytes - TM_RING_HEADER_BYTES;

	if (region_bytes < TM_RING_HEADER_BYTES || !is_capacity(capacity))
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
	const struct head filler = {.bytes = (uint32_t)(pos - w->tail_pos), .type = TM_RING_FILLER};

	if (filler.bytes > 0)
		memcpy(w->data + (w->tail_pos & (w->capacity - 1)), &filler, sizeof(filler));
	memcpy(w->data + (pos & (w->capacity - 1)), record, bytes);
	w->tail_pos = pos + bytes;
}

int tm_ring_push(struct tm_ring_writer *w, const void *record, uint32_t bytes, bool urgent)
{
	const struct stamp stamp = {.head = {.bytes = sizeof(stamp), .type = TM_RING_STAMP},
				    .watermark = w->watermark};
	uint64_t free_bytes = w->capacity - (w->tail_pos - w->head_pos);
	uint64_t reserved = urgent ? 0 : w->reserve_bytes;
	uint64_t end_pos = w->tail_pos;
	struct head head;

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
	uint64_t words[COUNT_WORDS];
	size_t i;

	memcpy(words, counts, sizeof(words));
	put_counts_seq(w->header, w->counts_seq + 1);
	for (i = 0; i < COUNT_WORDS; i++)
		put_count(w->header, i, words[i]);
	w->counts_seq += 2;
	put_counts_seq(w->header, w->counts_seq);
}

/* --- reader --- */

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
	    copy.capacity != region_bytes - TM_RING_HEADER_BYTES || !is_capacity(copy.capacity))
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
	r->tail_pos = tail_pos;
	r->watermark = watermark;
	*ret_watermark = watermark;
	return 0;
}

/* Reads the head of the record at head_pos once, and checks it. */
static int check_head(const struct tm_ring_reader *r, struct head *ret_head)
{
	uint64_t at = r->head_pos & (r->capacity - 1);
	uint64_t to_end = r->capacity - at;
	struct head head;

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
static int take_stamp(struct tm_ring_reader *r, const struct head *head)
{
	struct stamp stamp;

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
	struct head head = {0};
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
	uint64_t words[COUNT_WORDS], seq;
	size_t i, tries;

	for (tries = 0; tries < TM_RING_COUNTS_TRIES; tries++) {
		seq = get_counts_seq(r->header);
		if (seq % 2 != 0)
			continue;
		for (i = 0; i < COUNT_WORDS; i++)
			words[i] = get_count(r->header, i);
		if (get_counts_seq(r->header) != seq)
			continue;
		memcpy(ret_counts, words, sizeof(words));
		return 0;
	}
	return TM_RING_E_TORN;
}
