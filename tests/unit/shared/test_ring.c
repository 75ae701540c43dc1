/* SPDX-License-Identifier: Apache-2.0 */
/* test_ring - records are popped whole and in order, and a reserve is kept for urgent ones */

#include <errno.h>

#include "tests/unit/shared/rig.h"

static void record_is_popped_as_it_was_pushed(void **state)
{
	struct rig *rig = *state;
	uint32_t bytes = 0;

	assert_int_equal(rig_push(rig, 48, 0xa1, 0), 0);
	assert_int_equal(rig_push(rig, RIG_MAX, 0xa2, 0), 0);
	assert_int_equal(rig_push(rig, 8, 0, 1), 0);
	rig_begin(rig);
	assert_int_equal(rig_pop(rig, &bytes), TM_RING_E_EMPTY); /* not published yet */
	tm_ring_publish(&rig->w, 0);
	assert_int_equal(rig_pop(rig, &bytes),
			 TM_RING_E_EMPTY); /* published after this round began */
	rig_begin(rig);
	rig_expect(rig, 48, 0xa1);
	rig_expect(rig, RIG_MAX, 0xa2);
	rig_expect(rig, 8, 0);
	assert_int_equal(rig_pop(rig, &bytes), TM_RING_E_EMPTY);
}

static void malformed_record_is_refused(void **state)
{
	struct rig *rig = *state;
	struct tm_event event = {.bytes = 48, .type = TM_EVENT_SAMPLE};

	assert_int_equal(rig_push(rig, 0, 0, 0), -EINVAL);
	assert_int_equal(rig_push(rig, 12, 0, 0), -EINVAL);
	assert_int_equal(rig_push(rig, RIG_MAX + 8, 0, 0), -EINVAL);
	assert_int_equal(tm_ring_push(&rig->w, &event, 40, 0),
			 -EINVAL); /* not the length that it states */
	event.type = TM_RING_FILLER;
	assert_int_equal(tm_ring_push(&rig->w, &event, 48, 0), -EINVAL);
	event.type = TM_RING_STAMP;
	assert_int_equal(tm_ring_push(&rig->w, &event, 48, 0), -EINVAL);
	assert_int_equal(rig->w.tail_pos, 0);
}

static void full_ring_refuses_and_recovers(void **state)
{
	struct rig *rig = *state;
	uint32_t pushed = 0, popped = 0;

	while (rig_push(rig, 1024, (uint8_t)pushed, 0) == 0)
		pushed++;
	assert_int_equal(pushed, (RIG_CAPACITY - rig->w.reserve_bytes) / 1024);
	assert_int_equal(rig_push(rig, 8, 0, 0), TM_RING_E_FULL);
	tm_ring_publish(&rig->w, 0);
	rig_begin(rig);
	for (; popped < pushed; popped++)
		rig_expect(rig, 1024, (uint8_t)popped);
	tm_ring_writer_refresh(&rig->w); /* not committed: nothing is free yet */
	assert_int_equal(rig_push(rig, 8, 0, 0), TM_RING_E_FULL);
	tm_ring_reader_commit(&rig->r);
	assert_int_equal(rig_push(rig, 8, 0, 0), TM_RING_E_FULL); /* not refreshed */
	tm_ring_writer_refresh(&rig->w);
	assert_int_equal(rig_push(rig, 8, 0, 0), 0);
	assert_int_equal(rig->w.violations, 0);
}

static void reserve_is_for_urgent_records(void **state)
{
	struct rig *rig = *state;
	uint32_t urgent = 0;

	while (rig_push(rig, 4096, 1, 0) == 0)
		;
	assert_int_equal(rig_push(rig, 4096, 1, 0), TM_RING_E_FULL);
	while (rig_push(rig, 4096, 2, 1) == 0)
		urgent++;
	assert_int_equal(urgent, rig->w.reserve_bytes / 4096);
	assert_int_equal(rig->w.tail_pos - rig->w.head_pos, RIG_CAPACITY);
	tm_ring_publish(&rig->w, 0);
	rig_begin(rig);
}

