/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reader_fixture - a reader of a real ring, and its writer
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/reader.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define RING_BYTES TM_RING_MIN_BYTES

static struct recording recording;
static struct reader reader;
static struct tm_ring_writer writer;
static struct tm_ring_reader_page page;
static union make_record record;
static void *region;

static int make_ring(void **state)
{
	region = aligned_alloc(4096, TM_RING_HEADER_BYTES + RING_BYTES);
	page = (struct tm_ring_reader_page){0};
	assert_non_null(region);
	memset(region, 0, TM_RING_HEADER_BYTES + RING_BYTES);
	assert_int_equal(recording_make(&recording), 0);
	reader_init(&reader, &recording.aggregate, &recording.queue);
	assert_int_equal(
		tm_ring_writer_init(&writer, region, TM_RING_HEADER_BYTES + RING_BYTES, &page, 1),
		0);
	assert_int_equal(
		tm_ring_reader_init(&reader.ring, region, TM_RING_HEADER_BYTES + RING_BYTES, &page),
		0);
	return 0;
}

static int end_ring(void **state)
{
	reader_deinit(&reader);
	assert_int_equal(recording_end(&recording), 0);
	free(region);
	return 0;
}

static void push(void)
{
	assert_int_equal(tm_ring_push(&writer, &record, record.event.bytes, 1), 0);
}

static inline void push_sample(uint64_t ktime, uint32_t file)
{
	uint64_t word = FILE_WORD(file, 0x100);

	make_sample(&record, ktime, 42, "c", &word, 0, 1);
	push();
}
