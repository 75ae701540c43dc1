/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rig - both ends of one ring in one thread, for the tests of shared/ring.c
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/ring_reader.h"

#define RIG_CAPACITY TM_RING_MIN_BYTES
#define RIG_REGION   (RIG_CAPACITY + TM_RING_HEADER_BYTES)
#define RIG_MAX      TM_EVENT_MAX_BYTES

struct rig {
	struct tm_ring_writer w;
	struct tm_ring_reader r;
	struct tm_ring_reader_page page;
	_Alignas(64) uint8_t region[RIG_REGION];
	_Alignas(8) uint8_t record[RIG_MAX + 8];
	_Alignas(8) uint8_t buffer[RIG_MAX];
};

static inline int rig_make(void **state)
{
	struct rig *rig = aligned_alloc(64, sizeof(*rig));

	if (rig == NULL)
		return -1;
	memset(rig, 0, sizeof(*rig));
	*state = rig;
	return tm_ring_writer_init(&rig->w, rig->region, RIG_REGION, &rig->page, 42) ||
	       tm_ring_reader_init(&rig->r, rig->region, RIG_REGION, &rig->page);
}

static inline int rig_unmake(void **state)
{
	free(*state);
	return 0;
}

static inline int rig_push(struct rig *rig, uint32_t bytes, uint8_t fill, int urgent)
{
	const struct tm_event event = {.bytes = bytes, .type = TM_EVENT_SAMPLE};

	memset(rig->record, fill, sizeof(rig->record));
	memcpy(rig->record, &event, bytes < 8 ? bytes : 8);
	return tm_ring_push(&rig->w, rig->record, bytes, urgent);
}

static inline int rig_pop(struct rig *rig, uint32_t *ret_bytes)
{
	return tm_ring_pop(&rig->r, rig->buffer, sizeof(rig->buffer), ret_bytes);
}

static inline void rig_expect(struct rig *rig, uint32_t bytes, uint8_t fill)
{
	uint32_t got = 0, i;

	assert_int_equal(rig_pop(rig, &got), 0);
	assert_int_equal(got, bytes);
	assert_int_equal(((struct tm_event *)rig->buffer)->bytes, bytes);
	for (i = 8; i < bytes; i++)
		assert_int_equal(rig->buffer[i], fill);
}

static inline void rig_begin(struct rig *rig)
{
	uint64_t watermark;

	assert_int_equal(tm_ring_reader_begin(&rig->r, &watermark), 0);
}

/* Starts both ends with an empty ring at position @pos. */
static inline void rig_start_at(struct rig *rig, uint64_t pos)
{
	rig->w.tail_pos = rig->w.head_pos = rig->w.published_pos = pos;
	rig->r.head_pos = rig->r.tail_pos = pos;
	atomic_init(&rig->w.header->tail_pos, pos);
	atomic_init(&rig->page.head_pos, pos);
}

#define ON_A_RING(test) cmocka_unit_test_setup_teardown(test, rig_make, rig_unmake)