/* A record never crosses the end: a filler stands before it and the reader skips it. */
static void filler_stands_before_the_end(void **state)
{
	struct rig *rig = *state;
	uint32_t gap;

	for (gap = 8; gap <= 64; gap += 8) {
		rig_start_at(rig, 7ull * RIG_CAPACITY - gap);
		assert_int_equal(rig_push(rig, gap, 0x11, 0), 0); /* ends exactly at the end */
		assert_int_equal(rig->w.tail_pos, 7ull * RIG_CAPACITY);
		rig_start_at(rig, 7ull * RIG_CAPACITY - gap);
		assert_int_equal(rig_push(rig, gap + 8, 0x22, 0), 0);
		assert_int_equal(rig->w.tail_pos, 7ull * RIG_CAPACITY + gap + 8);
		assert_int_equal(rig_push(rig, 16, 0x33, 0), 0);
		tm_ring_publish(&rig->w, 0);
		rig_begin(rig);
		rig_expect(rig, gap + 8, 0x22);
		rig_expect(rig, 16, 0x33);
	}
}

static void largest_record_fits_into_an_empty_ring_at_any_position(void **state)
{
	struct rig *rig = *state;
	uint32_t at;

	for (at = 0; at < RIG_CAPACITY; at += 8) {
		rig_start_at(rig, 3ull * RIG_CAPACITY + at);
		assert_int_equal(rig_push(rig, RIG_MAX, 1, 0), 0);
		rig_start_at(rig, 3ull * RIG_CAPACITY + at);
		tm_ring_publish(&rig->w, at + 1); /* a stamp precedes the record */
		assert_int_equal(rig_push(rig, RIG_MAX, 1, 0), 0);
	}
}

/* The reader gets each record with the W that was published when it was pushed. */
static void record_comes_with_the_w_that_was_published_before_it(void **state)
{
	static const uint64_t expected[] = {0, 0, 7, 7, 9, 12};
	struct rig *rig = *state;
	unsigned i;

	assert_int_equal(rig_push(rig, 48, 0, 0), 0);
	assert_int_equal(rig_push(rig, 48, 1, 0), 0);
	tm_ring_publish(&rig->w, 7);
	assert_int_equal(rig_push(rig, 48, 2, 0), 0);
	assert_int_equal(rig_push(rig, 48, 3, 0), 0);
	tm_ring_publish(&rig->w, 7);
	tm_ring_publish(&rig->w, 8); /* no record is pushed while this W is the newest */
	tm_ring_publish(&rig->w, 9);
	assert_int_equal(rig_push(rig, 48, 4, 0), 0);
	tm_ring_publish(&rig->w, 12);
	assert_int_equal(rig_push(rig, 48, 5, 0), 0);
	tm_ring_publish(&rig->w, 20);
	rig_begin(rig);
	for (i = 0; i < 6; i++) {
		rig_expect(rig, 48, (uint8_t)i);
		assert_int_equal(rig->r.passed, expected[i]);
	}
}

static void idle_rounds_take_no_space(void **state)
{
	struct rig *rig = *state;
	uint64_t w;

	for (w = 1; w < 100000; w++)
		tm_ring_publish(&rig->w, w);
	assert_int_equal(rig->w.tail_pos, 0);
	assert_int_equal(rig_push(rig, 48, 1, 0), 0);
	assert_int_equal(rig->w.tail_pos, 48 + 16);
}

