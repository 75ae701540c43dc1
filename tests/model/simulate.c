/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - the collector's own round and the reader's own ring against simulated CPUs,
 * interleaved at each atomic operation by a seeded schedule
 *
 * Checked    1. no record older than a W that the reader saw comes after it; 2. W never decreases;
 *            3. what a sample relies on has been read once W has passed the sample; 4. at the end
 *            taken = pushed + dropped; 5. all that in every second schedule also where the
 *            collector is killed at an atomic operation of a round, and another one goes on: no
 *            record comes twice, none is lost. TM_SCHEDULES sets the number of schedules. If a
 *            part of the rule is left out, that must be noticed within MISSING_SCHEDULES.
 */

#include <inttypes.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>

#include "collector/session.h"
#include "collector/watermark.h"
#include "shared/ring_progress.h"
#include "shared/ring_reader.h"
#include "tests/model/world.h"
#include "tests/model/yield.h"

#define SCHEDULES         1000000u
#define MISSING_SCHEDULES 1000000u
#define ROUNDS            4
#define RING_BYTES        (TM_RING_HEADER_BYTES + TM_RING_MIN_BYTES)
#define YIELDS_MOST       1600 /* before a collector is killed, within its rounds */

static struct world world;
static struct session session;
static struct options options = {.perf_count = WORLD_CPUS, .keep = true};
static uint64_t selected_count;
static uint32_t epoch_bumps;
static uint8_t *levels[WORLD_CPUS];
static struct bpfring rings[WORLD_CPUS * (1 + TM_LEVELS_N)];
static struct percpu_event events[WORLD_CPUS];
static _Alignas(4096) uint8_t region[2][RING_BYTES]; /* of the first collector, of the next */
static _Alignas(4096) struct tm_ring_reader_page reader_page;
static struct tm_ring_reader reader;
static uint64_t w_seen;
static uint64_t ktimes[WORLD_RECORDS + 1]; /* of what was read; 0: not read */
static uint64_t records;
static const char *failure;
static uint32_t kill_in; /* yields; 0: never */
static jmp_buf killed;
static uint64_t w_before; /* the last W of the collector that was killed */

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
uint64_t __wrap_watermark_read(const struct tm_cpu_slot *slots, unsigned cpus);
uint64_t __real_watermark_read(const struct tm_cpu_slot *slots, unsigned cpus);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	yield_now();
	ts->tv_sec = (time_t)(world.now / 1000000000);
	ts->tv_nsec = (long)(world.now % 1000000000);
	return 0;
}

uint64_t __wrap_watermark_read(const struct tm_cpu_slot *slots, unsigned cpus)
{
	uint64_t marks[WORLD_CPUS * TM_LEVELS_N];
	unsigned count = 0;

	if (world.missing != WORLD_T_LAST)
		return __real_watermark_read(slots, cpus);
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		for (unsigned level = 0; level < TM_LEVELS_N; level++) {
			yield_now();
			marks[count++] = world.slots[cpu].level[level].ktime;
		}
	yield_now();
	return watermark_rule(world.now, marks, count);
}

unsigned __wrap_drain_run(struct drain *drain, uint64_t now_ms);
unsigned __real_drain_run(struct drain *drain, uint64_t now_ms);

unsigned __wrap_drain_run(struct drain *drain, uint64_t now_ms)
{
	unsigned busy = __real_drain_run(drain, now_ms);

	if (world.missing == WORLD_EARLY)
		drain_commit(drain);
	return world.missing == WORLD_PAST_BUSY ? 0 : busy;
}

static void fail(const char *why)
{
	if (!failure)
		failure = why;
}

static void take(const struct tm_event *event)
{
	if (event->ktime < reader.passed || event->ktime < w_before)
		fail("a record older than a W published before it");
	if (reader.passed < w_seen)
		fail("a stamp older than a W that was seen");
	if (event->tgid == 0 || event->tgid > WORLD_RECORDS || ktimes[event->tgid])
		fail("a record that no CPU wrote");
	else
		ktimes[event->tgid] = event->ktime;
	records++;
}

/* The symbolizer's turn: everything up to the tail, then W. */
static void read_all(void)
{
	static _Alignas(8) uint8_t record[TM_EVENT_MAX_BYTES];
	uint64_t w = 0;
	uint32_t bytes;

	if (tm_ring_reader_begin(&reader, &w) != 0)
		fail("an unusable ring");
	if (w < w_seen)
		fail("a W that decreased");
	while (tm_ring_pop(&reader, record, sizeof(record), &bytes) == 0)
		take((const struct tm_event *)record);
	tm_ring_reader_commit(&reader);
	w_seen = w;
	for (uint32_t id = 1; id <= world.ids; id++)
		if (ktimes[id] && ktimes[id] < w && world.needs[id] && !ktimes[world.needs[id]])
			fail("a sample that W has passed, but not what it relies on");
}

static void meanwhile(void)
{
	unsigned steps = random_below(&world.random, 4);

	if (kill_in && --kill_in == 0)
		longjmp(killed, 1);
	while (steps-- > 0)
		world_step(&world);
	if (random_below(&world.random, 32) == 0)
		read_all();
}

static void open_rings(void)
{
	struct bpfring *ring = rings;

	for (unsigned i = 0; i < WORLD_CPUS; i++) {
		bpfring_init(ring, world.cpus[i].consumer, world.cpus[i].producer,
			     world.cpus[i].data, WORLD_RING_BYTES);
		ring++->drained = world.slots[i].drained;
		for (unsigned level = 0; level < TM_LEVELS_N; level++) {
			struct world_level *own = &world.levels[i][level];
			struct tm_level_samples *samples = &own->head.samples;

			bpfring_init(ring, &samples->read, &samples->written, own->ring,
				     TM_SAMPLES_BYTES);
			ring++->drained = samples->drained;
		}
		session.loader.percpu.events[i].slot = &world.slots[i];
	}
}

