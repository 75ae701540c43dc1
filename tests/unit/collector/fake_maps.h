/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fake_maps - two maps in memory in place of the BPF maps, and a reclaimer that deletes from them
 */

#include <time.h>

#include <bpf/bpf.h>

#include "collector/reclaim.h"
#include "collector/watermark.h"
#include "shared/ring_reader.h"

#define MS        1000000ull
#define EPOCH     TM_EPOCH_NS
#define REGION    (TM_RING_MIN_BYTES + TM_RING_HEADER_BYTES)
#define PROCESSES 1
#define FILES     2
#define ENTRIES   8

struct world {                                   /* the two maps, the ring and the reclaimer */
	struct tm_process_state states[ENTRIES]; /* of tgid 0 .. */
	bool process_there[ENTRIES];
	bool number_there[ENTRIES];
	bool retired[ENTRIES];
	int retire_fails;
	uint64_t processes_made, files_made;
	uint32_t bumps;
	_Alignas(64) uint8_t region[REGION];
	_Alignas(8) uint8_t popped[TM_EVENT_MAX_BYTES];
	struct tm_ring_reader_page page;
	struct tm_ring_writer writer;
	struct tm_ring_reader reader;
	struct opener_client opener;
	struct symbolizer_link link;
	struct file_requests files;
	struct reclaim reclaim;
};

static struct world *world;

/* These replace libbpf's functions. */
int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	uint32_t at = *(const uint32_t *)key;

	if (!(fd == PROCESSES ? world->process_there : world->number_there)[at])
		return -ENOENT;
	if (fd == PROCESSES)
		memcpy(value, &world->states[at], sizeof(world->states[at]));
	else
		memset(value, 0, sizeof(struct tm_file_state)); /* it has no table */
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	bool *there = fd == PROCESSES ? world->process_there : world->number_there;
	uint32_t at = *(const uint32_t *)key;
	bool was = there[at];

	there[at] = false;
	return was ? 0 : -ENOENT;
}

int bpf_map_get_next_key(int fd, const void *key, void *next)
{
	const bool *there = fd == PROCESSES ? world->process_there : world->number_there;
	uint32_t at = key ? *(const uint32_t *)key + 1 : 0;

	if (fd == PROCESSES)
		memset(next, 0, sizeof(struct tm_process_key));
	for (; at < ENTRIES; at++)
		if (there[at]) {
			memcpy(next, &at, sizeof(at));
			return 0;
		}
	return -ENOENT;
}

static int change(void *context, uint32_t number, enum tm_file_change change, uint64_t value)
{
	if (change == TM_FILE_DELETE)
		return bpf_map_delete_elem(FILES, &number);
	assert_int_equal(change, TM_FILE_RETIRE);
	world->retired[number] = world->retire_fails == 0;
	return world->retire_fails;
}

static int make(void **state)
{
	const struct file_requests_kernel kernel = {.change = change};

	world = aligned_alloc(64, (sizeof(*world) + 63) & ~(size_t)63);
	if (!world)
		return -1;
	memset(world, 0, sizeof(*world));
	world->opener.fd = -1;
	symbolizer_link_init(&world->link, -1);
	world->reclaim = (struct reclaim){
		.processes = {PROCESSES, &world->processes_made, 0},
		.numbers = {FILES, &world->files_made, 0},
		.epoch_bumps = &world->bumps,
		.files = &world->files,
		.writer = &world->writer,
	};
	return tm_ring_writer_init(&world->writer, world->region, REGION, &world->page, 1) ||
	       tm_ring_reader_init(&world->reader, world->region, REGION, &world->page) ||
	       file_requests_init(&world->files, &world->opener, &world->link, kernel);
}

static int unmake(void **state)
{
	reclaim_deinit(&world->reclaim);
	file_requests_deinit(&world->files);
	free(world);
	return 0;
}

static void advance(uint64_t w)
{
	reclaim_advance(&world->reclaim, w, 0, w / MS);
}
