/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_table_cache - one thread finds and adds tables, another writes and shrinks their cache
 *
 * The file is full from the start, so it is shrunk again and again. Each table that is found must
 * be the one that was added under its identity, and no entry may be refused, since none is bad. The
 * thread sanitizer sees each access to the index that the lock does not order.
 */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "symbolizer/unwind/table_cache_write.h"
#include "tests/model/random.h"
#include "tests/unit/symbolizer/make_table.h"

#define ROUNDS        12000u
#define FINDS_A_ROUND 3u

static struct table_cache cache = TABLE_CACHE_NULL;
static atomic_bool over;
static unsigned long found, missed;

#define CHECK(holds)                                                                              \
	do {                                                                                      \
		if (!(holds)) {                                                                   \
			(void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
			exit(1);                                                                  \
		}                                                                                 \
	} while (0)

static struct table_cache_key key_of(uint32_t number)
{
	return (struct table_cache_key){.kind = TABLE_CACHE_UNWIND,
					.identity = {.dev = 1, .ino = number, .size = 100}};
}

static void add(uint32_t number)
{
	const struct table_cache_key key = key_of(number);
	const struct table table = table_at(number);
	struct tm_region rows = TM_REGION_NULL;
	int fd = tm_region_seal_blob("rows", &table, sizeof(table));

	CHECK(fd >= 0 && tm_region_open_blob(&rows, fd, sizeof(table)) == 0);
	table_cache_add(&cache, &key, &rows);
}

static void find(uint32_t number)
{
	const struct table_cache_key key = key_of(number);
	const struct table expected = table_at(number);
	struct tm_region region = TM_REGION_NULL;
	int fd = table_cache_find(&cache, &key);

	if (fd < 0) {
		missed++;
		return;
	}
	CHECK(tm_region_open_blob(&region, fd, sizeof(expected)) == 0);
	CHECK(region.bytes == sizeof(expected));
	CHECK(memcmp(region.addr, &expected, sizeof(expected)) == 0);
	tm_region_close(&region);
	found++;
}

static void *write_tables(void *context)
{
	while (!atomic_load_explicit(&over, memory_order_relaxed))
		if (!table_cache_write_next(&cache))
			(void)sched_yield();
	return NULL;
}

/* Mostly of the last tables that were added, which stay the longest. */
static void read_tables(uint32_t next, uint64_t seed)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const uint64_t dropped = cache.counts.dropped;

		add(next++);
		for (uint32_t i = 0; i < FINDS_A_ROUND; i++)
			find(next - 1 - random_below(&seed, TABLE_CACHE_ENTRIES));
		while (cache.counts.dropped > dropped && table_cache_write_is_pending(&cache))
			(void)sched_yield();
	}
}

int main(void)
{
	static const uint8_t pin[TM_SHA256_BYTES];
	uint64_t seed = random_seed("stress_table_cache");
	uint32_t next = 1;
	pthread_t writer;

	table_cache_open(&cache, memfd_create("cache", MFD_CLOEXEC), pin);
	CHECK(cache.fd >= 0);
	while (next <= TABLE_CACHE_ENTRIES) {
		add(next++);
		while (table_cache_write_next(&cache))
			;
	}
	CHECK(cache.count == TABLE_CACHE_ENTRIES);
	CHECK(pthread_create(&writer, NULL, write_tables, NULL) == 0);
	read_tables(next, seed);
	atomic_store_explicit(&over, true, memory_order_relaxed);
	CHECK(pthread_join(writer, NULL) == 0);
	(void)printf("%lu found, %lu missed, %llu not queued\n", found, missed,
		     (unsigned long long)cache.counts.dropped);
	CHECK(!cache.failed);
	CHECK(cache.counts.refused == 0);
	CHECK(found > ROUNDS);
	CHECK(cache.counts.dropped <= ROUNDS / TABLE_CACHE_QUEUE_TABLES);
	table_cache_close(&cache);
	return 0;
}
