/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_ring - compares the shared ring with a plain queue: what is accepted, what is refused, what
 * comes out
 *
 * The model keeps every record in an array and the free space as one number, so it knows nothing of
 * masks, private copies or when an index is read. Operations are drawn at random, partial ones
 * included: a round that is begun and not ended, records popped and not committed, pushed and not
 * published.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/ring_reader.h"
#include "tests/model/random.h"
#include "tests/stress/check.h"

#define ROUNDS     40
#define OPERATIONS 60000
#define QUEUE      65536 /* more than records of 8 bytes fit into the largest ring drawn */
#define CAPACITIES 3
#define STAMP      16 /* bytes of a stamp */

struct entry {
	uint32_t bytes;
	uint32_t span; /* with the filler before it */
	uint64_t id;
	uint64_t passed; /* the W that was published before it was pushed */
};

struct model {
	struct entry queue[QUEUE];                 /* by running number modulo QUEUE */
	uint64_t pushed, published, begun, popped; /* running numbers of records */
	uint64_t at;       /* where the next record would begin, 0 .. capacity */
	uint64_t used;     /* bytes that the writer must take for occupied */
	uint64_t returned; /* bytes committed by the reader, not yet seen by the writer */
	uint64_t open;     /* bytes popped and not committed */
	uint64_t watermark, published_watermark, stamped_watermark;
};

struct rig {
	struct tm_ring_writer w;
	struct tm_ring_reader r;
	struct tm_ring_reader_page *page;
	uint64_t capacity;
	uint64_t state;
	bool reattached; /* and has not met a stamp since */
	struct model model;
	_Alignas(8) uint8_t record[TM_EVENT_MAX_BYTES];
	_Alignas(8) uint8_t buffer[TM_EVENT_MAX_BYTES];
};

/* Content from the id alone, so that it can be made again. */
static void fill(uint8_t *record, uint32_t bytes, uint64_t id)
{
	const struct tm_event head = {.bytes = bytes, .type = (uint16_t)(1 + id % 4)};
	uint64_t state = id;
	uint32_t i;

	memcpy(record, &head, 8);
	for (i = 8; i < bytes; i += 8) {
		uint64_t word = random_next(&state);

		memcpy(record + i, &word, 8);
	}
}

static uint32_t draw_bytes(struct rig *rig)
{
	switch (random_below(&rig->state, 8)) {
	case 0:
		return TM_EVENT_MAX_BYTES;
	case 1:
		return 8;
	case 2:
		return 8 * (1 + random_below(&rig->state, TM_EVENT_MAX_BYTES / 8));
	default:
		return 8 * (1 + random_below(&rig->state, 64));
	}
}

/* Moves @at past a record of @bytes. Return: the space it takes, with the skipped end. */
static uint64_t lay(const struct rig *rig, uint64_t *at, uint64_t bytes)
{
	uint64_t skipped = rig->capacity - *at < bytes ? rig->capacity - *at : 0;

	*at = skipped ? bytes : *at + bytes;
	if (*at == rig->capacity)
		*at = 0;
	return skipped + bytes;
}

static void do_push(struct rig *rig)
{
	struct model *m = &rig->model;
	uint32_t bytes = draw_bytes(rig);
	int urgent = random_below(&rig->state, 4) == 0;
	uint64_t limit = urgent ? rig->capacity : rig->capacity - rig->capacity / 8;
	uint64_t at = m->at, span = 0;
	int r;

	if (m->published_watermark != m->stamped_watermark)
		span += lay(rig, &at, STAMP);
	span += lay(rig, &at, bytes);

	fill(rig->record, bytes, m->pushed);
	r = tm_ring_push(&rig->w, rig->record, bytes, urgent);
	if (m->used + span > limit) {
		CHECK(r == TM_RING_E_FULL);
		return;
	}
	CHECK(r == 0);
	m->queue[m->pushed % QUEUE] =
		(struct entry){bytes, (uint32_t)span, m->pushed, m->published_watermark};
	m->pushed++;
	m->used += span;
	m->at = at;
	m->stamped_watermark = m->published_watermark;
}

static void do_publish(struct rig *rig)
{
	struct model *m = &rig->model;
	uint64_t watermark = m->watermark + random_below(&rig->state, 20);

	/* Now and then one that is lower, which must be ignored. */
	if (watermark >= 5 && random_below(&rig->state, 4) == 0)
		watermark -= 5;
	if (watermark > m->watermark)
		m->watermark = watermark;
	tm_ring_publish(&rig->w, watermark);
	m->published = m->pushed;
	m->published_watermark = m->watermark;
}

static void do_begin(struct rig *rig)
{
	uint64_t watermark = 0;

	CHECK(tm_ring_reader_begin(&rig->r, &watermark) == 0);
	CHECK(watermark == rig->model.published_watermark);
	rig->model.begun = rig->model.published;
}

