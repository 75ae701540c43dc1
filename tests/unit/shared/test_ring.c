/* SPDX-License-Identifier: Apache-2.0 */
/* test_ring - records come back whole and in order, room is kept, and a lying peer harms only itself */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/ring.h"

#define CAPACITY TM_RING_MIN_BYTES
#define REGION   (CAPACITY + TM_RING_HEADER_BYTES)
#define MAX      TM_EVENT_MAX_BYTES

struct ring {
	struct tm_ring_writer w;
	struct tm_ring_reader r;
	struct tm_ring_reader_page page;
	_Alignas(64) uint8_t region[REGION];
	_Alignas(8) uint8_t record[MAX + 8];
	_Alignas(8) uint8_t buffer[MAX];
};

static int make(void **state)
{
	struct ring *ring = aligned_alloc(64, sizeof(*ring));

	if (ring == NULL)
		return -1;
	memset(ring, 0, sizeof(*ring));
	*state = ring;
	return tm_ring_writer_init(&ring->w, ring->region, REGION, &ring->page, 42) ||
	       tm_ring_reader_init(&ring->r, ring->region, REGION, &ring->page);
}

static int unmake(void **state)
{
	free(*state);
	return 0;
}

static int push(struct ring *ring, uint32_t bytes, uint8_t fill, int urgent)
{
	const struct tm_event event = {.bytes = bytes, .type = TM_EVENT_SAMPLE};

	memset(ring->record, fill, sizeof(ring->record));
	memcpy(ring->record, &event, bytes < 8 ? bytes : 8);
	return tm_ring_push(&ring->w, ring->record, bytes, urgent);
}

static int pop(struct ring *ring, uint32_t *ret_bytes)
{
	return tm_ring_pop(&ring->r, ring->buffer, sizeof(ring->buffer), ret_bytes);
}

static void expect(struct ring *ring, uint32_t bytes, uint8_t fill)
{
	uint32_t got = 0, i;

	assert_int_equal(pop(ring, &got), 0);
	assert_int_equal(got, bytes);
	assert_int_equal(((struct tm_event *)ring->buffer)->bytes, bytes);
	for (i = 8; i < bytes; i++)
		assert_int_equal(ring->buffer[i], fill);
}

static void begin(struct ring *ring)
{
	uint64_t watermark;

	assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), 0);
}

/* Starts both ends, empty, at @pos. */
static void start_at(struct ring *ring, uint64_t pos)
{
	ring->w.tail_pos = ring->w.head_pos = ring->w.published_pos = pos;
	ring->r.head_pos = ring->r.tail_pos = pos;
	atomic_init(&ring->w.header->tail_pos, pos);
	atomic_init(&ring->page.head_pos, pos);
}

static void record_comes_back_as_pushed(void **state)
{
	struct ring *ring = *state;
	uint32_t bytes = 0;

	assert_int_equal(push(ring, 48, 0xa1, 0), 0);
	assert_int_equal(push(ring, MAX, 0xa2, 0), 0);
	assert_int_equal(push(ring, 8, 0, 1), 0);
	begin(ring);
	assert_int_equal(pop(ring, &bytes), TM_RING_E_EMPTY); /* not published yet */
	tm_ring_publish(&ring->w, 0);
	assert_int_equal(pop(ring, &bytes), TM_RING_E_EMPTY); /* not of this round */
	begin(ring);
	expect(ring, 48, 0xa1);
	expect(ring, MAX, 0xa2);
	expect(ring, 8, 0);
	assert_int_equal(pop(ring, &bytes), TM_RING_E_EMPTY);
}

static void wrong_region_is_refused(void **state)
{
	struct ring *ring = *state;
	struct tm_ring_writer w;
	struct tm_ring_reader r;
	size_t sizes[] = {0,
			  TM_RING_HEADER_BYTES - 1,
			  TM_RING_HEADER_BYTES,
			  REGION - 8,
			  REGION / 2,
			  TM_RING_HEADER_BYTES + 2ul * TM_RING_MAX_BYTES};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(tm_ring_writer_init(&w, ring->region, sizes[i], &ring->page, 1),
				 -EINVAL);
		assert_int_equal(tm_ring_reader_init(&r, ring->region, sizes[i], &ring->page),
				 -EBADMSG);
	}
}

