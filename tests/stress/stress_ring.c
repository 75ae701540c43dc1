/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_ring - runs both ends of the ring in two threads and tests each edge of its memory order
 * alone
 *
 * A sanitizer sees an edge only when nothing else orders the same two accesses. So each part below
 * relies on one edge (besides the two that carry the records): a plain word is written before the
 * release and read after the acquire, and becomes a data race as soon as the edge is weaker.
 * tests/memory_order.sh does exactly that to a copy. The ring is included as text, for the static
 * ends of the counts.
 */

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "shared/ring.c"
#include "shared/ring_reader.c"

#include "tests/model/random.h"
#include "tests/stress/check.h"

#define RECORDS 200000u
#define MARKS   100000u
#define SETS    20000u
#define REGION  (TM_RING_MIN_BYTES + TM_RING_HEADER_BYTES)

struct rig {
	struct tm_ring_writer w;
	struct tm_ring_reader r;
	struct tm_ring_reader_page page;
	uint64_t seed;
	uint64_t witness[MARKS + 1]; /* each written once, before its number is published */
	_Alignas(64) uint8_t region[REGION];
};

/* Record @id of a run: its size, its time (the id) and its words follow from the id. */
static uint32_t make(uint64_t seed, uint64_t id, uint64_t *words)
{
	uint64_t state = seed + id;
	uint32_t bytes = 48 + 8 * random_below(&state, id % 64 == 0 ? 4000 : 40), i;
	struct tm_event event = {.bytes = bytes, .type = TM_EVENT_SAMPLE, .ktime = id};

	for (i = 0; i < bytes / 8; i++)
		words[i] = id + i;
	memcpy(words, &event, 16);
	return bytes;
}

static void push_waiting(struct rig *rig, const uint64_t *words, uint32_t bytes, uint64_t watermark)
{
	while (tm_ring_push(&rig->w, words, bytes, 0) == TM_RING_E_FULL) {
		tm_ring_publish(&rig->w, watermark);
		tm_ring_writer_refresh(&rig->w);
		sched_yield();
	}
}

/* --- W1 -> R1 and R2 -> W2: the bytes of the records, and their room --- */

static void *write_records(void *argument)
{
	static uint64_t words[TM_EVENT_MAX_BYTES / 8];
	struct rig *rig = argument;
	uint64_t id;

	for (id = 0; id < RECORDS; id++) {
		push_waiting(rig, words, make(rig->seed, id, words), 0);
		if (id % 7 == 0)
			tm_ring_publish(&rig->w, 0);
	}
	tm_ring_publish(&rig->w, 0);
	return NULL;
}

static void read_records(struct rig *rig)
{
	static uint64_t words[TM_EVENT_MAX_BYTES / 8], expected[TM_EVENT_MAX_BYTES / 8];
	uint64_t id = 0, watermark;
	uint32_t bytes = 0;

	while (id < RECORDS) {
		CHECK(tm_ring_reader_begin(&rig->r, &watermark) == 0);
		while (tm_ring_pop(&rig->r, words, sizeof(words), &bytes) == 0) {
			CHECK(bytes == make(rig->seed, id, expected));
			CHECK(memcmp(words, expected, bytes) == 0);
			id++;
			if (id % 5 == 0)
				tm_ring_reader_commit(&rig->r);
		}
		tm_ring_reader_commit(&rig->r);
		sched_yield();
	}
}

/* --- W3 -> R3: the watermark, while no record moves the tail --- */

static void *write_watermarks(void *argument)
{
	struct rig *rig = argument;
	uint64_t mark;

	for (mark = 1; mark <= MARKS; mark++) {
		rig->witness[mark] = mark * 3;
		tm_ring_publish(&rig->w, mark);
	}
	return NULL;
}

static void read_watermarks(struct rig *rig)
{
	uint64_t watermark = 0;

	while (watermark < MARKS) {
		CHECK(tm_ring_reader_begin(&rig->r, &watermark) == 0);
		CHECK(watermark == 0 || rig->witness[watermark] == watermark * 3);
	}
}

/* --- the promise of the watermark: every record older than W lies below the tail found with it ---
 */

static void *write_marked_records(void *argument)
{
	static uint64_t words[TM_EVENT_MAX_BYTES / 8];
	struct rig *rig = argument;
	uint64_t id;

	for (id = 1; id <= RECORDS; id++) {
		push_waiting(rig, words, make(rig->seed, id, words), id);
		if (id % 3 == 0)
			tm_ring_publish(&rig->w, id + 1);
	}
	tm_ring_publish(&rig->w, RECORDS + 1);
	return NULL;
}

