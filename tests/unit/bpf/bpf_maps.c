/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_maps - the maps and rings of the BPF programs in user space, and the helpers that use them
 */

#include "tests/unit/bpf/bpf_maps.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/bpf_helpers.h>

#include "shared/unwind_map.h"
#include "tests/unit/bpf/programs.h"

#define ENTRIES_MAX 64
#define CHUNKS_MAX  40
#define RING_BYTES  (1ull << 20)

struct inner { /* an array inside an array of maps */
	uint32_t value_bytes;
	uint32_t entries;
	uint8_t *values;
};

struct entry {
	void *key;
	void *value;
};

static struct {
	struct entry entries[PROGRAM_MAPS][ENTRIES_MAX];
	struct inner scratch, ring, chunks[CHUNKS_MAX];
	unsigned records[TM_EVENT_METHOD + 1];
	uint8_t *slot, *sample, *process, *file, *context;
	struct tm_method *method, *methods[METHODS_KEPT];
} maps;

static struct inner inner_new(uint32_t value_bytes, uint32_t entries)
{
	struct inner inner = {value_bytes, entries, calloc(entries, value_bytes)};

	assert_non_null(inner.values);
	return inner;
}

static void *element(const struct inner *inner, const void *key)
{
	uint32_t at;

	memcpy(&at, key, sizeof(at));
	return at < inner->entries ? inner->values + (size_t)at * inner->value_bytes : NULL;
}

static struct entry *entry_of(unsigned which, const void *key)
{
	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		struct entry *entry = &maps.entries[which][i];

		if (entry->key && !memcmp(entry->key, key, program_maps[which].key_bytes))
			return entry;
	}
	return NULL;
}

static unsigned map_index(const void *map)
{
	unsigned which = 0;

	while (which < PROGRAM_MAPS && program_maps[which].map != map)
		which++;
	return which;
}

static struct inner *inner_of(unsigned which, const void *key)
{
	uint32_t at;

	memcpy(&at, key, sizeof(at));
	if (which == PROGRAM_MAP_CHUNKS)
		return at < CHUNKS_MAX && maps.chunks[at].values ? &maps.chunks[at] : NULL;
	if (at)
		return NULL; /* another CPU */
	return which == PROGRAM_MAP_SCRATCH ? &maps.scratch : &maps.ring;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	unsigned which = map_index(map);
	struct entry *entry;

	if (which == PROGRAM_MAPS)
		return element(map, key);
	if (program_maps[which].of_maps)
		return inner_of(which, key);
	if (!program_maps[which].hash)
		return maps.slot;
	entry = entry_of(which, key);
	return entry ? entry->value : NULL;
}

static void *copy_of(const void *from, size_t bytes)
{
	void *copy = malloc(bytes);

	assert_non_null(copy);
	return memcpy(copy, from, bytes);
}

static void drop(struct entry *entry)
{
	free(entry->key);
	free(entry->value);
	*entry = (struct entry){0};
}

/* Where the kernel replaces the least recently used entry, here the oldest one is. NULL: full. */
static struct entry *unused_entry(unsigned which)
{
	static unsigned oldest;
	struct entry *entries = maps.entries[which];

	for (unsigned i = 0; i < ENTRIES_MAX; i++)
		if (!entries[i].key)
			return &entries[i];
	if (which != PROGRAM_MAP_METHODS)
		return NULL;
	oldest = (oldest + 1) % ENTRIES_MAX;
	drop(&entries[oldest]);
	return &entries[oldest];
}

long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	unsigned which = map_index(map);
	struct entry *entry;

	assert_true(which < PROGRAM_MAPS && program_maps[which].hash);
	entry = entry_of(which, key);
	if (entry && flags == BPF_NOEXIST)
		return -EEXIST;
	if (entry) {
		memcpy(entry->value, value, program_maps[which].value_bytes);
		return 0;
	}
	entry = unused_entry(which);
	if (!entry)
		return -E2BIG;
	entry->key = copy_of(key, program_maps[which].key_bytes);
	entry->value = copy_of(value, program_maps[which].value_bytes);
	return 0;
}

long bpf_map_delete_elem(void *map, const void *key)
{
	struct entry *entry = entry_of(map_index(map), key);

	if (!entry)
		return -ENOENT;
	drop(entry);
	return 0;
}

void *bpf_maps_unit(uint32_t number)
{
	uint32_t chunk = number / TM_UNWIND_UNITS_CHUNK, at = number % TM_UNWIND_UNITS_CHUNK;

	assert_true(chunk < CHUNKS_MAX);
	if (!maps.chunks[chunk].values)
		maps.chunks[chunk] = inner_new(program_maps[PROGRAM_MAP_CHUNKS].value_bytes,
					       TM_UNWIND_UNITS_CHUNK);
	return element(&maps.chunks[chunk], &at);
}