static void lying_header_is_refused(void **state)
{
	struct ring *ring = *state;
	uint64_t *words[] = {&ring->w.header->magic, &ring->w.header->version,
			     &ring->w.header->capacity};
	struct tm_ring_reader r;
	size_t i;

	for (i = 0; i < 3; i++) {
		uint64_t good = *words[i];

		*words[i] = good * 2;
		assert_int_equal(tm_ring_reader_init(&r, ring->region, REGION, &ring->page),
				 -EBADMSG);
		*words[i] = 0;
		assert_int_equal(tm_ring_reader_init(&r, ring->region, REGION, &ring->page),
				 -EBADMSG);
		*words[i] = good;
		assert_int_equal(tm_ring_reader_init(&r, ring->region, REGION, &ring->page), 0);
	}
}

static void malformed_record_is_not_taken(void **state)
{
	struct ring *ring = *state;
	struct tm_event event = {.bytes = 48, .type = TM_EVENT_SAMPLE};

	assert_int_equal(push(ring, 0, 0, 0), -EINVAL);
	assert_int_equal(push(ring, 12, 0, 0), -EINVAL);
	assert_int_equal(push(ring, MAX + 8, 0, 0), -EINVAL);
	assert_int_equal(tm_ring_push(&ring->w, &event, 40, 0), -EINVAL); /* not what it says */
	event.type = TM_RING_FILLER;
	assert_int_equal(tm_ring_push(&ring->w, &event, 48, 0), -EINVAL);
	assert_int_equal(ring->w.tail_pos, 0);
}

static void full_ring_refuses_and_recovers(void **state)
{
	struct ring *ring = *state;
	uint32_t pushed = 0, popped = 0;

	while (push(ring, 1024, (uint8_t)pushed, 0) == 0)
		pushed++;
	assert_int_equal(pushed, (CAPACITY - ring->w.reserve_bytes) / 1024);
	assert_int_equal(push(ring, 8, 0, 0), TM_RING_E_FULL);
	tm_ring_publish(&ring->w, 0);
	begin(ring);
	for (; popped < pushed; popped++)
		expect(ring, 1024, (uint8_t)popped);
	tm_ring_writer_refresh(&ring->w); /* not committed: nothing is free yet */
	assert_int_equal(push(ring, 8, 0, 0), TM_RING_E_FULL);
	tm_ring_reader_commit(&ring->r);
	assert_int_equal(push(ring, 8, 0, 0), TM_RING_E_FULL); /* not refreshed */
	tm_ring_writer_refresh(&ring->w);
	assert_int_equal(push(ring, 8, 0, 0), 0);
	assert_int_equal(ring->w.violations, 0);
}

static void reserve_is_for_the_urgent(void **state)
{
	struct ring *ring = *state;
	uint32_t urgent = 0;

	while (push(ring, 4096, 1, 0) == 0)
		;
	assert_int_equal(push(ring, 4096, 1, 0), TM_RING_E_FULL);
	while (push(ring, 4096, 2, 1) == 0)
		urgent++;
	assert_int_equal(urgent, ring->w.reserve_bytes / 4096);
	assert_int_equal(ring->w.tail_pos - ring->w.head_pos, CAPACITY);
	tm_ring_publish(&ring->w, 0);
	begin(ring);
}

/* A record never crosses the end: a filler stands before it and is passed over unseen. */
static void filler_bridges_the_end(void **state)
{
	struct ring *ring = *state;
	uint32_t gap;

	for (gap = 8; gap <= 64; gap += 8) {
		start_at(ring, 7ull * CAPACITY - gap);
		assert_int_equal(push(ring, gap, 0x11, 0), 0); /* ends exactly at the end */
		assert_int_equal(ring->w.tail_pos, 7ull * CAPACITY);
		start_at(ring, 7ull * CAPACITY - gap);
		assert_int_equal(push(ring, gap + 8, 0x22, 0), 0);
		assert_int_equal(ring->w.tail_pos, 7ull * CAPACITY + gap + 8);
		assert_int_equal(push(ring, 16, 0x33, 0), 0);
		tm_ring_publish(&ring->w, 0);
		begin(ring);
		expect(ring, gap + 8, 0x22);
		expect(ring, 16, 0x33);
	}
}

static void largest_record_fits_wherever_an_empty_ring_stands(void **state)
{
	struct ring *ring = *state;
	uint32_t at;

	for (at = 0; at < CAPACITY; at += 8) {
		start_at(ring, 3ull * CAPACITY + at);
		assert_int_equal(push(ring, MAX, 1, 0), 0);
	}
}

