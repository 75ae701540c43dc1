/* SPDX-License-Identifier: Apache-2.0 */
/* test_ring_progress - only what belongs to the published tail is read, and nothing half-written */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/ring_progress.h"

#define REGION (TM_RING_HEADER_BYTES + TM_RING_MIN_BYTES)

static _Alignas(4096) uint8_t region[REGION];
static _Alignas(64) struct tm_ring_reader_page page;
static struct tm_ring_writer writer;

static int make(void **state)
{
	return tm_ring_writer_init(&writer, region, REGION, &page, /* generation= */ 1);
}

static void note(uint64_t seq, uint64_t tail_pos, uint64_t taken)
{
	const struct tm_ring_progress progress = {
		.tail_pos = tail_pos, .weighed_ns = seq * 100, .counts.taken = taken};

	tm_ring_note_progress(writer.header, seq, &progress);
}

static void publish(uint64_t tail_pos)
{
	writer.tail_pos = tail_pos;
	tm_ring_publish(&writer, /* watermark= */ 1);
}

/* Return: as tm_ring_read_progress. */
static int read_progress(uint64_t *ret_seq, struct tm_ring_progress *ret_progress)
{
	return tm_ring_read_progress(writer.header, REGION, ret_seq, ret_progress);
}

static void expect(uint64_t seq, uint64_t taken)
{
	struct tm_ring_progress progress;
	uint64_t found = 0;

	assert_int_equal(read_progress(&found, &progress), 0);
	assert_int_equal(found, seq);
	assert_int_equal(progress.counts.taken, taken);
	assert_int_equal(progress.weighed_ns, seq * 100);
}

static void last_published_round_is_read(void **state)
{
	note(1, 64, 5);
	publish(64);
	expect(1, 5);
	note(2, 128, 9);
	publish(128);
	expect(2, 9);
}

static void round_that_was_not_published_is_ignored(void **state)
{
	note(1, 64, 5);
	publish(64);
	note(2, 128, 9);
	expect(1, 5);
}

static void newest_of_two_with_the_same_tail_is_read(void **state)
{
	note(7, 64, 5);
	note(8, 64, 6);
	publish(64);
	expect(8, 6);
	note(9, 64, 7);
	expect(9, 7);
}

static void half_written_round_is_ignored(void **state)
{
	note(1, 0, 5);
	note(2, 0, 6);
	atomic_store_explicit(&writer.header->rounds[0].seq, 0, memory_order_release); /* W6 */
	expect(1, 5);
}

static void nothing_is_read_where_nothing_was_noted(void **state)
{
	struct tm_ring_progress progress;
	uint64_t seq;

	assert_int_equal(read_progress(&seq, &progress), -ENODATA);
	note(1, 64, 5); /* never published */
	assert_int_equal(read_progress(&seq, &progress), -ENODATA);
}

static void another_ring_is_refused(void **state)
{
	struct tm_ring_progress progress;
	uint64_t seq;

	note(1, 0, 5);
	assert_int_equal(tm_ring_read_progress(writer.header, 8, &seq, &progress), -EBADMSG);
	writer.header->version++;
	assert_int_equal(read_progress(&seq, &progress), -EBADMSG);
	writer.header->version--;
	writer.header->magic++;
	assert_int_equal(read_progress(&seq, &progress), -EBADMSG);
}

#define CASE(name) cmocka_unit_test_setup(name, make)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(last_published_round_is_read),
		CASE(round_that_was_not_published_is_ignored),
		CASE(newest_of_two_with_the_same_tail_is_read),
		CASE(half_written_round_is_ignored),
		CASE(nothing_is_read_where_nothing_was_noted),
		CASE(another_ring_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