struct tm_file_state *bpf_maps_file(uint32_t index, uint32_t *ret_number)
{
	const struct entry *entry = &maps.entries[PROGRAM_MAP_FILES][index];

	assert_true(index < ENTRIES_MAX);
	if (!entry->key)
		return NULL;
	memcpy(ret_number, entry->key, sizeof(*ret_number));
	return entry->value;
}

void *bpf_maps_first_method(void)
{
	const struct entry *entry = &maps.entries[PROGRAM_MAP_METHODS][0];

	assert_non_null(entry->key);
	return entry->value;
}

__u64 bpf_ringbuf_query(void *ring, __u64 flags)
{
	return flags == BPF_RB_RING_SIZE ? RING_BYTES : 0;
}

static void keep_method(const struct tm_method *record, size_t bytes)
{
	free(maps.method);
	maps.method = copy_of(record, bytes);
	if (record->number / 2 / TM_LEVELS_N >= METHODS_KEPT)
		return;
	free(maps.methods[record->number / 2 / TM_LEVELS_N]);
	maps.methods[record->number / 2 / TM_LEVELS_N] = copy_of(record, bytes);
}

long bpf_ringbuf_output(void *ring, void *record, __u64 bytes, __u64 flags)
{
	struct tm_event event;

	memcpy(&event, record, sizeof(event));
	assert_int_equal(event.bytes, bytes);
	assert_true(event.type < sizeof(maps.records) / sizeof(maps.records[0]));
	maps.records[event.type]++;
	if (event.type == TM_EVENT_PROCESS) {
		free(maps.process);
		maps.process = copy_of(record, bytes);
	}
	if (event.type == TM_EVENT_FILE) {
		free(maps.file);
		maps.file = copy_of(record, bytes);
	}
	if (event.type == TM_EVENT_CONTEXT) {
		free(maps.context);
		maps.context = copy_of(record, bytes);
	}
	if (event.type == TM_EVENT_METHOD)
		keep_method(record, bytes);
	if (event.type != TM_EVENT_SAMPLE)
		return 0;
	free(maps.sample);
	maps.sample = copy_of(record, bytes);
	return 0;
}

const struct tm_sample *bpf_maps_sample(void)
{
	return (const void *)maps.sample;
}

const struct tm_process *bpf_maps_process(void)
{
	return (const void *)maps.process;
}

const struct tm_file *bpf_maps_announced_file(void)
{
	return (const void *)maps.file;
}

const struct tm_method *bpf_maps_method(void)
{
	return maps.method;
}

const struct tm_method *bpf_maps_method_of(uint64_t number)
{
	return number / 2 / TM_LEVELS_N < METHODS_KEPT ? maps.methods[number / 2 / TM_LEVELS_N]
						       : NULL;
}

const struct tm_context *bpf_maps_context(void)
{
	return (const void *)maps.context;
}

unsigned bpf_maps_records(enum tm_event_type type)
{
	return maps.records[type];
}

const struct tm_level_counts *bpf_maps_counts(void)
{
	return (const void *)maps.scratch.values;
}

struct tm_cpu_slot *bpf_maps_slot(void)
{
	return (void *)maps.slot;
}

void bpf_maps_reset(void)
{
	for (unsigned which = 0; which < PROGRAM_MAPS; which++)
		for (unsigned i = 0; i < ENTRIES_MAX; i++) {
			free(maps.entries[which][i].key);
			free(maps.entries[which][i].value);
		}
	for (unsigned i = 0; i < CHUNKS_MAX; i++)
		free(maps.chunks[i].values);
	free(maps.scratch.values);
	free(maps.slot);
	free(maps.process);
	free(maps.file);
	free(maps.context);
	free(maps.method);
	for (unsigned i = 0; i < METHODS_KEPT; i++)
		free(maps.methods[i]);
	free(maps.sample);
	memset(&maps, 0, sizeof(maps));
	maps.scratch = inner_new(program_maps[PROGRAM_MAP_SCRATCH].value_bytes, TM_LEVEL_EXIT);
	maps.slot = calloc(1, program_maps[PROGRAM_MAP_SLOTS].value_bytes);
	assert_non_null(maps.slot);
	bpf_maps_samples()->read = TM_SAMPLES_BYTES; /* it has no room */
}

struct tm_level_samples *bpf_maps_samples(void)
{
	return &((struct tm_level_head *)(void *)maps.scratch.values)->samples;
}

const uint8_t *bpf_maps_ring(void)
{
	return maps.scratch.values + program_maps[PROGRAM_MAP_SCRATCH].value_bytes -
	       TM_SAMPLES_WHOLE;
}
