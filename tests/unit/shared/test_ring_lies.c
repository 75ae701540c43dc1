/* SPDX-License-Identifier: Apache-2.0 */
/* test_ring_lies - false values from the peer are refused or counted, and never crash this end */

#include <errno.h>

#include "tests/unit/shared/rig.h"

static void wrong_region_is_refused(void **state)
{
	struct rig *rig = *state;
	struct tm_ring_writer w;
	struct tm_ring_reader r;
	size_t sizes[] = {0,
			  TM_RING_HEADER_BYTES - 1,
			  TM_RING_HEADER_BYTES,
			  RIG_REGION - 8,
			  RIG_REGION / 2,
			  TM_RING_HEADER_BYTES + 2ul * TM_RING_MAX_BYTES};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(tm_ring_writer_init(&w, rig->region, sizes[i], &rig->page, 1),
				 -EINVAL);
		assert_int_equal(tm_ring_reader_init(&r, rig->region, sizes[i], &rig->page),
				 -EBADMSG);
	}
}

static void header_with_false_values_is_refused(void **state)
{
	struct rig *rig = *state;
	uint64_t *words[] = {&rig->w.header->magic, &rig->w.header->version,
			     &rig->w.header->capacity};
	struct tm_ring_reader r;
	size_t i;

	for (i = 0; i < 3; i++) {
		uint64_t good = *words[i];

		*words[i] = good * 2;
		assert_int_equal(tm_ring_reader_init(&r, rig->region, RIG_REGION, &rig->page),
				 -EBADMSG);
		*words[i] = 0;
		assert_int_equal(tm_ring_reader_init(&r, rig->region, RIG_REGION, &rig->page),
				 -EBADMSG);
		*words[i] = good;
		assert_int_equal(tm_ring_reader_init(&r, rig->region, RIG_REGION, &rig->page), 0);
	}
}

/* Whatever a hostile reader writes into its page counts as "nothing read", and is counted. */
static void impossible_reader_position_counts_as_nothing_read(void **state)
{
	struct rig *rig = *state;
	uint64_t lies[] = {4096 * 6 + 8, 4096 * 2 - 8, 0,         UINT64_MAX,
			   4096 * 3 + 4, RIG_CAPACITY, 1ull << 63};
	size_t i;
	int pushed;

	for (pushed = 0; pushed < 6; pushed++)
		assert_int_equal(rig_push(rig, 4096, 1, 0), 0);
	atomic_init(&rig->page.head_pos, 4096 * 2);
	tm_ring_writer_refresh(&rig->w);
	assert_int_equal(rig->w.violations, 0);
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		atomic_init(&rig->page.head_pos, lies[i]);
		tm_ring_writer_refresh(&rig->w);
		assert_int_equal(rig->w.head_pos, 4096 * 2);
		assert_int_equal(rig->w.violations, i + 1);
	}
	atomic_init(&rig->page.head_pos, 4096 * 6); /* a valid position again */
	tm_ring_writer_refresh(&rig->w);
	assert_int_equal(rig->w.head_pos, 4096 * 6);
	assert_int_equal(rig->w.violations, sizeof(lies) / sizeof(lies[0]));
}

/* Writes @bytes and @type where the next record begins and pops it. */
static int pop_lie(struct rig *rig, uint64_t pos, uint64_t visible, uint32_t bytes, uint16_t type)
{
	const struct tm_event head = {.bytes = bytes, .type = type};
	uint32_t got = 0;

	rig_start_at(rig, pos);
	memcpy(rig->w.data + pos % RIG_CAPACITY, &head, 8);
	atomic_init(&rig->w.header->tail_pos, pos + visible);
	rig_begin(rig);
	return rig_pop(rig, &got);
}