static void positions_pass_the_end_of_their_type(void **state)
{
	struct ring *ring = *state;
	int i;

	start_at(ring, 0 - (uint64_t)CAPACITY / 2);
	for (i = 0; i < 400; i++) {
		assert_int_equal(push(ring, 1000, (uint8_t)i, 0), 0);
		tm_ring_publish(&ring->w, 0);
		begin(ring);
		expect(ring, 1000, (uint8_t)i);
		tm_ring_reader_commit(&ring->r);
		tm_ring_writer_refresh(&ring->w);
	}
	assert_true(ring->w.tail_pos < 1000000);
	assert_int_equal(ring->w.violations, 0);
}

/* Whatever a hostile reader writes into its page counts as "nothing read", and is counted. */
static void reader_lying_about_head_has_read_nothing(void **state)
{
	struct ring *ring = *state;
	uint64_t lies[] = {4096 * 6 + 8, 4096 * 2 - 8, 0,         UINT64_MAX,
			   4096 * 3 + 4, CAPACITY,     1ull << 63};
	size_t i;
	int pushed;

	for (pushed = 0; pushed < 6; pushed++)
		assert_int_equal(push(ring, 4096, 1, 0), 0);
	atomic_init(&ring->page.head_pos, 4096 * 2);
	tm_ring_writer_refresh(&ring->w);
	assert_int_equal(ring->w.violations, 0);
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		atomic_init(&ring->page.head_pos, lies[i]);
		tm_ring_writer_refresh(&ring->w);
		assert_int_equal(ring->w.head_pos, 4096 * 2);
		assert_int_equal(ring->w.violations, i + 1);
	}
	atomic_init(&ring->page.head_pos, 4096 * 6); /* honest again */
	tm_ring_writer_refresh(&ring->w);
	assert_int_equal(ring->w.head_pos, 4096 * 6);
	assert_int_equal(ring->w.violations, sizeof(lies) / sizeof(lies[0]));
}

/* Lays @bytes and @type where the next record begins and lets the reader at it. */
static int pop_lie(struct ring *ring, uint64_t pos, uint64_t visible, uint32_t bytes, uint16_t type)
{
	const struct tm_event head = {.bytes = bytes, .type = type};
	uint32_t got = 0;

	start_at(ring, pos);
	memcpy(ring->w.data + pos % CAPACITY, &head, 8);
	atomic_init(&ring->w.header->tail_pos, pos + visible);
	begin(ring);
	return pop(ring, &got);
}

static void writer_lying_about_lengths_is_refused(void **state)
{
	struct ring *ring = *state;
	const uint16_t sample = TM_EVENT_SAMPLE, filler = TM_RING_FILLER;

	assert_int_equal(pop_lie(ring, 0, 64, 64, sample), 0); /* the truth, for comparison */
	assert_int_equal(pop_lie(ring, 0, 64, 0, sample), -EBADMSG);
	assert_int_equal(pop_lie(ring, 0, 64, 4, sample), -EBADMSG);
	assert_int_equal(pop_lie(ring, 0, 64, 60, sample), -EBADMSG);
	assert_int_equal(pop_lie(ring, 0, 64, 72, sample), -EBADMSG); /* beyond the tail */
	assert_int_equal(pop_lie(ring, 0, 64, UINT32_MAX - 7, sample), -EBADMSG);
	assert_int_equal(pop_lie(ring, 0, CAPACITY, MAX + 8, sample), -EBADMSG);
	assert_int_equal(pop_lie(ring, CAPACITY - 64, 128, 72, sample),
			 -EBADMSG); /* over the end */
	assert_int_equal(pop_lie(ring, CAPACITY - 64, 64, 64, filler), TM_RING_E_EMPTY); /* truth */
	assert_int_equal(pop_lie(ring, CAPACITY - 64, 128, 56, filler), -EBADMSG);
	assert_int_equal(pop_lie(ring, CAPACITY - 64, 128, 72, filler), -EBADMSG);
	assert_int_equal(pop_lie(ring, CAPACITY - 64, 56, 64, filler), -EBADMSG);
	assert_int_equal(pop_lie(ring, 0, CAPACITY, CAPACITY, filler), -EBADMSG); /* for ever */
	assert_int_equal(pop_lie(ring, 0, 64, 0, filler), -EBADMSG);
}

static void record_larger_than_the_buffer_is_refused(void **state)
{
	struct ring *ring = *state;
	uint32_t got = 77;

	assert_int_equal(push(ring, 64, 1, 0), 0);
	tm_ring_publish(&ring->w, 0);
	begin(ring);
	assert_int_equal(tm_ring_pop(&ring->r, ring->buffer, 56, &got), -EBADMSG);
	assert_int_equal(got, 77);
}

