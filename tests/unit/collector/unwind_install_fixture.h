/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_install_fixture - tables of any size, and a fake BPF side whose calls can fail
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "collector/unwind_install.h"
#include "shared/clock.h"
#include "shared/region.h"

#define BUDGET (4u << 20)
#define UNITS  (BUDGET / TM_UNWIND_UNIT_BYTES)
#define KTIME  (77ull << 30)

struct world {
	struct opener_client opener;
	struct symbolizer_link link;
	struct file_requests files;
	struct tm_retire_queue queue;
	struct unwind_install tables;
	uint64_t references[FILE_REQUESTS_MAX + 1];
	unsigned chunks; /* that exist */
	unsigned calls;  /* of the BPF side so far */
	unsigned fails;  /* which call fails; 0: none */
};

static int fails(struct world *world)
{
	return ++world->calls == world->fails;
}

static int make_chunk(void *context, uint32_t index, void **ret_memory)
{
	struct world *world = context;

	if (fails(world))
		return -ENOMEM;
	*ret_memory = calloc(TM_UNWIND_UNITS_CHUNK, TM_UNWIND_UNIT_BYTES);
	world->chunks++;
	return 0;
}

static void drop_chunk(void *context, uint32_t index, void *memory)
{
	((struct world *)context)->chunks--;
	free(memory);
}

static int change(void *context, uint32_t number, enum tm_file_change change, uint64_t value)
{
	struct world *world = context;

	if (fails(world))
		return -ENOENT;
	if (change == TM_FILE_TABLE)
		world->references[number == TM_UNWIND_MAP_VDSO ? UNWIND_INSTALL_VDSO : number] =
			value;
	return 0;
}

/* Of the file with that inode. */
static int number_ahead(void *context, const struct tm_identity *identity)
{
	return fails(context) ? -ENOENT : (int)identity->ino;
}

static int make(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct file_requests_kernel kernel = {world, NULL, change, number_ahead};
	const struct unwind_alloc_kernel chunks = {world, make_chunk, drop_chunk};

	if (!world)
		return -1;
	world->opener.fd = -1;
	symbolizer_link_init(&world->link, -1);
	*state = world;
	return file_requests_init(&world->files, &world->opener, &world->link, kernel) ||
	       unwind_install_init(&world->tables, BUDGET, &world->files, &world->queue, chunks);
}

static int unmake(void **state)
{
	struct world *world = *state;

	tm_retire_deinit(&world->queue);
	unwind_install_deinit(&world->tables);
	file_requests_deinit(&world->files);
	assert_int_equal(world->chunks, 0);
	free(world);
	return 0;
}

/*
 * A sealed table with one row per page, 64 KiB apart, using its rules in turn. Return: descriptor.
 */
static int seal_rows(uint32_t pages, uint32_t rules)
{
	size_t bytes = tm_unwind_table_bytes(pages, rules);
	struct tm_unwind_table *header = calloc(1, bytes);
	uint32_t *starts = (void *)(header + 1);
	struct tm_rule *rule = (void *)((uint8_t *)starts + ((pages * 4ull + 7) & ~7ull));
	struct tm_unwind_table_page *page = (void *)(rule + rules);
	int fd;

	*header = (struct tm_unwind_table){
		.magic = TM_UNWIND_TABLE_MAGIC, .pages = pages, .rules = rules, .rows = pages};
	for (uint32_t i = 0; i < rules; i++)
		rule[i] = (struct tm_rule){
			.cfa = TM_CFA_SP, .ra = TM_SAVED_CFA, .cfa_offset = (int32_t)i};
	for (uint32_t i = 0; i < pages; i++) {
		starts[i] = i << 16;
		for (uint32_t row = 0; row < TM_UNWIND_TABLE_PAGE; row++) {
			page[i].offsets[row] = row ? TM_UNWIND_TABLE_PAD : 0;
			page[i].rules[row] = (uint16_t)(i % rules);
		}
	}
	fd = tm_region_seal_blob("rows", header, bytes);
	assert_true(fd >= 0);
	free(header);
	return fd;
}

/* Hands the file over; it was announced @age_ms ago. */
static void hand_over(struct world *world, uint32_t number, uint32_t age_ms)
{
	struct file_requests_entry *entry = &world->files.entries[number];

	entry->state = FILE_REQUESTS_SENT;
	entry->sent = (uint32_t)(KTIME >> 10);
	entry->seen_ms = (uint32_t)tm_clock_ms() - age_ms;
	if (number > world->files.highest)
		world->files.highest = number;
}

/* Installs what waits for chunks, but not what waits for W. */
static void grow(struct world *world)
{
	for (unsigned before = world->chunks + 1;
	     world->tables.pending && before != world->chunks;) {
		before = world->chunks;
		unwind_install_advance(&world->tables);
	}
}

/* Runs rounds without a message: empty chunks are dropped. */
static inline void rest(struct world *world)
{
	for (unsigned i = 0; i < TM_UNWIND_CHUNKS_MAX; i++)
		unwind_install_advance(&world->tables);
}

/* Takes @fd. */
static void answer_by(struct world *world, uint32_t number, uint64_t value, int fd)
{
	const struct tm_wire message = {
		.kind = TM_WIRE_UNWIND_TABLE, .number = number, .value = value};

	(void)unwind_install_take(&world->tables, &message, fd);
	(void)close(fd);
	grow(world);
}

static inline void answer(struct world *world, uint32_t number, uint32_t pages)
{
	answer_by(world, number, number == TM_UNWIND_MAP_VDSO ? 0 : KTIME, seal_rows(pages, 1));
}

/* A table that comes before its file is sampled. Return: as unwind_install_ahead. */
static inline int send_ahead(struct world *world, uint64_t dev, uint32_t number, uint32_t pages,
			     bool late)
{
	const struct tm_identity identity = {.dev = dev, .ino = number};
	struct tm_wire message = {.kind = TM_WIRE_AHEAD, .text_bytes = sizeof(identity)};
	int fd = seal_rows(pages, 1), r;
	uint64_t bytes = 0;

	memcpy(message.text, &identity, sizeof(identity));
	r = unwind_install_ahead(&world->tables, &message, fd, late, &bytes);
	(void)close(fd);
	grow(world);
	return r;
}

/* W rises above all messages so far. */
static inline void pass(struct world *world)
{
	(void)tm_retire_run(&world->queue, tm_clock_ns() + 1000000000ull);
	unwind_install_advance(&world->tables);
	grow(world);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)