static void record_with_a_false_length_is_refused(void **state)
{
	struct rig *rig = *state;
	const uint16_t sample = TM_EVENT_SAMPLE, filler = TM_RING_FILLER;

	assert_int_equal(pop_lie(rig, 0, 64, 64, sample), 0); /* true values, for comparison */
	assert_int_equal(pop_lie(rig, 0, 64, 0, sample), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, 64, 4, sample), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, 64, 60, sample), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, 64, 72, sample), -EBADMSG); /* beyond the tail */
	assert_int_equal(pop_lie(rig, 0, 64, UINT32_MAX - 7, sample), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, RIG_CAPACITY, RIG_MAX + 8, sample), -EBADMSG);
	assert_int_equal(pop_lie(rig, RIG_CAPACITY - 64, 128, 72, sample),
			 -EBADMSG); /* across the end of the ring */
	assert_int_equal(pop_lie(rig, RIG_CAPACITY - 64, 64, 64, filler),
			 TM_RING_E_EMPTY); /* true values */
	assert_int_equal(pop_lie(rig, RIG_CAPACITY - 64, 128, 56, filler), -EBADMSG);
	assert_int_equal(pop_lie(rig, RIG_CAPACITY - 64, 128, 72, filler), -EBADMSG);
	assert_int_equal(pop_lie(rig, RIG_CAPACITY - 64, 56, 64, filler), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, RIG_CAPACITY, RIG_CAPACITY, filler),
			 -EBADMSG); /* an endless loop */
	assert_int_equal(pop_lie(rig, 0, 64, 0, filler), -EBADMSG);
}

static void stamp_with_a_false_watermark_is_refused(void **state)
{
	struct rig *rig = *state;
	uint64_t lower = 4;
	uint32_t got = 0;

	assert_int_equal(pop_lie(rig, 0, 16, 16, TM_RING_STAMP), TM_RING_E_EMPTY); /* true values */
	assert_int_equal(pop_lie(rig, 0, 64, 8, TM_RING_STAMP), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, 64, 24, TM_RING_STAMP), -EBADMSG);
	assert_int_equal(pop_lie(rig, 0, 8, 16, TM_RING_STAMP), -EBADMSG); /* beyond the tail */
	rig_start_at(rig, 0);
	tm_ring_publish(&rig->w, 5);
	assert_int_equal(rig_push(rig, 48, 1, 0), 0);
	tm_ring_publish(&rig->w, 6);
	assert_int_equal(rig_push(rig, 48, 1, 0), 0);
	tm_ring_publish(&rig->w, 7);
	memcpy(rig->w.data + 64 + 8, &lower, 8); /* the second stamp lowers W */
	rig_begin(rig);
	rig_expect(rig, 48, 1);
	assert_int_equal(rig_pop(rig, &got), -EBADMSG);
}

static void record_larger_than_the_buffer_is_refused(void **state)
{
	struct rig *rig = *state;
	uint32_t got = 77;

	assert_int_equal(rig_push(rig, 64, 1, 0), 0);
	tm_ring_publish(&rig->w, 0);
	rig_begin(rig);
	assert_int_equal(tm_ring_pop(&rig->r, rig->buffer, 56, &got), -EBADMSG);
	assert_int_equal(got, 77);
}

static void impossible_writer_position_is_refused(void **state)
{
	struct rig *rig = *state;
	uint64_t lies[] = {
		4096 * 2 + RIG_CAPACITY + 8, 4096 * 2 - 8, 4096 * 3, 0, UINT64_MAX, 4096 * 6 + 4};
	uint64_t watermark;
	size_t i;

	rig_start_at(rig, 4096 * 2);
	atomic_init(&rig->w.header->tail_pos, 4096 * 6);
	rig_begin(rig);
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		atomic_init(&rig->w.header->tail_pos, lies[i]);
		assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), -EBADMSG);
	}
	atomic_init(&rig->w.header->tail_pos, 4096 * 2 + RIG_CAPACITY);
	assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), 0);
}

/* A writer was killed between the two sequence numbers: the last complete copy stays valid. */
static void torn_counts_leave_the_last_copy(void **state)
{
	struct rig *rig = *state;
	struct tm_counts counts = {.hits = 5}, got = {.hits = 4711};

	tm_ring_publish_counts(&rig->w, &counts);
	atomic_init(&rig->w.header->counts_seq, 3);
	assert_int_equal(tm_ring_counts(&rig->r, &got), TM_RING_E_TORN);
	assert_int_equal(got.hits, 4711);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_A_RING(wrong_region_is_refused),
		ON_A_RING(header_with_false_values_is_refused),
		ON_A_RING(impossible_reader_position_counts_as_nothing_read),
		ON_A_RING(record_with_a_false_length_is_refused),
		ON_A_RING(stamp_with_a_false_watermark_is_refused),
		ON_A_RING(record_larger_than_the_buffer_is_refused),
		ON_A_RING(impossible_writer_position_is_refused),
		ON_A_RING(torn_counts_leave_the_last_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