/* A stamp alone, or a record without its due stamp, would give a record a wrong W. */
static void stamp_is_pushed_with_its_record_or_not_at_all(void **state)
{
	struct rig *rig = *state;
	uint64_t tail_pos;

	while (rig_push(rig, 1024, 1, 1) == 0)
		;
	tm_ring_publish(&rig->w, 5);
	rig_begin(rig);
	rig_expect(rig, 1024, 1);
	tm_ring_reader_commit(&rig->r);
	tm_ring_writer_refresh(&rig->w);
	tail_pos = rig->w.tail_pos;
	assert_int_equal(rig_push(rig, 1024, 2, 1),
			 TM_RING_E_FULL); /* it fits, but not together with its stamp */
	assert_int_equal(rig->w.tail_pos, tail_pos);
	assert_int_equal(rig_push(rig, 1008, 3, 1), 0);
	tm_ring_publish(&rig->w, 5);
	rig_begin(rig);
	while (rig->r.tail_pos - rig->r.head_pos > 1024)
		rig_expect(rig, 1024, 1);
	rig_expect(rig, 1008, 3);
	assert_int_equal(rig->r.passed, 5);
}

static void positions_wrap_around_at_the_end_of_their_type(void **state)
{
	struct rig *rig = *state;
	int i;

	rig_start_at(rig, 0 - (uint64_t)RIG_CAPACITY / 2);
	for (i = 0; i < 400; i++) {
		assert_int_equal(rig_push(rig, 1000, (uint8_t)i, 0), 0);
		tm_ring_publish(&rig->w, 0);
		rig_begin(rig);
		rig_expect(rig, 1000, (uint8_t)i);
		tm_ring_reader_commit(&rig->r);
		tm_ring_writer_refresh(&rig->w);
	}
	assert_true(rig->w.tail_pos < 1000000);
	assert_int_equal(rig->w.violations, 0);
}

static void watermark_only_rises(void **state)
{
	struct rig *rig = *state;
	uint64_t watermark = 0;

	tm_ring_publish(&rig->w, 1000); /* W rises without a record, too */
	assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), 0);
	assert_int_equal(watermark, 1000);
	tm_ring_publish(&rig->w, 900);
	assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), 0);
	assert_int_equal(watermark, 1000);
	tm_ring_publish(&rig->w, 1001);
	assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), 0);
	assert_int_equal(watermark, 1001);
	atomic_init(&rig->w.header->watermark, 1000); /* a hostile writer lowers it */
	assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), -EBADMSG);
}

static void counts_are_read_as_one_set(void **state)
{
	struct rig *rig = *state;
	struct tm_counts sent, got;

	memset(&sent, 0x37, sizeof(sent));
	sent.rounds = 1;
	memset(&got, 0xff, sizeof(got));
	assert_int_equal(tm_ring_counts(&rig->r, &got), 0); /* none yet: all zero */
	assert_int_equal(got.hits, 0);
	tm_ring_publish_counts(&rig->w, &sent);
	assert_int_equal(tm_ring_counts(&rig->r, &got), 0);
	assert_memory_equal(&got, &sent, sizeof(sent));
}

static void next_reader_continues_where_the_last_one_stopped(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_push(rig, 64, 1, 0), 0);
	assert_int_equal(rig_push(rig, 72, 2, 0), 0);
	tm_ring_publish(&rig->w, 0);
	rig_begin(rig);
	rig_expect(rig, 64, 1);
	tm_ring_reader_commit(&rig->r);
	assert_int_equal(tm_ring_reader_init(&rig->r, rig->region, RIG_REGION, &rig->page), 0);
	rig_begin(rig);
	rig_expect(rig, 72, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_A_RING(record_is_popped_as_it_was_pushed),
		ON_A_RING(malformed_record_is_refused),
		ON_A_RING(full_ring_refuses_and_recovers),
		ON_A_RING(reserve_is_for_urgent_records),
		ON_A_RING(filler_stands_before_the_end),
		ON_A_RING(largest_record_fits_into_an_empty_ring_at_any_position),
		ON_A_RING(record_comes_with_the_w_that_was_published_before_it),
		ON_A_RING(idle_rounds_take_no_space),
		ON_A_RING(stamp_is_pushed_with_its_record_or_not_at_all),
		ON_A_RING(positions_wrap_around_at_the_end_of_their_type),
		ON_A_RING(watermark_only_rises),
		ON_A_RING(counts_are_read_as_one_set),
		ON_A_RING(next_reader_continues_where_the_last_one_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