static void writer_lying_about_tail_is_refused(void **state)
{
	struct ring *ring = *state;
	uint64_t lies[] = {
		4096 * 2 + CAPACITY + 8, 4096 * 2 - 8, 4096 * 3, 0, UINT64_MAX, 4096 * 6 + 4};
	uint64_t watermark;
	size_t i;

	start_at(ring, 4096 * 2);
	atomic_init(&ring->w.header->tail_pos, 4096 * 6);
	begin(ring);
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		atomic_init(&ring->w.header->tail_pos, lies[i]);
		assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), -EBADMSG);
	}
	atomic_init(&ring->w.header->tail_pos, 4096 * 2 + CAPACITY);
	assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), 0);
}

static void watermark_only_rises(void **state)
{
	struct ring *ring = *state;
	uint64_t watermark = 0;

	tm_ring_publish(&ring->w, 1000); /* without a record: it moves all the same */
	assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), 0);
	assert_int_equal(watermark, 1000);
	tm_ring_publish(&ring->w, 900);
	assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), 0);
	assert_int_equal(watermark, 1000);
	tm_ring_publish(&ring->w, 1001);
	assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), 0);
	assert_int_equal(watermark, 1001);
	atomic_init(&ring->w.header->watermark, 1000); /* a writer that takes it back */
	assert_int_equal(tm_ring_reader_begin(&ring->r, &watermark), -EBADMSG);
}

static void counts_arrive_as_one_set(void **state)
{
	struct ring *ring = *state;
	struct tm_counts sent, got;

	memset(&sent, 0x37, sizeof(sent));
	sent.rounds = 1;
	memset(&got, 0xff, sizeof(got));
	assert_int_equal(tm_ring_counts(&ring->r, &got), 0); /* none yet: all zero */
	assert_int_equal(got.hits, 0);
	tm_ring_publish_counts(&ring->w, &sent);
	assert_int_equal(tm_ring_counts(&ring->r, &got), 0);
	assert_memory_equal(&got, &sent, sizeof(sent));
}

/* A writer killed between the two sequence numbers: the last good copy stays the truth. */
static void torn_counts_leave_the_last_copy(void **state)
{
	struct ring *ring = *state;
	struct tm_counts counts = {.hits = 5}, got = {.hits = 4711};

	tm_ring_publish_counts(&ring->w, &counts);
	atomic_init(&ring->w.header->counts_seq, 3);
	assert_int_equal(tm_ring_counts(&ring->r, &got), TM_RING_E_TORN);
	assert_int_equal(got.hits, 4711);
}

static void next_reader_goes_on_where_the_last_one_stopped(void **state)
{
	struct ring *ring = *state;

	assert_int_equal(push(ring, 64, 1, 0), 0);
	assert_int_equal(push(ring, 72, 2, 0), 0);
	tm_ring_publish(&ring->w, 0);
	begin(ring);
	expect(ring, 64, 1);
	tm_ring_reader_commit(&ring->r);
	assert_int_equal(tm_ring_reader_init(&ring->r, ring->region, REGION, &ring->page), 0);
	begin(ring);
	expect(ring, 72, 2);
}

#define ON_A_RING(test) cmocka_unit_test_setup_teardown(test, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_A_RING(record_comes_back_as_pushed),
		ON_A_RING(wrong_region_is_refused),
		ON_A_RING(lying_header_is_refused),
		ON_A_RING(malformed_record_is_not_taken),
		ON_A_RING(full_ring_refuses_and_recovers),
		ON_A_RING(reserve_is_for_the_urgent),
		ON_A_RING(filler_bridges_the_end),
		ON_A_RING(largest_record_fits_wherever_an_empty_ring_stands),
		ON_A_RING(positions_pass_the_end_of_their_type),
		ON_A_RING(reader_lying_about_head_has_read_nothing),
		ON_A_RING(writer_lying_about_lengths_is_refused),
		ON_A_RING(record_larger_than_the_buffer_is_refused),
		ON_A_RING(writer_lying_about_tail_is_refused),
		ON_A_RING(watermark_only_rises),
		ON_A_RING(counts_arrive_as_one_set),
		ON_A_RING(torn_counts_leave_the_last_copy),
		ON_A_RING(next_reader_goes_on_where_the_last_one_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