static void open_shared(unsigned which, uint64_t generation)
{
	atomic_store_explicit(&reader_page.head_pos, 0, memory_order_relaxed);
	if (tm_ring_writer_init(&session.writer, region[which], RING_BYTES, &reader_page,
				generation) != 0 ||
	    tm_ring_reader_init(&reader, region[which], RING_BYTES, &reader_page) != 0)
		fail("no ring");
}

/* What the symbolizer of the one that was killed reads to the end, and what session_adopt.c does.
 */
static void go_on(void)
{
	const struct tm_ring_header *header = (const void *)region[0];
	struct tm_ring_progress progress = {0};

	read_all();
	w_before = w_seen;
	w_seen = 0;
	session.progress = 0;
	open_rings();
	if (tm_ring_read_progress(header, RING_BYTES, &session.progress, &progress) == 0 &&
	    world.missing != WORLD_CONSUMED)
		percpu_set_drained(&session.loader.percpu, session.progress & 1);
	session.drain.pushed = 0;
	session.symbolizer_died = progress.counts.pushed;
	open_shared(1, 2);
}

static void begin(enum world_part missing, uint64_t seed)
{
	world_begin(&world, missing, seed);
	memset(ktimes, 0, sizeof(ktimes));
	memset(&session.counts, 0, sizeof(session.counts));
	w_seen = w_before = 0;
	failure = NULL;
	kill_in = random_below(&world.random, 2) ? 1 + random_below(&world.random, YIELDS_MOST) : 0;
	session.rounds = session.progress = session.symbolizer_died = 0;
	session.drain.pushed = 0;
	memset(&session.reclaim, 0, sizeof(session.reclaim));
	session.reclaim.epoch_bumps = &epoch_bumps;
	open_rings();
	open_shared(0, seed);
}

/* Where the collector is killed, the next one goes on with the next round. */
static void round_of_some_collector(void)
{
	if (setjmp(killed) == 0) {
		yield_set(meanwhile);
		(void)session_round(&session);
		yield_set(NULL);
		return;
	}
	yield_set(NULL);
	go_on();
}

/* Return: whether the schedule had no failure. */
static bool run(enum world_part missing, uint64_t seed)
{
	begin(missing, seed);
	for (unsigned i = 0; i < ROUNDS && !failure; i++) {
		round_of_some_collector();
		for (unsigned steps = random_below(&world.random, 24); steps > 0; steps--)
			world_step(&world);
		if (random_below(&world.random, 2))
			read_all();
	}
	world_settle(&world);
	for (unsigned i = 0; i < 2; i++)
		(void)session_round(&session);
	read_all();
	if (percpu_in_flight(&session.counts) != 0)
		fail("counts that do not balance");
	return !failure;
}

static void init(void)
{
	struct percpu *percpu = &session.loader.percpu;

	world.lag_max = WATERMARK_GUARD_US * 1000ull;
	for (unsigned i = 0; i < WORLD_CPUS; i++)
		levels[i] = (uint8_t *)world.levels[i];
	session.options = &options;
	session.loader.selected_count = &selected_count;
	*percpu = (struct percpu){.maps = {.possible = WORLD_CPUS, .levels = TM_LEVELS_N},
				  .slots = world.slots,
				  .count = WORLD_CPUS,
				  .levels = levels,
				  .level_bytes = sizeof(struct world_level),
				  .events = events,
				  .rings = rings};
	session.drain.rings = rings;
	session.drain.count = percpu_rings(percpu, WORLD_CPUS);
	session.drain.limits = calloc(session.drain.count, sizeof(uint64_t));
	session.drain.writer = &session.writer;
	session.drain.symbols = &session.symbols;
	session.drain.files = &session.files;
	session.refresh = (struct kallsyms_refresh){.symbols = &session.symbols, .fd = -1};
}

/* Return: the schedule in which it was noticed, or 0. */
static uint32_t notice(enum world_part missing, uint64_t *seeds)
{
	for (uint32_t i = 1; i <= MISSING_SCHEDULES; i++)
		if (!run(missing, random_next(seeds)))
			return i;
	return 0;
}

int main(void)
{
	static const char *const names[] = {"whole",    "no mark",    "no barrier",
					    "no order", "no maximum", "past busy",
					    "T last",   "consumed",   "early"};
	const char *given = getenv("TM_SCHEDULES");
	uint32_t schedules = given ? (uint32_t)strtoul(given, NULL, 0) : SCHEDULES;
	uint64_t seeds = random_seed("simulate");
	int failed = 0;

	if (world_init(&world) != 0)
		return 1;
	init();
	for (uint32_t i = 0; i < schedules && !failed; i++) {
		uint64_t seed = random_next(&seeds);

		failed = !run(WORLD_WHOLE, seed);
		if (failed)
			(void)printf("schedule %" PRIu32 ", seed %" PRIu64 ": %s\n", i, seed,
				     failure);
	}
	(void)printf("%" PRIu32 " schedules, %" PRIu64 " records: %s\n", schedules, records,
		     failed ? "FAILED" : "no failure");
	for (int part = WORLD_NO_MARK; part < WORLD_PARTS; part++) {
		uint32_t at = notice((enum world_part)part, &seeds);

		(void)printf("%s: %s %" PRIu32 " (%s)\n", names[part],
			     at ? "noticed in schedule" : "NOT noticed", at, at ? failure : "");
		failed |= !at;
	}
	return failed;
}