static void read_marked_records(struct rig *rig)
{
	static uint64_t words[TM_EVENT_MAX_BYTES / 8];
	struct tm_event event = {0};
	uint64_t watermark = 0;
	uint32_t bytes;

	while (watermark <= RECORDS) {
		CHECK(tm_ring_reader_begin(&rig->r, &watermark) == 0);
		while (tm_ring_pop(&rig->r, words, sizeof(words), &bytes) == 0) {
			memcpy(&event, words, sizeof(event));
			CHECK(event.ktime >= rig->r.passed);
			CHECK(rig->r.passed + 3 >= event.ktime);
		}
		CHECK(event.ktime + 1 >= watermark);
		tm_ring_reader_commit(&rig->r);
		sched_yield();
	}
}

/* --- W4 -> R4: one word of the counts --- */

static void *write_count_words(void *argument)
{
	struct rig *rig = argument;
	uint64_t mark;

	for (mark = 1; mark <= MARKS; mark++) {
		rig->witness[mark] = mark * 5;
		put_count(rig->w.header, 3, mark);
	}
	return NULL;
}

static void read_count_words(struct rig *rig)
{
	uint64_t mark = 0;

	while (mark < MARKS) {
		mark = get_count(rig->r.header, 3);
		CHECK(mark == 0 || rig->witness[mark] == mark * 5);
	}
}

/* --- W5 -> R5: the sequence number of the counts --- */

static void *write_sequence(void *argument)
{
	struct rig *rig = argument;
	uint64_t mark;

	for (mark = 1; mark <= MARKS; mark++) {
		rig->witness[mark] = mark * 7;
		put_counts_seq(rig->w.header, mark);
	}
	return NULL;
}

static void read_sequence(struct rig *rig)
{
	uint64_t mark = 0;

	while (mark < MARKS) {
		mark = get_counts_seq(rig->r.header);
		CHECK(mark == 0 || rig->witness[mark] == mark * 7);
	}
}

/* --- the promise of the counts: one set, never a mixture --- */

static void *write_sets(void *argument)
{
	struct rig *rig = argument;
	union {
		struct tm_counts counts;
		uint64_t words[TM_RING_COUNT_WORDS];
	} set;
	uint64_t number;
	size_t i;

	for (number = 1; number <= SETS; number++) {
		for (i = 0; i < TM_RING_COUNT_WORDS; i++)
			set.words[i] = number;
		tm_ring_publish_counts(&rig->w, &set.counts);
		if (number % 8 == 0)
			sched_yield();
	}
	return NULL;
}

static void read_sets(struct rig *rig)
{
	union {
		struct tm_counts counts;
		uint64_t words[TM_RING_COUNT_WORDS];
	} set = {0};
	uint64_t last = 0;
	size_t i;

	while (last < SETS) {
		int r = tm_ring_counts(&rig->r, &set.counts);

		CHECK(r == 0 || r == TM_RING_E_TORN);
		for (i = 1; i < TM_RING_COUNT_WORDS; i++)
			CHECK(set.words[i] == set.words[0]);
		CHECK(set.words[0] >= last);
		last = set.words[0];
	}
}

static const struct part {
	const char *name;
	void *(*write)(void *rig);
	void (*read)(struct rig *rig);
} parts[] = {
	{"records", write_records, read_records},
	{"watermarks", write_watermarks, read_watermarks},
	{"marked records", write_marked_records, read_marked_records},
	{"count words", write_count_words, read_count_words},
	{"counts sequence", write_sequence, read_sequence},
	{"counts sets", write_sets, read_sets},
};

static void run(struct rig *rig, const struct part *part, uint64_t seed)
{
	pthread_t writer;

	memset(rig, 0, sizeof(*rig));
	rig->seed = seed;
	CHECK(tm_ring_writer_init(&rig->w, rig->region, REGION, &rig->page, 1) == 0);
	CHECK(tm_ring_reader_init(&rig->r, rig->region, REGION, &rig->page) == 0);
	CHECK(pthread_create(&writer, NULL, part->write, rig) == 0);
	part->read(rig);
	CHECK(pthread_join(writer, NULL) == 0);
	CHECK(rig->w.violations == 0);
	(void)printf("%s: done\n", part->name);
}

int main(void)
{
	struct rig *rig = aligned_alloc(64, sizeof(*rig));
	uint64_t seed = random_seed("stress_ring");
	size_t i;

	CHECK(rig != NULL);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		run(rig, &parts[i], seed + i);
	free(rig);
	return 0;
}
