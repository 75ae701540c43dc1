/* SPDX-License-Identifier: Apache-2.0 */
/* test_bpfring - a BPF ring is read up to the noted position, past discards, never past a busy
 * record */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/bpf.h>

#include "collector/bpfring.h"

#define BYTES 4096u

struct fake { /* what the kernel maps: positions, and the data twice in a row */
	_Atomic uint64_t consumer;
	_Atomic uint64_t producer;
	_Alignas(8) uint8_t data[2 * BYTES];
	struct bpfring ring;
	_Alignas(8) uint8_t buffer[BYTES];
};

static int make(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	if (!fake)
		return -1;
	bpfring_init(&fake->ring, &fake->consumer, &fake->producer, fake->data, BYTES);
	*state = fake;
	return 0;
}

static int unmake(void **state)
{
	free(*state);
	return 0;
}

/* As in the kernel's mapping, the data appears twice in a row. */
static void poke(struct fake *fake, uint64_t pos, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t at = (pos + i) & (BYTES - 1);

		fake->data[at] = ((const uint8_t *)bytes)[i];
		fake->data[at + BYTES] = fake->data[at];
	}
}

static uint64_t produce(struct fake *fake, uint32_t bytes, uint8_t fill, uint32_t bits)
{
	uint64_t pos = fake->producer;
	uint32_t header[2] = {bytes | bits, 0};

	poke(fake, pos, header, sizeof(header));
	for (uint32_t i = 0; i < bytes && bytes <= BYTES; i++)
		poke(fake, pos + 8 + i, &fill, 1);
	fake->producer = pos + ((bytes + 8 + 7) & ~7u);
	return pos;
}

static int next(struct fake *fake, uint64_t limit, uint32_t *ret_bytes)
{
	return bpfring_next(&fake->ring, limit, fake->buffer, sizeof(fake->buffer), ret_bytes);
}

static void records_come_in_order_through_many_wraps(void **state)
{
	struct fake *fake = *state;
	uint32_t bytes = 0;

	for (unsigned i = 0; i < 1000; i++) {
		uint32_t length = 8 * (1 + i % 100);

		(void)produce(fake, length, (uint8_t)i, 0);
		assert_int_equal(next(fake, bpfring_position(&fake->ring), &bytes), 0);
		assert_int_equal(bytes, length);
		assert_int_equal(fake->buffer[0], (uint8_t)i);
		assert_int_equal(fake->buffer[length - 1], (uint8_t)i);
		bpfring_commit(&fake->ring);
		assert_int_equal(fake->consumer, fake->producer);
	}
}

static void reading_stops_at_the_noted_position(void **state)
{
	struct fake *fake = *state;
	uint64_t noted;
	uint32_t bytes = 0;

	(void)produce(fake, 16, 1, 0);
	noted = bpfring_position(&fake->ring);
	(void)produce(fake, 16, 2, 0);
	assert_int_equal(next(fake, noted, &bytes), 0);
	assert_int_equal(next(fake, noted, &bytes), BPFRING_E_EMPTY);
	assert_int_equal(next(fake, bpfring_position(&fake->ring), &bytes), 0);
	assert_int_equal(fake->buffer[0], 2);
}

static void unfinished_record_blocks_the_ring(void **state)
{
	struct fake *fake = *state;
	uint64_t busy = produce(fake, 24, 3, BPF_RINGBUF_BUSY_BIT);
	uint32_t bytes = 0, header = 24;

	(void)produce(fake, 16, 4, 0);
	assert_int_equal(next(fake, fake->producer, &bytes), BPFRING_E_BUSY);
	assert_int_equal(next(fake, fake->producer, &bytes), BPFRING_E_BUSY);
	poke(fake, busy, &header, sizeof(header));
	assert_int_equal(next(fake, fake->producer, &bytes), 0);
	assert_int_equal(fake->buffer[0], 3);
	assert_int_equal(next(fake, fake->producer, &bytes), 0);
	assert_int_equal(fake->buffer[0], 4);
}

static void discarded_records_are_skipped(void **state)
{
	struct fake *fake = *state;
	uint32_t bytes = 0;

	(void)produce(fake, 40, 5, BPF_RINGBUF_DISCARD_BIT);
	(void)produce(fake, 40, 6, BPF_RINGBUF_DISCARD_BIT);
	(void)produce(fake, 8, 7, 0);
	assert_int_equal(next(fake, fake->producer, &bytes), 0);
	assert_int_equal(bytes, 8);
	assert_int_equal(fake->buffer[0], 7);
	(void)produce(fake, 8, 8, BPF_RINGBUF_DISCARD_BIT);
	assert_int_equal(next(fake, fake->producer, &bytes), BPFRING_E_EMPTY);
}

static void record_larger_than_the_buffer_is_refused_alone(void **state)
{
	struct fake *fake = *state;
	uint8_t small[16];
	uint32_t bytes = 0;

	(void)produce(fake, 17, 1, 0);
	(void)produce(fake, 16, 2, 0);
	assert_int_equal(bpfring_next(&fake->ring, fake->producer, small, sizeof(small), &bytes),
			 -EBADMSG);
	assert_int_equal(bpfring_next(&fake->ring, fake->producer, small, sizeof(small), &bytes),
			 0);
	assert_int_equal(small[0], 2);
}

static void length_beyond_the_noted_position_skips_to_it(void **state)
{
	struct fake *fake = *state;
	uint32_t bytes = 0, lie = 4000;
	uint64_t pos = produce(fake, 16, 1, 0);

	poke(fake, pos, &lie, sizeof(lie));
	assert_int_equal(next(fake, fake->producer, &bytes), -EBADMSG);
	assert_int_equal(next(fake, fake->producer, &bytes), BPFRING_E_EMPTY);
	(void)produce(fake, 16, 9, 0);
	assert_int_equal(next(fake, fake->producer, &bytes), 0);
	assert_int_equal(fake->buffer[0], 9);
}

static void impossible_producer_position_is_refused(void **state)
{
	struct fake *fake = *state;
	uint32_t bytes = 0;

	fake->producer = 2 * BYTES;
	assert_int_equal(next(fake, fake->producer, &bytes), -EBADMSG);
	assert_int_equal(next(fake, fake->producer, &bytes), BPFRING_E_EMPTY);
	fake->producer += 4; /* less than a header */
	assert_int_equal(next(fake, fake->producer, &bytes), -EBADMSG);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(records_come_in_order_through_many_wraps),
		CASE(reading_stops_at_the_noted_position),
		CASE(unfinished_record_blocks_the_ring),
		CASE(discarded_records_are_skipped),
		CASE(record_larger_than_the_buffer_is_refused_alone),
		CASE(length_beyond_the_noted_position_skips_to_it),
		CASE(impossible_producer_position_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