static void do_pop(struct rig *rig)
{
	struct model *m = &rig->model;
	const struct entry *entry = &m->queue[m->popped % QUEUE];
	uint32_t bytes = 0;
	int r = tm_ring_pop(&rig->r, rig->buffer, sizeof(rig->buffer), &bytes);

	if (m->popped == m->begun) {
		CHECK(r == TM_RING_E_EMPTY);
		return;
	}
	CHECK(r == 0);
	CHECK(bytes == entry->bytes);
	CHECK(rig->r.passed == entry->passed || rig->reattached);
	rig->reattached = rig->reattached && rig->r.passed == 0;
	fill(rig->record, bytes, entry->id);
	CHECK(memcmp(rig->record, rig->buffer, bytes) == 0);
	m->open += entry->span;
	m->popped++;
}

static void do_commit(struct rig *rig)
{
	tm_ring_reader_commit(&rig->r);
	rig->model.returned += rig->model.open;
	rig->model.open = 0;
}

static void do_refresh(struct rig *rig)
{
	tm_ring_writer_refresh(&rig->w);
	rig->model.used -= rig->model.returned;
	rig->model.returned = 0;
}

/* One reader stops and another continues: records popped and not committed come again. */
static void do_reattach(struct rig *rig, size_t region_bytes)
{
	struct model *m = &rig->model;

	CHECK(tm_ring_reader_init(&rig->r, rig->w.header, region_bytes, rig->page) == 0);
	rig->reattached = true;
	while (m->open > 0) {
		m->popped--;
		m->open -= m->queue[m->popped % QUEUE].span;
	}
	m->begun = m->popped;
}

static void step(struct rig *rig, size_t region_bytes)
{
	uint32_t drawn = random_below(&rig->state, 1000);

	if (drawn < 420)
		do_push(rig);
	else if (drawn < 500)
		do_publish(rig);
	else if (drawn < 560)
		do_begin(rig);
	else if (drawn < 900)
		do_pop(rig);
	else if (drawn < 950)
		do_commit(rig);
	else if (drawn < 999)
		do_refresh(rig);
	else
		do_reattach(rig, region_bytes);
}

static void run(struct rig *rig, uint32_t round)
{
	static const uint64_t sizes[CAPACITIES] = {TM_RING_MIN_BYTES, TM_RING_MIN_BYTES * 2,
						   TM_RING_MIN_BYTES * 4};
	uint64_t capacity = sizes[round % CAPACITIES], state = rig->state;
	size_t region_bytes = capacity + TM_RING_HEADER_BYTES;
	_Alignas(64) struct tm_ring_reader_page page = {0};
	void *region = aligned_alloc(64, region_bytes);
	uint32_t i;

	CHECK(region != NULL);
	memset(rig, 0, sizeof(*rig));
	rig->capacity = capacity;
	rig->state = state;
	rig->page = &page;
	CHECK(tm_ring_writer_init(&rig->w, region, region_bytes, &page, round) == 0);
	CHECK(tm_ring_reader_init(&rig->r, region, region_bytes, &page) == 0);
	for (i = 0; i < OPERATIONS; i++)
		step(rig, region_bytes);
	CHECK(rig->w.violations == 0);
	CHECK(rig->model.popped > 1000);
	free(region);
}

/* Every place a record can begin, with records that end before, at and after the ring's end. */
static void wrap_at_every_alignment(struct rig *rig)
{
	static const uint32_t sizes[] = {8, 16, 64, 1024, TM_EVENT_MAX_BYTES};
	size_t region_bytes = TM_RING_MIN_BYTES + TM_RING_HEADER_BYTES, i;
	_Alignas(64) struct tm_ring_reader_page page = {0};
	void *region = aligned_alloc(64, region_bytes);
	uint64_t watermark, at;
	uint32_t bytes;

	CHECK(region != NULL);
	for (at = 0; at < TM_RING_MIN_BYTES; at += 8) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			CHECK(tm_ring_writer_init(&rig->w, region, region_bytes, &page, 1) == 0);
			rig->w.tail_pos = rig->w.head_pos = rig->w.published_pos = at;
			atomic_init(&page.head_pos, at);
			CHECK(tm_ring_reader_init(&rig->r, region, region_bytes, &page) == 0);
			fill(rig->record, sizes[i], at + i);
			CHECK(tm_ring_push(&rig->w, rig->record, sizes[i], 1) == 0);
			tm_ring_publish(&rig->w, 1);
			CHECK(tm_ring_reader_begin(&rig->r, &watermark) == 0);
			CHECK(tm_ring_pop(&rig->r, rig->buffer, sizeof(rig->buffer), &bytes) == 0);
			CHECK(bytes == sizes[i]);
			CHECK(memcmp(rig->record, rig->buffer, bytes) == 0);
			CHECK(rig->r.head_pos == rig->w.tail_pos);
		}
	}
	free(region);
}

int main(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	uint64_t seed = random_seed("model_ring");
	uint32_t round;

	CHECK(rig != NULL);
	rig->state = seed;
	for (round = 0; round < ROUNDS; round++)
		run(rig, round);
	wrap_at_every_alignment(rig);
	free(rig);
	return 0;
}
