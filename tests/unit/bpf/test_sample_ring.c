/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_sample_ring - samples go into the ring of their level, or else into that of their CPU
 */

#include <string.h>

#include "tests/unit/bpf/sampled.h"

#define HEADER 8u

/* Return: bytes of the record. */
static uint64_t sample_once(void)
{
	sampled.registers.rip = SAMPLED_JIT + 0x100;
	sampled_words(SAMPLED_SP, 0, 0);
	sampled.registers.rbp = SAMPLED_SP;
	(void)sampled_once();
	return HEADER + sizeof(struct tm_sample) + sizeof(uint64_t);
}

static const struct tm_event *event_at(uint64_t offset)
{
	return (const void *)(bpf_maps_ring() + offset + HEADER);
}

static uint64_t header_at(uint64_t offset)
{
	uint64_t header;

	memcpy(&header, bpf_maps_ring() + offset, sizeof(header));
	return header;
}

/* The next sample begins at @at; @used: bytes that the collector has not read. */
static void set_ring(uint64_t at, uint64_t used)
{
	bpf_maps_samples()->written = at;
	bpf_maps_samples()->read = at - used;
}

static void expect_put(uint64_t at)
{
	const uint64_t offset = at % TM_SAMPLES_BYTES, bytes = sample_once();

	assert_int_equal(bpf_maps_records(TM_EVENT_SAMPLE), 0);
	assert_int_equal(bpf_maps_samples()->written, at + bytes);
	assert_int_equal(header_at(offset), bytes - HEADER);
	assert_int_equal(event_at(offset)->bytes, bytes - HEADER);
	assert_int_equal(event_at(offset)->type, TM_EVENT_SAMPLE);
	assert_int_equal(((const struct tm_sample *)event_at(offset))->frames[0],
			 FRAME_KIND(ANON) | (SAMPLED_JIT + 0x100));
}

static void expect_not_put(uint64_t at)
{
	(void)sample_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_SAMPLE), 1);
	assert_int_equal(bpf_maps_samples()->written, at);
	assert_int_equal(bpf_maps_counts()->ring_full, 0);
}

static void sample_is_put_behind_its_length(void **state)
{
	set_ring(0, 0);
	expect_put(0);
	expect_put(bpf_maps_samples()->written);
}

static void record_at_the_end_goes_on_behind_it(void **state)
{
	const uint64_t at = 5 * TM_SAMPLES_BYTES - HEADER;

	set_ring(at, 0);
	expect_put(at);
}

static void last_byte_is_used(void **state)
{
	set_ring(0, 0);
	set_ring(4096, TM_SAMPLES_BYTES - sample_once());
	expect_put(4096);
}

static void ring_without_room_is_left_to_the_collector(void **state)
{
	set_ring(0, 0);
	set_ring(4096, TM_SAMPLES_BYTES - sample_once() + HEADER);
	expect_not_put(4096);
}

static void long_sample_goes_into_the_ring_of_the_cpu(void **state)
{
	const unsigned frames = TM_SAMPLES_RECORD_MAX / sizeof(uint64_t);

	set_ring(0, 0);
	sampled.registers.rip = SAMPLED_JIT + 0x100;
	sampled.registers.rbp = SAMPLED_SP;
	for (unsigned i = 0; i < frames; i++)
		sampled_words(SAMPLED_SP + 16ull * i, SAMPLED_SP + 16ull * (i + 1),
			      SAMPLED_JIT + 0x108);
	assert_in_range(sampled_once()->user_frames, frames, frames + 1);
	assert_int_equal(bpf_maps_samples()->written, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(sample_is_put_behind_its_length),
		SAMPLED_TEST(record_at_the_end_goes_on_behind_it),
		SAMPLED_TEST(last_byte_is_used),
		SAMPLED_TEST(ring_without_room_is_left_to_the_collector),
		SAMPLED_TEST(long_sample_goes_into_the_ring_of_the_cpu),
	};

	return SAMPLED_RUN(tests);
}
